"""Accepting a reading of the feed that looked wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from changes.preview import Preview
from changes.undo import by_call
from mcp_server.declarations.change import Change
from refusal import Refusal
from updates.keeping.store import Suspicion
from updates.library import UpdatesLibrary


@dataclass(frozen=True, slots=True)
class Accepting(Change[dict[str, Any]]):
    """Believing readings in spite of one suspicion, and of no other."""

    library: UpdatesLibrary
    suspicion: Suspicion

    @classmethod
    async def of(cls, library: UpdatesLibrary) -> Accepting:
        """
        Raises:
            Refusal: No reading looks wrong.
        """
        suspicion = await library.suspicion()
        if suspicion is None:
            raise Refusal("No reading is waiting to be accepted: the last one was believed.")
        return cls(library, suspicion)

    async def preview(self) -> Preview:
        return Preview(
            what="the reading of Azure updates that looked wrong",
            sentence="Accept the reading of Azure updates that looked wrong",
            facts={
                "what looked wrong": self.suspicion.reason,
                "since": f"{self.suspicion.since or self.suspicion.began:%Y-%m-%d %H:%M} UTC",
            },
            effects=["The next full reading marks every update as withdrawn that the feed no longer has."],
            undo=by_call("refresh_azure_updates", full=True).but("that restores only what the feed has again"),
        )

    async def apply(self) -> dict[str, Any]:
        await self.library.accept(self.suspicion)
        return {"accepted": self.suspicion.reason, "next": {"tool": "refresh_azure_updates", "full": True}}
