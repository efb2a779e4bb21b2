"""A secret argument of a change: nobody can read it before the change is applied, so no preview can show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


T = TypeVar("T")


class TooEarlyError(Exception):
    """A secret was read before its change was applied: a defect of the tool."""


@dataclass(slots=True)
class Seal:
    """Closes all secrets of one call until its change is applied."""

    is_open: bool = False


class Secret(Generic[T]):
    """Annotates a parameter: `value: Secret[str]`. Callers see the schema of the type within."""

    __slots__ = ("_read",)

    def __init__(self, value: T, seal: Seal) -> None:
        def read() -> T:
            if not seal.is_open:
                raise TooEarlyError("a secret is read only where its change is applied")
            return value

        self._read: Final[Callable[[], T]] = read

    def reveal(self) -> T:
        return self._read()

    def __repr__(self) -> str:
        return "Secret(…)"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Arguments are checked as what is within; the wrapper is put around them for one call."""
        (inner,) = get_args(source)
        return handler(inner)


Texts = TypeVar("Texts", bound=Mapping[str, str])


class SecretTexts(Secret[Texts]):
    """Secret texts by their names, which are no secret: `values: SecretTexts[dict[str, str]]`."""

    __slots__ = ("_differs", "names")

    def __init__(self, value: Texts, seal: Seal) -> None:
        super().__init__(value, seal)
        self.names: Final = frozenset(value)
        self._differs: Final[Callable[[Mapping[str, str]], bool]] = lambda known: any(
            known.get(name) != text for name, text in value.items()
        )

    def differ_from(self, known: Mapping[str, str]) -> bool:
        """Whether any of them is something else, or missing, in what is known."""
        return self._differs(known)


def secret_types(function: Callable[..., Any]) -> Mapping[str, type[Secret[Any]]]:
    """The parameters of a function that are secrets, each with its wrapper."""
    wrappers = {name: _wrapper(hint) for name, hint in get_type_hints(function).items() if name != "return"}
    return {name: wrapper for name, wrapper in wrappers.items() if wrapper}


def _wrapper(hint: Any) -> type[Secret[Any]] | None:
    origins = [get_origin(one) for one in (hint, *get_args(hint))]
    return next((one for one in origins if isinstance(one, type) and issubclass(one, Secret)), None)
