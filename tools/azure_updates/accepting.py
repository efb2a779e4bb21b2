"""Accepts a sync that the server rejected because the feed looked suspicious."""

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
    """Accepts one suspicious state of the feed, so that this state no longer blocks syncs. Other suspicious states
    still block syncs.
    """

    library: UpdatesLibrary
    suspicion: Suspicion

    @classmethod
    async def of(cls, library: UpdatesLibrary) -> Accepting:
        """Create a plan for accepting the suspicious state that now blocks syncs.

        Raises:
            Refusal: No rejected sync is waiting to be accepted.
        """
        suspicion = await library.suspicion()
        if suspicion is None:
            raise Refusal("No sync is waiting to be accepted: the last sync was not suspicious.")
        return cls(library, suspicion)

    async def preview(self) -> Preview:
        return Preview(
            what="the rejected sync of Azure updates",
            sentence="Accept the rejected sync of Azure updates",
            facts={
                "suspicion": self.suspicion.reason,
                "since": f"{self.suspicion.since or self.suspicion.began:%Y-%m-%d %H:%M} UTC",
            },
            effects=["The next full sync marks updates as withdrawn if they are missing from the feed."],
            undo=by_call("refresh_azure_updates", full=True).but(
                "a later sync restores only updates that are in the feed again"
            ),
        )

    async def apply(self) -> dict[str, Any]:
        await self.library.accept(self.suspicion)
        return {"accepted": self.suspicion.reason, "next": {"tool": "refresh_azure_updates", "full": True}}
