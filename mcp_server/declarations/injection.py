"""Fills in some parameters of a declared function with the call context, or with values derived from it.

    Books = Annotated[Library, Resolve(library_of)]

`library_of` is a coroutine function. Such a function can take the context, arguments of the tool (by parameter name),
and the values of other functions in `Resolve`. A function in `Resolve` runs once per call, even if several parameters
need its value.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import iscoroutinefunction
from typing import Any, get_args, get_origin, get_type_hints

from mcp_server.context import AnyContext, CallContext


@dataclass(frozen=True, slots=True)
class Resolve:
    function: Callable[..., Awaitable[Any]]


@dataclass(frozen=True)
class Injection:
    """The parameters that the server fills in when it calls a function."""

    function: Callable[..., Any]

    @cached_property
    def is_coroutine(self) -> bool:
        return iscoroutinefunction(self.function)

    @cached_property
    def resolved(self) -> Mapping[str, Resolve]:
        marks = {name: _mark_of(hint) for name, hint in self._hints.items()}
        return {name: mark for name, mark in marks.items() if mark}

    @cached_property
    def contexts(self) -> list[str]:
        return [name for name, hint in self._hints.items() if _is_context(hint)]

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset([*self.resolved, *self.contexts])

    @cached_property
    def _hints(self) -> Mapping[str, Any]:
        hints = get_type_hints(self.function, include_extras=True)
        return {name: hint for name, hint in hints.items() if name != "return"}

    async def values(self, given: Mapping[str, Any], context: AnyContext) -> dict[str, Any]:
        """The values for the injected parameters."""
        found: dict[Callable[..., Any], Any] = {}
        return await self._values(given, context, found)

    async def _values(
        self, given: Mapping[str, Any], context: AnyContext, found: dict[Callable[..., Any], Any]
    ) -> dict[str, Any]:
        values: dict[str, Any] = dict.fromkeys(self.contexts, context)
        for name, mark in self.resolved.items():
            if mark.function not in found:
                found[mark.function] = await injection_of(mark.function).call(given, context, found)
            values[name] = found[mark.function]
        return values

    async def call(self, given: Mapping[str, Any], context: AnyContext, found: dict[Callable[..., Any], Any]) -> Any:
        by_name = {name: given[name] for name in self._hints if name not in self.names}
        return await self.function(**by_name, **await self._values(given, context, found))


@cache
def injection_of(function: Callable[..., Any]) -> Injection:
    return Injection(function)


def _mark_of(hint: Any) -> Resolve | None:
    return next((mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Resolve)), None)


def _is_context(hint: Any) -> bool:
    kinds = [get_origin(one) or one for one in (hint, *get_args(hint))]
    return any(isinstance(kind, type) and issubclass(kind, CallContext) for kind in kinds)
