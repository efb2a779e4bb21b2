"""Golden cases: the arguments of a tool, every request it then sends, how each is answered, and what it gives.

One file for each category. A case under the name of its tool:

    get_team_members:
      - arguments: {team: Crew}
        exchanges:
          - request: GET dev.azure.com/acme/_apis/projects/Web/teams/Crew/members
            query: {$top: 101}
            reply: {value: []}
        answer: {count: 0, items: []}

An exchange may also have `version` (the usual one of the service, if it has one), `body`, `content_type`
(application/json where there is a body), `accept` (application/json), `headers` (none but the usual), `status` (200),
`reply_headers` and `published` (true: the official specification has it). A `body` or `reply` of `!!binary` is bytes;
what depends on the time is `!any`.
`told` instead of `answer` is a part of the sentence with which the tool refuses. `ordered: false` is a case whose
requests go side by side. Keys that begin with `_` hold what several cases share; `_recorded` lists recordings of the
real service: the `tool` that each answers, its `arguments`, and which fields every entry or the one record `shows`.
`_background` lists exchanges that no case has, and that a preview of a change asks for.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import yaml
from aiohttp import web

from tests.fakes.serving import serving_locally

_USUAL: Final = frozenset(
    (
        "host accept accept-encoding authorization x-tfs-fedauthredirect user-agent content-length content-type"
        " connection traceparent tracestate x-ms-client-request-id x-ms-date"
    ).split()
)


class Anything:
    """Equals whatever there is."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__


class _Loader(yaml.CSafeLoader):
    """Reads what is described above."""


_Loader.add_constructor("!any", lambda _loader, _node: Anything())


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    tool: str
    arguments: dict[str, Any]
    exchanges: Sequence[dict[str, Any]]
    answer: dict[str, Any] | None
    told: str | None
    is_ordered: bool = True

    def told_apart(self, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Requests in the order in which they are compared."""
        return requests if self.is_ordered else sorted(requests, key=repr)


@dataclass(frozen=True, slots=True)
class Sent:
    """One request as it came over the wire, with its path as it was encoded."""

    method: str
    host: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes

    @property
    def line(self) -> str:
        return f"{self.method} {self.host}{unquote(self.path)}"

    @property
    def content_type(self) -> str | None:
        return self.headers.get("content-type", "").partition(";")[0] or None

    @property
    def body(self) -> Any:
        """JSON, or bytes, or nothing."""
        if not self.content:
            return None
        return json.loads(self.content) if "json" in str(self.content_type) else self.content

    @property
    def unusual_headers(self) -> dict[str, str]:
        return {name: value for name, value in self.headers.items() if name not in _USUAL}


@cache
def cases_in(folder: Path) -> Sequence[Case]:
    return [case for document in _documents(folder) for case in _cases(document)]


def recordings_in(folder: Path) -> list[dict[str, Any]]:
    return [recording for document in _documents(folder) for recording in document.get("_recorded", [])]


@cache
def background_in(folder: Path) -> Sequence[dict[str, Any]]:
    return [exchange for document in _documents(folder) for exchange in document.get("_background", [])]


@cache
def _documents(folder: Path) -> Sequence[dict[str, Any]]:
    return [yaml.load(path.read_text(encoding="utf-8"), _Loader) for path in sorted(folder.glob("*.yaml"))]  # noqa: S506 - the safe one, and a word


def _cases(document: Mapping[str, Any]) -> Iterator[Case]:
    for tool, entries in document.items():
        for number, entry in enumerate([] if tool.startswith("_") else entries, 1):
            name = f"{tool}-{number}"
            exchanges = entry.get("exchanges", [])
            outcome = entry.get("answer"), entry.get("told"), entry.get("ordered", True)
            yield Case(name, tool, entry.get("arguments", {}), exchanges, *outcome)


def expected(exchange: Mapping[str, Any], usual_version: str = "") -> dict[str, Any]:
    """The request of an exchange, as `seen` gives one that came."""
    body, version = exchange.get("body"), exchange.get("version", usual_version)
    return {
        "line": exchange["request"],
        "query": text_of(exchange.get("query", {})) | ({"api-version": version} if version else {}),
        "content_type": exchange.get("content_type", "application/json") if body is not None else None,
        "accept": exchange.get("accept", "application/json"),
        "headers": exchange.get("headers", {}),
        "body": body,
    }


def seen(sent: Sent) -> dict[str, Any]:
    return {
        "line": sent.line,
        "query": dict(sent.query),
        "content_type": sent.content_type,
        "accept": sent.headers.get("accept"),
        "headers": sent.unusual_headers,
        "body": sent.body,
    }


def text_of(query: Mapping[str, Any]) -> dict[str, str]:
    """A query as it is sent."""
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in query.items()}


@dataclass
class Scripted:
    """Plays the other side of one case after the other: it answers a request as the exchange that expects it says.

    With `by_turns`, it answers whatever comes by the exchanges in their order.
    """

    exchanges: list[Mapping[str, Any]] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    by_turns: bool = False
    # Which is in every path, and that of the service's interface, unless an exchange says otherwise.
    prefix: str = ""
    usual_version: str = ""

    # What was played so far, and what every change asks besides, which no case repeats.
    played: list[Mapping[str, Any]] = field(default_factory=list)
    checks: list[Sent] = field(default_factory=list)

    def play(self, case: Case, *, by_turns: bool = False) -> None:
        self.exchanges, self.sent, self.by_turns = list(case.exchanges), [], by_turns
        self.played, self.checks = [], []

    def checked(self, _sent: Sent) -> Mapping[str, Any] | None:
        """The answer to a request that every change makes beside those of its case, if this is one."""
        return None

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        path = request.raw_path.partition("?")[0]
        sent = Sent(request.method, headers["host"], path, dict(request.query), headers, await request.read())
        self.sent.append(sent)
        for exchange in self.exchanges:
            if self.by_turns or expected(exchange, self.usual_version) == seen(sent):
                self.exchanges.remove(exchange)
                self.played.append(exchange)
                return replied(exchange)
        if (check := self.checked(sent)) is not None:
            self.sent = [one for one in self.sent if one is not sent]
            self.checks.append(sent)
            return replied(check)
        return web.json_response({"message": "Nobody expected this request.", "typeKey": "Unexpected"}, status=400)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        async with serving_locally(self.handle) as url:
            yield f"{url}{self.prefix}"


def replied(exchange: Mapping[str, Any]) -> web.Response:
    """What an exchange is answered with."""
    reply, status, headers = exchange.get("reply"), exchange.get("status", 200), exchange.get("reply_headers", {})
    if isinstance(reply, bytes):
        return web.Response(body=reply, status=status, headers=headers)
    if isinstance(reply, str):
        return web.Response(text=reply, status=status, headers=headers)
    if reply is None:
        return web.Response(status=status, headers=headers)
    return web.json_response(reply, status=status, headers=headers)
