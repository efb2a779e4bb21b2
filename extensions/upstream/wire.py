"""Sends a JSON-RPC message to a server over Streamable HTTP, and reads the answer within limits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout
from pydantic_core import to_json
from yarl import URL

from extensions.upstream.events import Events
from extensions.upstream.failures import (
    AnsweredError,
    ServerRejectedError,
    ServerUnreachableError,
    SessionEndedError,
    SignInError,
)
from extensions.upstream.json_reading import read

SESSION: Final = "Mcp-Session-Id"
MOST_MESSAGES: Final = 10_000
_PLAIN: Final = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "Accept-Encoding": "identity",
}
_TIMES: Final = ClientTimeout(total=None, connect=10)


class Wire:
    """Sends messages to one URL. The first message opens a connection, which stays open for a while."""

    # If a request belongs to a session, closing the connection does not cancel the request.
    tells_when_left: Final = False
    errors: Final = ""

    def __init__(self, who: str, address: URL, session: Callable[[], ClientSession], largest: int) -> None:
        self.who = who
        self._address = address
        self._open = session
        self._largest = largest
        self._session: ClientSession | None = None

    @asynccontextmanager
    async def sent(self, message: Mapping[str, Any], headers: Mapping[str, str]) -> AsyncIterator[ServerReply]:
        """Send a message, and yield the reply.

        If the caller stops reading before the end of the reply, the connection closes, which cancels the request.

        Raises:
            ServerUnreachableError: The server cannot be reached, or does not follow the MCP protocol.
            ServerRejectedError: The server rejected the request.
            AnsweredError: The server answered with an error.
        """
        self._session = self._session or self._open()
        try:
            async with self._session.post(
                self._address,
                data=to_json(message),
                headers={**_PLAIN, **headers},
                allow_redirects=False,
                timeout=_TIMES,
            ) as response:
                reply = ServerReply(self.who, response, self._largest)
                await reply.check(has_session=SESSION in headers)
                yield reply
        except (ClientError, OSError) as failure:
            raise ServerUnreachableError(
                f"{self.who} cannot be reached, or closed the connection early ({type(failure).__name__})."
            ) from None

    async def close(self) -> None:
        session, self._session = self._session, None
        if session:
            await session.close()


@dataclass(frozen=True)
class ServerReply:
    who: str
    response: ClientResponse
    largest: int

    @property
    def session(self) -> str:
        """Return the id of the session that the server opened, or an empty string.

        Raises:
            ServerUnreachableError: The id contains invalid characters.
        """
        name = self.response.headers.get(SESSION, "")
        if not all("!" <= letter <= "~" for letter in name):
            raise ServerUnreachableError(f"{self.who} sent a session id with invalid characters.")
        return name

    async def check(self, *, has_session: bool) -> None:
        status = self.response.status
        if status in (200, 202):
            return
        if status in (401, 403):
            challenge = self.response.headers.get("WWW-Authenticate", "")
            raise SignInError(f"{self.who} rejected the sign-in of this server.", status, challenge)
        await self._raise_its_error(status, has_session=has_session)
        if 300 <= status < 400:
            raise ServerRejectedError(f"{self.who} redirects to another URL. Redirects are not followed.", status)
        if status >= 500:
            raise ServerUnreachableError(f"{self.who} answered with status {status}.")
        raise ServerRejectedError(f"{self.who} answered with status {status}.", status)

    async def _raise_its_error(self, status: int, *, has_session: bool) -> None:
        if has_session and status == 404:
            raise SessionEndedError(f"{self.who} has ended the session.", status)
        if self._is("application/json"):
            with suppress(ValueError, RecursionError):
                document = read(await self._body())
                error = document.get("error") if isinstance(document, dict) else None
                if isinstance(error, dict):
                    raise AnsweredError(self.who, error)

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """Yield the messages of the answer. Raises ServerUnreachableError if the answer is too large or invalid."""
        if self.response.headers.get("Content-Encoding", "identity") != "identity":
            raise ServerUnreachableError(f"{self.who} sent a compressed response that was not requested.")
        if self.response.status == 202:
            return
        if self._is("text/event-stream"):
            async for data in self._events():
                for message in _each(self._decoded(data)):
                    yield message
        elif self._is("application/json"):
            for message in _each(self._decoded(await self._body())):
                yield message

    async def _events(self) -> AsyncIterator[bytes]:
        events, size, count = Events(self.largest), 0, 0
        async for piece in self.response.content.iter_any():
            size += len(piece)
            if size > 2 * self.largest:
                raise self._too_much()
            for data in events.feed(piece):
                count += 1
                if count > MOST_MESSAGES:
                    raise self._too_much()
                yield data

    async def _body(self) -> bytes:
        pieces, size = [], 0
        async for piece in self.response.content.iter_any():
            size += len(piece)
            if size > self.largest:
                raise self._too_much()
            pieces.append(piece)
        return b"".join(pieces)

    def _decoded(self, data: bytes) -> Any:
        try:
            return read(data)
        except (ValueError, RecursionError):
            raise ServerUnreachableError(f"{self.who} answered with something other than valid JSON.") from None

    def _too_much(self) -> ServerUnreachableError:
        return ServerUnreachableError(
            f"{self.who} exceeded the limit for answers ({self.largest} bytes, {MOST_MESSAGES} messages)."
        )

    def _is(self, kind: str) -> bool:
        return self.response.headers.get("Content-Type", "").partition(";")[0].strip().lower() == kind


def _each(document: Any) -> list[dict[str, Any]]:
    return [
        message for message in (document if isinstance(document, list) else [document]) if isinstance(message, dict)
    ]
