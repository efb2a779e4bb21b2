"""A change for which the server does not know whether the caller has permission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcp_server.declarations.change import Change

if TYPE_CHECKING:
    from changes.preview import Preview


@dataclass(frozen=True, slots=True)
class DoubtedChange(Change[Any]):
    """A change with a preview that says, in `doubt`, why the caller's permission is unknown."""

    change: Change[Any]
    doubt: str

    @property
    def is_no_op(self) -> bool:
        return self.change.is_no_op

    async def preview(self) -> Preview:
        return replace(await self.change.preview(), doubt=self.doubt)

    async def apply(self) -> Any:
        return await self.change.apply()

    def held_to(self, pins: Mapping[str, Any]) -> Change[Any]:
        return replace(self, change=self.change.held_to(pins))
