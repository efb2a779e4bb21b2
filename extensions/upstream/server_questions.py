"""Passes on questions that an extension's server asks during a call. Each question becomes an input request to the
user.

The call stays pending in this process until the user answers, so questions work only with a single process, on a
laptop.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from extensions.upstream.question import Json, OnProgress, ServerRequest
from mcp_server.protocol.names import INVALID_PARAMS, INVALID_REQUEST
from refusal import Refusal

# The client capability that each kind of question requires.
ASKED_BY: Final[Mapping[str, str]] = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
# The maximum number of pending calls, which is less than the number of connections to one server.
_MOST: Final = 8
_SECONDS: Final = 600.0
_STATE: Final = "held "
_QUESTION: Final = "question"
_UNFIT: Final[Json] = {"error": {"code": INVALID_PARAMS, "message": "The client does not support this question."}}
_UNANSWERED: Final[Json] = {"error": {"code": INVALID_REQUEST, "message": "The user did not answer."}}

Ask = Callable[[ServerRequest], Awaitable[Json]]


@dataclass
class _PendingCall:
    """A pending call, which may be waiting for an answer from the user."""

    on_progress: OnProgress | None
    asked: asyncio.Queue[Json] = field(default_factory=lambda: asyncio.Queue(1))
    answered: asyncio.Queue[Json] = field(default_factory=lambda: asyncio.Queue(1))
    work: asyncio.Task[Json] = field(init=False)
    timer: asyncio.TimerHandle | None = None

    async def put(self, message: Json) -> Json:
        await self.asked.put(message)
        return await self.answered.get()

    async def tell(self, about: Mapping[str, Any]) -> None:
        """Report progress. Progress goes to the caller's current request, because the request that started the call may
        have ended.
        """
        if self.on_progress:
            await self.on_progress(about)


class ServerQuestions:
    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._pending: dict[str, _PendingCall] = {}

    async def ask(self, question: ServerRequest, ask: Ask) -> Json:
        """Start or continue a call. Raises Refusal if the call is no longer pending, or the server sent no result."""
        state = question.params.get("requestState")
        if isinstance(state, str) and state.startswith(_STATE):
            pending = self._taken(state)
            pending.on_progress = question.on_progress
            pending.answered.put_nowait(_answer_in(question.params))
        else:
            pending = _started(ask, question)
        return await self._next(pending)

    async def close(self) -> None:
        pending = list(self._pending.values())
        for state in list(self._pending):
            self._drop(state)
        await asyncio.gather(*(one.work for one in pending), return_exceptions=True)

    async def _next(self, pending: _PendingCall) -> Json:
        """Return the result of the call, or the first question that the server asks during the call."""
        while True:
            message = await _asked_or_done(pending)
            if message is None:
                return pending.work.result()
            question = _question_of(message)
            if question:
                return self._hold(pending, question)
            pending.answered.put_nowait(_UNFIT)

    def _hold(self, pending: _PendingCall, question: Json) -> Json:
        if len(self._pending) >= _MOST:
            self._drop(next(iter(self._pending)))
        state = f"{_STATE}{secrets.token_urlsafe(16)}"
        pending.on_progress = None
        pending.timer = asyncio.get_running_loop().call_later(self._seconds, self._drop, state)
        self._pending[state] = pending
        return {**question, "requestState": state}

    def _taken(self, state: str) -> _PendingCall:
        pending = self._pending.pop(state, None)
        if pending is None:
            raise Refusal("The question has expired or was already answered. Call the tool again.")
        if pending.timer:
            pending.timer.cancel()
        return pending

    def _drop(self, state: str) -> None:
        if pending := self._pending.pop(state, None):
            if pending.timer:
                pending.timer.cancel()
            pending.work.cancel()


async def _asked_or_done(pending: _PendingCall) -> Json | None:
    """Return the next question, or None when the call has ended. Cancelling the wait cancels the call."""
    asked = asyncio.create_task(pending.asked.get())
    try:
        await asyncio.wait({pending.work, asked}, return_when=asyncio.FIRST_COMPLETED)
        return None if pending.work.done() else asked.result()
    except asyncio.CancelledError:
        pending.work.cancel()
        raise
    finally:
        asked.cancel()


def _question_of(message: Json) -> Json:
    """Convert a question to the current protocol. Return an empty object if the question cannot be converted."""
    params = message.get("params")
    request = {"method": message["method"], **({"params": params} if isinstance(params, dict) else {})}
    question: Json = {"resultType": "input_required", "inputRequests": {_QUESTION: request}}
    from mcp_server.sdk import foreign

    return question if foreign.question_of(question) else {}


def _started(ask: Ask, question: ServerRequest) -> _PendingCall:
    pending = _PendingCall(question.on_progress)
    progress = pending.tell if question.on_progress else None
    pending.work = asyncio.create_task(_answered(ask, replace(question, on_question=pending.put, on_progress=progress)))
    return pending


async def _answered(ask: Ask, question: ServerRequest) -> Json:
    return await ask(question)


def _answer_in(params: Mapping[str, Any]) -> Json:
    answers = params.get("inputResponses")
    answer = answers.get(_QUESTION) if isinstance(answers, dict) else None
    return {"result": answer} if isinstance(answer, dict) else _UNANSWERED
