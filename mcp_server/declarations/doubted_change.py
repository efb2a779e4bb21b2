"""A change whose caller has to be permitted to make it, which is found out before anybody is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from changes.preview import Preview
from mcp_server.declarations.change import Change


@dataclass(eq=False, slots=True)
class PermittedChange(Change[Any]):
    """`doubt` raises a Refusal where the caller lacks a permission, and tells why where nobody can know that."""

    change: Change[Any]
    doubt: Callable[[], Awaitable[str]]
    is_checked: bool = False

    @property
    def is_no_op(self) -> bool:
        return self.change.is_no_op

    async def preview(self) -> Preview:
        # What cannot be done at all is told as such, whoever asks for it.
        shown = await self.change.preview()
        return replace(shown, doubt=await self._checked())

    async def apply(self) -> Any:
        if not (self.is_checked or self.is_no_op):
            await self._checked()
        return await self.change.apply()

    def held_to(self, pins: Mapping[str, Any]) -> Change[Any]:
        return replace(self, change=self.change.held_to(pins))

    async def _checked(self) -> str:
        doubt = await self.doubt()
        self.is_checked = True
        return doubt
