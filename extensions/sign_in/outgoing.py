"""Sends requests to the sign-in endpoints of extensions. Only allowed addresses are used, redirects are not followed,
and the size and time of replies are limited.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import ClientConnectorError, ClientError, ClientSession, TCPConnector
from yarl import URL

from clients.public_fetch import checked_public, public_session, session_over
from extensions.upstream.connecting import checked_private
from refusal import Refusal

LARGEST: Final = 64 * 1024
SECONDS: Final = 10.0
_MOST_AT_ONCE: Final = 16
_OWN: Final = {"Accept": "application/json", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class IssuerReply:
    status: int
    body: bytes = field(repr=False)

    @property
    def document(self) -> dict[str, Any]:
        """Return the JSON object in the reply, or an empty object if the reply is not JSON."""
        try:
            document = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return document if isinstance(document, dict) else {}


class UnansweredError(Refusal):
    """No reply arrived. `may_have_arrived` means that the server may have processed the request."""

    def __init__(self, host: str | None, *, may_have_arrived: bool) -> None:
        super().__init__(f"{host} did not answer the sign-in request correctly. Try again in a minute.")
        self.may_have_arrived = may_have_arrived


def private_session() -> ClientSession:
    """Create an HTTP session that may connect to private addresses."""
    return session_over(TCPConnector())


@dataclass(frozen=True)
class HttpSessions:
    public: Callable[[], ClientSession] = public_session
    private: Callable[[], ClientSession] = private_session


class Outgoing:
    """Sends the requests for one extension, with limited concurrency."""

    def __init__(self, sessions: HttpSessions | None = None, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._sessions = sessions or HttpSessions()
        self._turns = asyncio.Semaphore(_MOST_AT_ONCE)

    async def get(self, url: str, *, is_private: bool, headers: Mapping[str, str] | None = None) -> IssuerReply:
        """Send a GET request.

        Raises:
            Refusal: The address is not allowed, or no reply arrived.
        """
        return await self._answered(
            "GET",
            checked(url, is_private=is_private),
            is_private=is_private,
            more={"headers": {**_OWN, **(headers or {})}},
        )

    async def post(
        self, url: str, *, is_private: bool, form: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> IssuerReply:
        """Send a POST request with a form. Raises the same errors as `get`."""
        more = {"data": dict(form), "headers": {**_OWN, **(headers or {})}}
        return await self._answered("POST", checked(url, is_private=is_private), is_private=is_private, more=more)

    async def post_json(self, url: str, *, is_private: bool, document: Mapping[str, Any]) -> IssuerReply:
        """Send a POST request with JSON. Raises the same errors as `get`."""
        more = {"json": dict(document), "headers": _OWN}
        return await self._answered("POST", checked(url, is_private=is_private), is_private=is_private, more=more)

    async def _answered(self, method: str, address: URL, *, is_private: bool, more: Mapping[str, Any]) -> IssuerReply:
        open_session = self._sessions.private if is_private else self._sessions.public
        try:
            async with (
                asyncio.timeout(self._seconds),
                self._turns,
                open_session() as session,
                session.request(method, address, allow_redirects=False, **more) as response,
            ):
                return IssuerReply(response.status, await _body(response.content))
        except ClientConnectorError:
            raise UnansweredError(address.host, may_have_arrived=False) from None
        except (ClientError, TimeoutError, _TooLargeError):
            raise UnansweredError(address.host, may_have_arrived=True) from None


class _TooLargeError(Exception):
    pass


async def _body(content: asyncio.StreamReader | Any) -> bytes:
    try:
        await content.readexactly(LARGEST + 1)
    except asyncio.IncompleteReadError as whole:
        return whole.partial
    raise _TooLargeError


def checked(url: str, *, is_private: bool) -> URL:
    """Parse a URL, and check that this server may send requests to it.

    Raises:
        Refusal: The URL is not allowed.
    """
    return checked_private(url) if is_private else checked_public(url)
