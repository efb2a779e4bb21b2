"""A client for MCP servers of both protocol eras. Results are returned as plain JSON, so no fields are lost."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final, Protocol

from extensions.upstream.circuit import Circuit
from extensions.upstream.failures import (
    AnsweredError,
    ServerRejectedError,
    ServerUnreachableError,
    SessionEndedError,
    SignInError,
)
from extensions.upstream.question import ABOUT, Json, ServerRequest
from extensions.upstream.server_questions import ASKED_BY
from extensions.upstream.wire import SESSION
from mcp_server.protocol.names import (
    HANDSHAKE_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    LATEST_MODERN_VERSION,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    VERSION_HEADER,
)
from refusal import Refusal

_MOST_SESSIONS: Final = 64
_MOST_NOTES: Final = 32
_PROGRESS: Final = "notifications/progress"
_SECONDS_FOR_A_NOTE: Final = 2.0
_NOTHING: Final[Mapping[str, Any]] = {}


class Era(StrEnum):
    """The protocol era of a server: without sessions, or with an initial handshake."""

    CURRENT = "current"
    HANDSHAKE = "handshake"


class Answering(Protocol):
    """The reply to a message: the messages that the server sends back, and the session ID."""

    @property
    def session(self) -> str: ...

    def messages(self) -> AsyncIterator[Json]: ...


class MessageChannel(Protocol):
    """Sends messages to a server and receives its answers."""

    who: str

    @property
    def tells_when_left(self) -> bool:
        """Whether a request in a session is cancelled automatically when its caller stops waiting.

        If a request is not cancelled automatically, the caller must send a notification.
        """

    @property
    def errors(self) -> str:
        """The last part of the server's log output."""

    def sent(
        self, message: Mapping[str, Any], headers: Mapping[str, str], /
    ) -> AbstractAsyncContextManager[Answering]: ...

    async def close(self) -> None: ...


class UpstreamServer:
    """A client for one server. The client connects with the first request and can be used by concurrent tasks."""

    def __init__(self, wire: MessageChannel, circuit: Circuit, era: Era | None = None) -> None:
        """Create a client. If `era` is None, the protocol era is detected with the first request."""
        self._wire = wire
        self._said = era
        self._era = era
        self.circuit = circuit
        # Whether the client tells servers that the user can answer questions.
        self.may_ask = False
        self._sessions: OrderedDict[str, dict[str, str]] = OrderedDict()
        self._opening = asyncio.Lock()
        self._notes: set[asyncio.Task[None]] = set()

    async def ask(self, question: ServerRequest, *, seconds: float) -> Json:
        """Send a request and return the unchanged result. Cancelling the wait also cancels the request on the server,
        if possible.

        Raises:
            Refusal: The server returned no result. The message contains the reason.
        """
        self.circuit.check()
        try:
            async with asyncio.timeout(seconds) as limit:
                result = await self._send_in_era(_with_time_to_answer(question, limit))
        except (ServerUnreachableError, TimeoutError) as failure:
            self.circuit.failed()
            raise self._late(seconds) if isinstance(failure, TimeoutError) else failure from None
        except (AnsweredError, ServerRejectedError):
            self.circuit.answered()
            raise
        self.circuit.answered()
        return result

    @property
    def errors(self) -> str:
        return self._wire.errors

    async def close(self) -> None:
        for note in list(self._notes):
            note.cancel()
        await self._wire.close()

    def _late(self, seconds: float) -> ServerUnreachableError:
        return ServerUnreachableError(
            f"{self._wire.who} did not answer within {seconds:g} seconds, and was asked to stop."
        )

    async def _send_in_era(self, question: ServerRequest) -> Json:
        era = self._era or await self._found_out(question.headers)
        if era is Era.HANDSHAKE:
            return await self._asked_in_session(question)
        try:
            return await self._asked_now(question)
        except AnsweredError as error:
            if error.code == UNSUPPORTED_VERSION:
                self._era = self._said  # the server's era may have changed, so the next request detects the era
            raise

    async def _found_out(self, headers: Mapping[str, str]) -> Era:
        try:
            found = await self._asked_now(ServerRequest(method="server/discover", params={}, headers=headers))
        except SignInError:
            raise
        except (AnsweredError, ServerRejectedError):
            found = {}
        versions = found.get("supportedVersions")
        is_current = isinstance(versions, list) and LATEST_MODERN_VERSION in versions
        self._era = Era.CURRENT if is_current else Era.HANDSHAKE
        return self._era

    async def _asked_now(self, question: ServerRequest) -> Json:
        async with self._wire.sent(question.message_of_now(), question.headers_of_now()) as reply:
            return await self._result(reply, question, {})

    async def _asked_in_session(self, question: ServerRequest) -> Json:
        session = await self._session(question.headers)
        try:
            return await self._asked_within(session, question)
        except SessionEndedError:
            # Repeating the request is safe: the server did not process it, because the session has expired on the
            # server.
            self._sessions.pop(_owner(question.headers), None)
            return await self._asked_within(await self._session(question.headers), question)

    async def _asked_within(self, session: Mapping[str, str], question: ServerRequest) -> Json:
        headers = {**question.headers, **session}
        try:
            async with self._wire.sent(question.message(), headers) as reply:
                return await self._result(reply, question, headers)
        except asyncio.CancelledError:
            # In the protocol era with sessions, closing a connection does not cancel a request, so send a notification.
            if not self._wire.tells_when_left:
                about = {"requestId": question.id, "reason": "The request was cancelled."}
                self._note(_notification("notifications/cancelled", about), headers)
            raise

    async def _session(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the session of the caller who signs in with these headers. Callers never share a session."""
        owner = _owner(headers)
        async with self._opening:
            if owner not in self._sessions:
                self._sessions[owner] = await self._opened(headers)
                while len(self._sessions) > _MOST_SESSIONS:
                    self._sessions.popitem(last=False)
            self._sessions.move_to_end(owner)
            return self._sessions[owner]

    async def _opened(self, headers: Mapping[str, str]) -> dict[str, str]:
        able: Json = {name: {} for name in ASKED_BY.values()} if self.may_ask else {}
        asked = {"protocolVersion": LATEST_HANDSHAKE_VERSION, "capabilities": able, "clientInfo": ABOUT}
        question = ServerRequest(method="initialize", params=asked, headers=headers)
        async with self._wire.sent(question.message(), headers) as reply:
            about = await self._result(reply, question, {})
            session = {SESSION: reply.session} if reply.session else {}
        version = about.get("protocolVersion")
        if version not in HANDSHAKE_VERSIONS:
            raise ServerUnreachableError(f"{self._wire.who} uses an unsupported protocol version.")
        session[VERSION_HEADER] = str(version)
        await self._notify(_notification("notifications/initialized"), {**headers, **session})
        return session

    async def _result(self, reply: Answering, question: ServerRequest, session: Mapping[str, str]) -> Json:
        async for message in reply.messages():
            if "method" in message:
                await self._meanwhile(message, question, session)
            elif message.get("id") == question.id or (message.get("id") is None and "error" in message):
                return self._outcome(message)
        raise ServerUnreachableError(f"{self._wire.who} ended its answer before it was complete.")

    def _outcome(self, message: Json) -> Json:
        if isinstance(error := message.get("error"), dict):
            raise AnsweredError(self._wire.who, error)
        result = message.get("result")
        if not isinstance(result, dict):
            raise ServerUnreachableError(f"{self._wire.who} answered without a result or an error.")
        return result

    async def _meanwhile(self, message: Json, question: ServerRequest, session: Mapping[str, str]) -> None:
        """Handle a message that arrives before the answer: a progress report, or a question from the server."""
        params = message.get("params")
        about = params if isinstance(params, dict) else {}
        if "id" in message:
            await self._answer(message, question, session)
        elif question.on_progress and (message["method"], about.get("progressToken")) == (_PROGRESS, question.id):
            await question.on_progress(about)

    async def _answer(self, message: Json, question: ServerRequest, session: Mapping[str, str]) -> None:
        method = message["method"]
        asked_by = ASKED_BY.get(method) if isinstance(method, str) else None
        if question.on_question and asked_by in question.capabilities:
            answer = await question.on_question(message)
            self._note({"jsonrpc": "2.0", "id": message["id"], **answer}, session)
            return
        if len(self._notes) >= _MOST_NOTES:
            raise ServerUnreachableError(f"{self._wire.who} asks too many questions.")
        self._note(_declined(message), session)

    def _note(self, message: Json, headers: Mapping[str, str]) -> None:
        """Send a notification in the background."""
        note = asyncio.create_task(self._notify(message, headers))
        self._notes.add(note)
        note.add_done_callback(self._notes.discard)

    async def _notify(self, message: Json, headers: Mapping[str, str]) -> None:
        with suppress(Refusal, TimeoutError):
            async with asyncio.timeout(_SECONDS_FOR_A_NOTE), self._wire.sent(message, headers):
                pass


def _with_time_to_answer(question: ServerRequest, limit: asyncio.Timeout) -> ServerRequest:
    """Return the request with a time limit that pauses while the user answers a question."""
    on_question = question.on_question
    if on_question is None:
        return question
    loop = asyncio.get_running_loop()

    async def ask(message: Json) -> Json:
        left = (limit.when() or loop.time()) - loop.time()
        limit.reschedule(None)
        try:
            return await on_question(message)
        finally:
            limit.reschedule(loop.time() + left)

    return replace(question, on_question=ask)


def _owner(headers: Mapping[str, str]) -> str:
    """Identify the caller by a digest of the sign-in headers, so that no token is stored."""
    return hashlib.sha256(repr(sorted(headers.items())).encode()).hexdigest()


def _notification(method: str, params: Mapping[str, Any] = _NOTHING) -> Json:
    return {"jsonrpc": "2.0", "method": method, **({"params": dict(params)} if params else {})}


def _declined(message: Json) -> Json:
    if message["method"] == "ping":
        return {"jsonrpc": "2.0", "id": message["id"], "result": {}}
    error = {"code": METHOD_NOT_FOUND, "message": "This server does not pass on questions."}
    return {"jsonrpc": "2.0", "id": message["id"], "error": error}
