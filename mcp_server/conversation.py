"""Sends questions to a client during its call, in protocol versions with a handshake.

In these versions, a response cannot contain questions, so the server responds to the call with a stream and sends the
question in this stream. The client answers with a separate request. Questions during a call work only if the host can
stream responses, and if one process handles both the call and the answer, as on a laptop. The session ID contains the
client's capabilities, so the server does not store them.
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

# If the user has not answered after this many seconds, the server returns the URL of a page instead.
SECONDS_OPEN: Final = 300.0
# The interval between messages that keep proxies from closing the stream.
_SECONDS_BETWEEN_SIGNS: Final = 15.0
_SIGN: Final = ": waiting for an answer\n\n"
_MOST_OPEN: Final = 100
_FORM: Final = "form"
_ADDRESS: Final = "url"


def session_id(capabilities: object) -> str:
    """A session ID that contains the client's capabilities for questions. Empty if the client cannot be asked."""
    declared = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    if not isinstance(declared, dict):
        return ""
    kinds = [kind for kind in (_FORM, _ADDRESS) if kind in declared] or [_FORM]
    return ".".join((secrets.token_urlsafe(18), *kinds))


def elicitation_of(session: str) -> Json | None:
    """The client's capabilities for questions, which this session ID contains. None if the ID contains no capabilities.

    A forged ID can affect only the caller who sends it.
    """
    _, *kinds = session.split(".")
    return {kind: {} for kind in (_FORM, _ADDRESS) if kind in kinds} or None


@dataclass(frozen=True, slots=True)
class Question:
    """A question that waits for an answer, and the caller who was asked."""

    id: str
    caller: Caller
    answer: asyncio.Future[Json | None]


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions that this process has asked and that are still unanswered."""

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
        """Whether the body is the answer to a question that this caller was asked.

        An answer lets the waiting call continue.
        """
        message = _message(body) if self._open else {}
        question = self._open.get(str(message.get("id")))
        if question is None or "method" in message or question.caller.principal != caller.principal:
            return False
        if not question.answer.done():
            question.answer.set_result(_result(message.get("result")))
        return True


@dataclass(frozen=True, slots=True)
class Conversation:
    """Sends questions to the caller during a call."""

    elicitation: Json
    stream: AnswerStream
    headers: Mapping[str, str]
    questions: Questions
    caller: Caller

    async def ask(self, request: Json) -> Json | None:
        """Send a question and wait for the answer. None if the user does not answer or the client cannot be asked."""
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
