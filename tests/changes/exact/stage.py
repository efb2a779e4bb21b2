"""The other side of a golden case that lasts: reads are answered as often as they come, and writes are noted.

What a case does not say is answered as in any other case of the same service, else as its service answers of nothing.
From a moment that a test names, something that is read has been changed by somebody else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.changes.exact.meddling import Json, Meddling
from tests.fakes.serving import serving_locally
from tests.tools.golden import Case, Sent, replied, text_of

Exchange = Mapping[str, Any]


@dataclass(frozen=True)
class Manners:
    """How a service behaves where no golden case says it."""

    # What the paths begin with that clients send.
    prefix: str
    # Whether a request only reads.
    reads: Callable[[Sent], bool]
    # What is answered of something that no case tells of.
    otherwise: Callable[[Sent, Case], Exchange]
    # Every exchange of the service, by its request.
    known: Mapping[str, Sequence[Exchange]]


@dataclass
class Stage:
    case: Case
    manners: Manners
    # New words of the caller, and those of the case in whose place they are.
    spelt: Mapping[str, str] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    refused: list[Sent] = field(default_factory=list)
    # What was last told of each thing that was read.
    told: dict[str, Exchange] = field(default_factory=dict)
    meddling: Meddling | None = None
    _from: int = 0

    def meddle(self, meddling: Meddling | None, moment: int = 0) -> None:
        """Let somebody else change something, so many requests from now."""
        self.meddling, self._from = meddling, len(self.sent) + moment

    def begin(self) -> None:
        self.sent, self.refused, self._from = [], [], 0

    @property
    def written(self) -> list[Sent]:
        """What was sent to change something, and was not refused."""
        return [one for one in self.sent if not self.manners.reads(one) and one not in self.refused]

    @property
    def first_write(self) -> int:
        """How many requests came before the first that changes something."""
        return next((number for number, one in enumerate(self.sent) if not self.manners.reads(one)), len(self.sent))

    def reads_of(self, line: str) -> list[int]:
        """Which requests before the first write read something."""
        return [number for number, one in enumerate(self.sent[: self.first_write]) if line_of(one) == line]

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        path = request.raw_path.partition("?")[0]
        sent = Sent(request.method, headers["host"], path, dict(request.query), headers, await request.read())
        meddling = self.meddling if len(self.sent) >= self._from else None
        self.sent.append(sent)
        exchange = self.exchange(sent)
        if not self.manners.reads(sent):
            return self._written(sent, exchange, meddling)
        self.told[line_of(sent)] = exchange
        return replied(meddling.changed(exchange) if meddling and meddling.line == line_of(sent) else exchange)

    def _written(self, sent: Sent, exchange: Exchange, meddling: Meddling | None) -> web.Response:
        if meddling is None or not meddling.is_noticed(sent, self.told.get(meddling.line, {})):
            return replied(exchange)
        self.refused.append(sent)
        error = {"code": "PreconditionFailed", "message": "It was changed."}
        return web.json_response({"error": error, "message": "It was changed.", "typeKey": "Changed"}, status=412)

    def exchange(self, sent: Sent) -> Exchange:
        line = self._as_in_the_case(sent.line).lower()
        own = [one for one in self.case.exchanges if one["request"].lower() == line]
        known = [] if self._is_made(line) else self.manners.known.get(line, ())
        query = {name: self._as_in_the_case(value) for name, value in sent.query.items() if name != "api-version"}
        exact = [one for one in (*own, *known) if text_of(one.get("query", {})) == query]
        if exact:
            return exact[0] if exact[0] in own else _filled(exact[0], known)
        if own:
            return max(own, key=_size)
        return _filled(max(known, key=_size), known) if known else self.manners.otherwise(sent, self.case)

    def _is_made(self, line: str) -> bool:
        """Whether the case makes what is read, so that it is not there yet."""
        making = [one["request"].lower() for one in self.case.exchanges if "if-match" not in one.get("headers", {})]
        return f"put {line.partition(' ')[2]}" in making

    def _as_in_the_case(self, text: str) -> str:
        for new, old in self.spelt.items():
            text = text.replace(new, old)
        return text

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        async with serving_locally(self.handle) as url:
            yield f"{url}{self.manners.prefix}"


def line_of(sent: Sent) -> str:
    """What is read: the same for the same."""
    return f"{sent.line} {sorted(sent.query.items())} {sent.content.decode(errors='replace')}"


def _size(exchange: Exchange) -> int:
    return len(str(exchange.get("reply")))


def _filled(exchange: Exchange, others: Sequence[Exchange]) -> Exchange:
    """An exchange whose record has whatever else is known of it."""
    return {**exchange, "reply": _with_more(exchange.get("reply"), [one.get("reply") for one in others])}


def _with_more(reply: Json, others: Sequence[Json]) -> Json:
    if not isinstance(reply, dict) or isinstance(reply.get("value"), list):
        return reply
    filled = deepcopy(reply)
    for other in others:
        for name, value in other.items() if isinstance(other, dict) else ():
            filled[name] = _with_more(filled[name], [value]) if name in filled else deepcopy(value)
    return filled
