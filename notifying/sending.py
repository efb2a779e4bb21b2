"""Sends a notice to a place, once: signed, to public addresses of listed hosts only, and within bounds."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import digest
from time import time
from typing import Final

from aiohttp import ClientConnectorError, ClientError, ClientResponse, ClientSession

from clients.public_fetch import checked_public, public_session
from notifying.forms import body_of
from notifying.notice import Notification
from notifying.places import NotificationTarget
from refusal import Refusal
from tasks.work import HopelessError

SECONDS: Final = 10.0
_LONGEST_PAUSE: Final = 3600.0
_LATER: Final = frozenset({408, 425, 429})


class NotTakenError(Refusal):
    """The place did not take it, and may do so later: after so many seconds, where it says that."""

    def __init__(self, place: NotificationTarget, why: str, after: float = 0.0) -> None:
        super().__init__(f"The place {place.name!r} did not take a notice: {why}.")
        self.after = after


@dataclass(frozen=True)
class NotificationSender:
    hosts: Collection[str]
    key: bytes = field(repr=False)
    open_session: Callable[[], ClientSession] = public_session
    clock: Callable[[], float] = time
    seconds: float = SECONDS

    async def send(self, place: NotificationTarget, notice: Notification) -> bool:
        """Send it, and tell whether it is known to have arrived. No part of the answer but its status is read.

        Raises:
            NotTakenError: It has not arrived, and is worth another try.
            HopelessError: It has not arrived, and never will.
        """
        body, address = body_of(place.form, notice), checked_public(place.url, self.hosts)
        headers = {"Content-Type": "application/json", **self._signed(notice, body), **_signed_in(place)}
        try:
            async with (
                asyncio.timeout(self.seconds),
                self.open_session() as session,
                session.post(address, data=body, headers=headers, allow_redirects=False) as response,
            ):
                _check(place, response)
        except ClientConnectorError:
            raise NotTakenError(place, "it could not be reached") from None
        except (ClientError, TimeoutError):
            return False
        return True

    def _signed(self, notice: Notification, body: bytes) -> dict[str, str]:
        """As the Standard Webhooks have it: over the id, the time and the body."""
        moment = str(int(self.clock()))
        mark = digest(self.key, b".".join([notice.id.encode(), moment.encode(), body]), sha256)
        return {
            "webhook-id": notice.id,
            "webhook-timestamp": moment,
            "webhook-signature": f"v1,{b64encode(mark).decode()}",
        }


def _signed_in(place: NotificationTarget) -> dict[str, str]:
    return {"Authorization": f"Basic {b64encode(f':{place.token}'.encode()).decode()}"} if place.token else {}


def _check(place: NotificationTarget, response: ClientResponse) -> None:
    status = response.status
    if 200 <= status < 300:
        return
    if status in _LATER or status >= 500:
        raise NotTakenError(place, f"it answered with {status}", _pause(response.headers.get("Retry-After", "")))
    raise HopelessError(f"The place {place.name!r} refused a notice with {status}.")


def _pause(told: str) -> float:
    return min(float(told), _LONGEST_PAUSE) if told.isascii() and told.isdecimal() and len(told) < 10 else 0.0
