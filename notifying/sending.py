"""Sends a signed notice to a destination. Only public addresses of the configured hosts are allowed."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import digest
from time import time
from typing import Final

from aiohttp import ClientConnectorError, ClientError, ClientResponse, ClientSession
from yarl import URL

from clients.public_fetch import checked_public, public_session
from notifying.forms import WORK_ITEM, body_of
from notifying.notification import Notification
from notifying.targets import NotificationTarget
from notifying.wiki_page import body_of_page, content_in, with_notice
from refusal import Refusal
from tasks.work import HopelessError

SECONDS: Final = 10.0
_LONGEST_PAUSE: Final = 3600.0
_LATER: Final = frozenset({408, 425, 429})
_JSON: Final = {"Content-Type": "application/json"}
_AS_IT_IS: Final = {"Accept-Encoding": "identity"}
# Before a notice is written, the newest comments or the wiki page are read. This is the maximum size of that response.
_LARGEST_READ: Final = 1024 * 1024
_NEWEST_COMMENTS: Final = {"$top": "50", "order": "desc"}
_OVERTAKEN: Final = frozenset({409, 412})


class NotTakenError(Refusal):
    """The destination did not accept a notice but may accept it later.

    `after` is the delay in seconds, if the destination specified a delay.
    """

    def __init__(self, place: NotificationTarget, why: str, after: float = 0.0) -> None:
        super().__init__(f"The destination {place.name!r} did not accept a notice: {why}.")
        self.after = after


@dataclass(frozen=True)
class NotificationSender:
    hosts: Collection[str]
    key: bytes = field(repr=False)
    open_session: Callable[[], ClientSession] = public_session
    clock: Callable[[], float] = time
    seconds: float = SECONDS

    async def send(self, place: NotificationTarget, notice: Notification, *, is_again: bool = False) -> bool:
        """Send a notice, and return whether the destination confirmed it. If `is_again` is true, search the
        destination first, if possible. After a rejection, raise NotTakenError if a retry may help, else HopelessError.
        """
        address = checked_public(place.url, self.hosts)
        try:
            async with asyncio.timeout(self.seconds), self.open_session() as session:
                await self._send(_Talk(session, place, address), notice, is_again=is_again)
        except ClientConnectorError:
            raise NotTakenError(place, "the destination could not be reached") from None
        except (ClientError, TimeoutError):
            return False
        return True

    async def _send(self, talk: _Talk, notice: Notification, *, is_again: bool) -> None:
        body = body_of(talk.place.form, notice)
        if body is None:
            await _write_on_page(talk, notice)
        elif not (is_again and talk.place.form == WORK_ITEM and await _is_commented(talk, notice)):
            await talk.send("POST", body, self._signed(talk.place.key or self.key, notice, body))

    def _signed(self, key: bytes, notice: Notification, body: bytes) -> dict[str, str]:
        """Sign the ID, time and body of a notice as defined by Standard Webhooks. Chat services need no signature."""
        if not key:
            return {}
        moment = str(int(self.clock()))
        mark = digest(key, b".".join([notice.id.encode(), moment.encode(), body]), sha256)
        return {
            "webhook-id": notice.id,
            "webhook-timestamp": moment,
            "webhook-signature": f"v1,{b64encode(mark).decode()}",
        }


@dataclass(frozen=True)
class _Talk:
    """Sends requests to one destination, without following redirects."""

    session: ClientSession
    place: NotificationTarget
    address: URL

    async def send(self, method: str, body: bytes, headers: Mapping[str, str]) -> None:
        headers = {**_JSON, **headers, **self._signed_in}
        request = self.session.request(method, self.address, data=body, headers=headers, allow_redirects=False)
        async with request as response:
            _check(self.place, response)

    async def read(self, parameters: Mapping[str, str]) -> tuple[bytes, str]:
        """Read the destination's current content and version. Content and version are empty if the destination does not
        exist yet.
        """
        address = self.address.update_query(parameters)
        headers = {**_AS_IT_IS, **self._signed_in}
        async with self.session.get(address, headers=headers, allow_redirects=False) as response:
            if response.status == 404:
                return b"", ""
            _check(self.place, response)
            return await self._bounded(response), response.headers.get("ETag", "")

    async def _bounded(self, response: ClientResponse) -> bytes:
        try:
            await response.content.readexactly(_LARGEST_READ + 1)
        except asyncio.IncompleteReadError as whole:
            return whole.partial
        raise HopelessError(f"The channel {self.place.name!r} is full: nothing can be added.")

    @property
    def _signed_in(self) -> dict[str, str]:
        if not self.place.token:
            return {}
        basic = b64encode(f":{self.place.token}".encode()).decode()
        # Because of X-TFS-FedAuthRedirect, Azure DevOps answers an invalid token with an error instead of a sign-in
        # page.
        return {"Authorization": f"Basic {basic}", "X-TFS-FedAuthRedirect": "Suppress"}


async def _write_on_page(talk: _Talk, notice: Notification) -> None:
    """Write a notice on a wiki page.

    The write fails if the page has changed since it was read, so that the notice appears only once.
    """
    found, version = await talk.read({"includeContent": "true"})
    content = content_in(found) if found else ""
    if content is None:
        raise NotTakenError(talk.place, "the answer is not a wiki page")
    changed = with_notice(content, notice)
    if changed != content:
        await talk.send("PUT", body_of_page(changed), {"If-Match": version} if version else {})


async def _is_commented(talk: _Talk, notice: Notification) -> bool:
    found, _ = await talk.read(_NEWEST_COMMENTS)
    return bool(re.search(rf"\b{re.escape(notice.id)}\b".encode(), found))


def _check(place: NotificationTarget, response: ClientResponse) -> None:
    status = response.status
    if 200 <= status < 300:
        return
    if status in _LATER or status >= 500:
        raise NotTakenError(
            place, f"the destination answered with {status}", _pause(response.headers.get("Retry-After", ""))
        )
    if status in _OVERTAKEN and "If-Match" in response.request_info.headers:
        raise NotTakenError(place, "someone else changed the page at the same moment")
    raise HopelessError(f"The destination {place.name!r} rejected a notice (HTTP status {status}).")


def _pause(retry_after: str) -> float:
    return (
        min(float(retry_after), _LONGEST_PAUSE)
        if retry_after.isascii() and retry_after.isdecimal() and len(retry_after) < 10
        else 0.0
    )
