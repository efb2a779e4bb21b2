"""Sends a test notice to the destination of a watch."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from changes.preview import Preview
from changes.undo import never
from clients.answers import Json, present
from identity.limits import TooManyRequests
from mcp_server.declarations.change import Change
from refusal import Refusal
from tools.watches.access import WatchesAccess
from watching.delivery import WatchDeliveryState
from watching.watch import Watch

_OUTCOMES = {
    WatchDeliveryState.DELIVERED: True,
    WatchDeliveryState.SET_ASIDE: False,
    WatchDeliveryState.UNKNOWN: "unknown",
}


@dataclass(frozen=True)
class WatchTest(Change[Json]):
    here: WatchesAccess
    watch: Watch
    caller: Hashable

    async def preview(self) -> Preview:
        return Preview(
            what=f"a test of the watch {self.watch.name}",
            sentence=f"Send a test notice of the watch {self.watch.name}",
            facts={"sends to": self.watch.destination.shown},
            undo=never("sent notices cannot be recalled"),
        )

    async def apply(self) -> Json:
        try:
            self.here.test_limit.take(self.caller)
        except TooManyRequests as limit:
            raise Refusal(f"{limit} Nothing was sent.") from None
        sent = await self.here.watches.send_test(self.watch)
        outcome = {
            "delivered": _OUTCOMES[sent.state],
            "to": self.watch.destination.shown,
            "seconds": round(sent.seconds, 2),
        }
        return {**outcome, **present({"why": sent.why})}
