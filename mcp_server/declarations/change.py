"""A change: what one call of a tool would do, found out once for its preview and for what is then done.

    @part.change(Access.WRITE, harmless=["shelf"])
    async def rename_shelf(library: Library, shelf: ShelfName, name: NewName) -> Renaming:
        found = await library.shelf(shelf)
        return Renaming(library, found, name.strip())

The function of a tool that changes something only reads, and returns its change. The server previews that change, asks
where somebody has to agree, and applies the very same object.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_origin

if TYPE_CHECKING:
    from changes.preview import Preview


R_co = TypeVar("R_co", covariant=True)


class Change(ABC, Generic[R_co]):
    """What one call would do. Nothing is changed before `apply`, which is called at most once."""

    @property
    def is_no_op(self) -> bool:
        """Whether nothing would be different afterwards. Then nobody is asked, and `apply` answers without sending."""
        return False

    @abstractmethod
    async def preview(self) -> Preview:
        """What it would do, for whoever has to agree. Not called where nobody has to.

        Raises:
            Refusal: It cannot be done; the caller can act on why.
        """

    @abstractmethod
    async def apply(self) -> R_co:
        """Do it, and return the answer of the tool.

        Raises:
            Refusal: It cannot be done, and the caller can act on why.
        """

    def held_to(self, _pins: Mapping[str, Any]) -> Change[R_co]:
        """The change held to what was seen when somebody agreed. One that found that out in this call already is."""
        return self


@dataclass(frozen=True)
class PlannedChange(Change[R_co]):
    """A change whose two steps stand in the function of its tool, which has read what both need."""

    shown: Callable[[], Awaitable[Preview]]
    applied: Callable[[], Awaitable[R_co]]

    async def preview(self) -> Preview:
        return await self.shown()

    async def apply(self) -> R_co:
        return await self.applied()


@dataclass(frozen=True)
class StatedChange(Change[R_co]):
    """A change that the arguments of its call say whole: its tool shows these, and reads nothing before it acts."""

    applied: Callable[[], Awaitable[R_co]]

    async def preview(self) -> Preview:
        raise TypeError("What it would do is said by the arguments, which its tool shows.")

    async def apply(self) -> R_co:
        return await self.applied()


def answer_type(returned: Any) -> Any:
    """What a tool answers with, by the type that its function returns: of a change, what applying it gives."""
    if get_origin(returned) in {Change, StatedChange}:
        return get_args(returned)[0]
    bases = getattr(get_origin(returned) or returned, "__orig_bases__", ())
    return next((answer_type(base) for base in bases if _is_change(base)), returned)


def _is_change(base: Any) -> bool:
    kind = get_origin(base) or base
    return isinstance(kind, type) and issubclass(kind, Change)
