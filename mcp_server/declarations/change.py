"""A change that a call to a tool would make. The same object previews the change and applies it.

    @part.change(Access.WRITE, harmless=["shelf"])
    async def rename_shelf(library: Library, shelf: ShelfName, name: NewName) -> Renaming:
        found = await library.shelf(shelf)
        return Renaming(library, found, name.strip())

A function that is declared as a change only reads data, and returns an object for the change. The server previews the
change with this object, asks for approval if required, and applies the change with the same object.
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
    """The change that a call would make. The change is made only by `apply`, which is called at most once."""

    @property
    def is_no_op(self) -> bool:
        """Whether the change has no effect.

        A change without effect needs no approval, and its `apply` sends no request.
        """
        return False

    @abstractmethod
    async def preview(self) -> Preview:
        """Describe for the approver what the change would do. This method is not called if no approval is required.

        Raises:
            Refusal: The change cannot be made. The message says what the caller can do.
        """

    @abstractmethod
    async def apply(self) -> R_co:
        """Make the change, and return the tool's answer.

        Raises:
            Refusal: The change cannot be made. The message says what the caller can do.
        """

    def held_to(self, _pins: Mapping[str, Any]) -> Change[R_co]:
        """A copy of the change that takes effect only if the service is still in the approved state.

        By default, returns the change itself. A change that was previewed in this call is already limited to the state
        that was approved.
        """
        return self


@dataclass(frozen=True)
class PlannedChange(Change[R_co]):
    """A change that consists of two functions: `shown` previews the change, and `applied` applies it."""

    shown: Callable[[], Awaitable[Preview]]
    applied: Callable[[], Awaitable[R_co]]

    async def preview(self) -> Preview:
        return await self.shown()

    async def apply(self) -> R_co:
        return await self.applied()


@dataclass(frozen=True)
class StatedChange(Change[R_co]):
    """A change that is completely described by the arguments of its call.

    The preview only shows the arguments, and reads nothing from the service.
    """

    applied: Callable[[], Awaitable[R_co]]

    async def preview(self) -> Preview:
        raise TypeError("The arguments in the preview say what the change does.")

    async def apply(self) -> R_co:
        return await self.applied()


def answer_type(returned: Any) -> Any:
    """The type of a tool's answer, derived from the return type of the tool's function.

    For a tool that changes something, this is the return type of the change's `apply`.
    """
    if get_origin(returned) in {Change, StatedChange}:
        return get_args(returned)[0]
    bases = getattr(get_origin(returned) or returned, "__orig_bases__", ())
    return next((answer_type(base) for base in bases if _is_change(base)), returned)


def _is_change(base: Any) -> bool:
    kind = get_origin(base) or base
    return isinstance(kind, type) and issubclass(kind, Change)
