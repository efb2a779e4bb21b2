"""Questions to a client during its call, for protocol versions with a handshake, in which an answer cannot ask.

The answer to the call becomes a stream that stays open. The server sends the question on the stream, and the client
answers with a separate request. This requires a host that streams answers and one process for both requests: the local
host. The session ID carries the capabilities that the client declared at initialization, so the server stores nothing.
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

# After this long without an answer, the server falls back to the page.
SECONDS_OPEN: Final = 300.0
# Keeps proxies from closing an idle stream.
_SECONDS_BETWEEN_SIGNS: Final = 15.0
_SIGN: Final = ": waiting for an answer\n\n"
_MOST_OPEN: Final = 100
_FORM: Final = "form"
_ADDRESS: Final = "url"


def session_id(capabilities: object) -> str:
    """A session ID that encodes how to ask a client with these capabilities; empty if it cannot be asked."""
    declared = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    if not isinstance(declared, dict):
        return ""
    kinds = [kind for kind in (_FORM, _ADDRESS) if kind in declared] or [_FORM]
    return ".".join((secrets.token_urlsafe(18), *kinds))


def elicitation_of(session: str) -> Json | None:
    """How to ask the client with this session ID. A forged ID affects only the user who sent it."""
    _, *kinds = session.split(".")
    return {kind: {} for kind in (_FORM, _ADDRESS) if kind in kinds} or None


@dataclass(frozen=True, slots=True)
class Question:
    """A pending question, and the caller whose answer it waits for."""

    id: str
    caller: Caller
    answer: asyncio.Future[Json | None]


@dataclass(frozen=True, slots=True)
class Questions:
    """The pending questions of this process."""

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
        """Whether the body answers a question to this caller; if so, the waiting call continues."""
        message = _message(body) if self._open else {}
        question = self._open.get(str(message.get("id")))
        if question is None or "method" in message or question.caller.principal != caller.principal:
            return False
        if not question.answer.done():
            question.answer.set_result(_result(message.get("result")))
        return True


@dataclass(frozen=True, slots=True)
class Conversation:
    """Asks the caller of one call questions while the call runs."""

    elicitation: Json
    stream: AnswerStream
    headers: Mapping[str, str]
    questions: Questions
    caller: Caller

    async def ask(self, request: Json) -> Json | None:
        """The user's answer; None if they do not answer, or if the client cannot ask them after all."""
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
