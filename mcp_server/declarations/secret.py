"""A secret argument of a change.

The secret can be read only while the change is being applied, so no preview can show it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


T = TypeVar("T")


class TooEarlyError(Exception):
    """A tool has tried to read a secret before the server started to apply the change. This is a bug in the tool."""


@dataclass(slots=True)
class Seal:
    """Keeps all secrets of a call unreadable until the call's change is being applied."""

    is_open: bool = False


class Secret(Generic[T]):
    """The type of a secret parameter, for example `value: Secret[str]`.

    The schema of the parameter is the schema of the inner type.
    """

    __slots__ = ("_read",)

    def __init__(self, value: T, seal: Seal) -> None:
        def read() -> T:
            if not seal.is_open:
                raise TooEarlyError("a secret can be read only while its change is being applied")
            return value

        self._read: Final[Callable[[], T]] = read

    def reveal(self) -> T:
        return self._read()

    def __repr__(self) -> str:
        return "Secret(…)"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Let Pydantic validate the argument as the inner type. After that, the value becomes a `Secret`."""
        (inner,) = get_args(source)
        return handler(inner)


Texts = TypeVar("Texts", bound=Mapping[str, str])


class SecretTexts(Secret[Texts]):
    """Several secret strings, by name: `values: SecretTexts[dict[str, str]]`. The names are not secret."""

    __slots__ = ("_differs", "names")

    def __init__(self, value: Texts, seal: Seal) -> None:
        super().__init__(value, seal)
        self.names: Final = frozenset(value)
        self._differs: Final[Callable[[Mapping[str, str]], bool]] = lambda known: any(
            known.get(name) != text for name, text in value.items()
        )

    def differ_from(self, known: Mapping[str, str]) -> bool:
        """Whether at least one secret string is missing from `known`, or has a different value there."""
        return self._differs(known)


def secret_types(function: Callable[..., Any]) -> Mapping[str, type[Secret[Any]]]:
    """The secret parameters of a function, with their types."""
    wrappers = {name: _wrapper(hint) for name, hint in get_type_hints(function).items() if name != "return"}
    return {name: wrapper for name, wrapper in wrappers.items() if wrapper}


def _wrapper(hint: Any) -> type[Secret[Any]] | None:
    origins = [get_origin(one) for one in (hint, *get_args(hint))]
    return next((one for one in origins if isinstance(one, type) and issubclass(one, Secret)), None)
