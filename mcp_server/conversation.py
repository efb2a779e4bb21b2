"""Questions to a client within its call, for the handshake versions of the protocol, which no answer can ask.

The answer to the call becomes a stream that stays open. The question goes out on it, and the client answers in a
request of its own. This needs a host that sends answers in parts, and one process for both requests: the local host.
What the client declared when it initialized comes back with each request in its session id, so nothing is kept.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from answer_stream import AnswerStream
from identity.caller import Caller
from mcp_server.protocol.answers import ELICIT, is_answer
from mcp_server.protocol.results import Json

# A question that nobody answers for so long gives way to the page.
SECONDS_OPEN: Final = 300.0
# Proxies close streams on which nothing is sent.
_SECONDS_BETWEEN_SIGNS: Final = 15.0
_SIGN: Final = ": waiting for an answer\n\n"
_MOST_OPEN: Final = 100
_FORM: Final = "form"
_ADDRESS: Final = "url"


def session_id(capabilities: object) -> str:
    """An id that says how a client with these capabilities can be asked; empty if it cannot be."""
    declared = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    if not isinstance(declared, dict):
        return ""
    kinds = [kind for kind in (_FORM, _ADDRESS) if kind in declared] or [_FORM]
    return ".".join((secrets.token_urlsafe(18), *kinds))


def elicitation_of(session: str) -> Json | None:
    """How the client can be asked that was given this session id. A false id deceives nobody but its own user."""
    _, *kinds = session.split(".")
    return {kind: {} for kind in (_FORM, _ADDRESS) if kind in kinds} or None


@dataclass(frozen=True, slots=True)
class Question:
    """A question on its way, and whose answer it waits for."""

    id: str
    caller: Caller
    answer: asyncio.Future[Json | None]


@dataclass(frozen=True, slots=True)
class Questions:
    """Those of this process that wait for an answer."""

    seconds_open: float = SECONDS_OPEN
    seconds_between_signs: float = _SECONDS_BETWEEN_SIGNS
    _open: dict[str, Question] = field(default_factory=dict)

    @property
    def has_room(self) -> bool:
        return len(self._open) < _MOST_OPEN

    @contextmanager
    def asked(self, caller: Caller) -> Iterator[Question]:
        future: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()
        question = Question(secrets.token_urlsafe(18), caller, future)
        self._open[question.id] = question
        try:
            yield question
        finally:
            del self._open[question.id]

    def answered(self, caller: Caller, body: bytes) -> bool:
        """Whether the body answers a question to this caller, which goes on with that."""
        message = _message(body) if self._open else {}
        question = self._open.get(str(message.get("id")))
        if question is None or "method" in message or question.caller.principal != caller.principal:
            return False
        if not question.answer.done():
            question.answer.set_result(_result(message.get("result")))
        return True


@dataclass(frozen=True, slots=True)
class Conversation:
    """How the caller of one call can be asked while it is under way."""

    elicitation: Json
    stream: AnswerStream
    headers: Mapping[str, str]
    questions: Questions
    caller: Caller

    async def ask(self, request: Json) -> Json | None:
        """What the user answers; nothing if they do not, or their client cannot ask them after all."""
        with self.questions.asked(self.caller) as question:
            try:
                await self._open()
                await self.stream.send(_event(question.id, request))
                return await self._answer(question)
            except ConnectionError:
                return None

    async def _open(self) -> None:
        if not self.stream.is_open:
            await self.stream.open(self.headers)

    async def _answer(self, question: Question) -> Json | None:
        pause = self.questions.seconds_between_signs
        for _ in range(round(self.questions.seconds_open / pause)):
            done, _ = await asyncio.wait([question.answer], timeout=pause)
            if done:
                return question.answer.result()
            await self.stream.send(_SIGN)
        return None


def _event(question: str, request: Json) -> str:
    params = request["params"]
    if params["mode"] == _ADDRESS:
        params = {**params, "elicitationId": question}
    document = {"jsonrpc": "2.0", "id": question, "method": request["method"], "params": params}
    return f"event: message\ndata: {json.dumps(document)}\n\n"


def _message(body: bytes) -> Mapping[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _result(document: object) -> Json | None:
    return document if isinstance(document, dict) and is_answer(document, ELICIT) else None
