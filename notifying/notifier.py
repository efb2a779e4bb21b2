"""Sends a notice to a destination at most once. If the destination asks the server to wait, the notice
is sent later.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from notifying.claims import Claims
from notifying.notification import Notification
from notifying.sending import NotificationSender, NotTakenError
from notifying.targets import NotificationTarget
from refusal import Refusal
from tasks.work import HopelessError

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Notifier:
    places: Mapping[str, NotificationTarget]
    claims: Claims
    sender: NotificationSender

    async def tell(self, name: str, notice: Notification) -> float:
        """Send a notice if it was not sent yet.

        Return the number of seconds to wait before a retry, or 0 if no retry is needed.

        Raises:
            Refusal: The notice was not sent. A retry may succeed.
            HopelessError: The notice cannot be sent to this destination.
        """
        place = self.places.get(name)
        if place is None:
            raise HopelessError(f"The channel {name!r} for notices no longer exists.")
        claim = claim_of(name, notice.id)
        if not await self.claims.take(claim):
            return 0.0
        try:
            is_sure = await self.sender.send(place, notice)
        except Refusal as not_told:
            await self.claims.give_back(claim)
            if isinstance(not_told, NotTakenError) and not_told.after:
                return not_told.after
            raise
        if not is_sure:
            logger.warning(
                "Destination %r may not have received the notice %s, which is not sent again", name, notice.id
            )
        return 0.0

    async def has_notified(self, name: str, notice: str) -> bool:
        return await self.claims.has(claim_of(name, notice))


def claim_of(place: str, notice: str) -> str:
    return f"{notice}.{place}"
