"""What is taken of a server's messages: the last that is allowed passes, and the first that is not is refused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from extensions.entry import Entry
from extensions.extension import Extension
from extensions.personal import ShownToPersons
from extensions.pins import Pins
from extensions.remote_content import OfExtension
from extensions.tools import proxied
from extensions.upstream.circuit import Circuit
from extensions.upstream.failures import ServerUnreachableError, quoted
from extensions.upstream.json_reading import read
from extensions.upstream.question import Json, ServerRequest
from extensions.upstream.upstream import Era, UpstreamServer
from identity.caller import Caller, CallerKind
from refusal import Refusal
from tests.fakes.extensions.peer import THEN, tool

ADA = Caller(CallerKind.USER, "tenant", "ada")
ENTRY = Entry(name="stage", description="Props.", url="https://stage.example.com/mcp")


@dataclass
class Server:
    """Answers each request for its tools with the next page."""

    pages: list[Json]
    errors: str = ""
    may_ask: bool = False
    asked: list[ServerRequest] = field(default_factory=list)

    async def ask(self, question: ServerRequest, *, seconds: float) -> Json:
        self.asked.append(question)
        return self.pages[len(self.asked) - 1]


Serve = Callable[..., Extension]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Serve:
    def served(*pages: Json, **about: Any) -> Extension:
        monkeypatch.setattr("extensions.extension.upstream_at", lambda *_, **__: Server([*pages], **about))
        return Extension(ENTRY)

    return served


def page(*names: object, **more: Any) -> Json:
    return {"tools": [{"name": name} for name in names], **more}


def numbered(count: int) -> list[str]:
    return [f"t{number}" for number in range(count)]


@pytest.mark.parametrize(
    ("pages", "listed"),
    [
        ([page("a" * 128, "a" * 129, "", 7, "b\u202e", None)], ["a" * 128]),
        ([page("a", nextCursor="1"), page("b", "a")], ["a", "b"]),
        ([page("a", nextCursor="")], ["a"]),
        ([page("a", nextCursor=7)], ["a"]),
        ([{"tools": [None, 7, {"name": "a"}]}], ["a"]),
        ([{"tools": {"name": "a"}}], []),
        ([page(*numbered(500))], numbered(500)),
        ([*[page("a", nextCursor="more")] * 19, page("b")], ["a", "b"]),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_tools_are_listed_once_from_up_to_20_pages(serve: Serve, pages: list[Json], listed: list[str]) -> None:
    extension = serve(*pages)
    assert [said["name"] for said in await extension.listed()] == listed
    asked = extension.upstream.asked  # type: ignore[attr-defined]  # a fake
    assert [question.params for question in asked] == [
        {},
        *({"cursor": said["nextCursor"]} for said in pages[: len(asked) - 1]),
    ]


@pytest.mark.parametrize(
    ("pages", "told"),
    [
        ([page(*numbered(501))], "offers more than 500 tools"),
        ([page(*numbered(300), nextCursor="1"), page(*(f"u{n}" for n in range(201)))], "offers more than 500 tools"),
        ([page("a", nextCursor="more")] * 21, "lists its tools on more than 20 pages"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_longer_lists_are_refused(serve: Serve, pages: list[Json], told: str) -> None:
    with pytest.raises(ServerUnreachableError, match=told):
        await serve(*pages).listed()


@pytest.mark.parametrize(
    ("ttl", "seconds"),
    [
        (None, 60),
        (0, 60),
        (60_000, 60),
        (61_000.0, 61),
        (3_600_000, 3600),
        (3_601_000, 3600),
        (-1, 60),
        (True, 60),
        ("1e9", 60),
        (float("nan"), 60),
        (float("inf"), 3600),
        (10**400, 3600),
    ],
    ids=lambda value: str(value)[:10],
)
async def test_a_list_of_tools_is_current_for_a_minute_to_an_hour(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, ttl: object, seconds: float
) -> None:
    now = [1000.0]
    monkeypatch.setattr("extensions.extension.time", SimpleNamespace(monotonic=lambda: now[0]))
    extension = serve(page("a", ttlMs=ttl))
    assert not extension.is_listed
    await extension.listed()
    now[0] += seconds - 0.5
    assert extension.is_listed
    now[0] += 0.5
    assert not extension.is_listed


@pytest.mark.parametrize(("errors", "shown"), [("e" * 4000, "e" * 4000), ("e" * 4001, f"{'e' * 4000} …")])
def test_operators_see_up_to_4000_characters_of_errors(serve: Serve, errors: str, shown: str) -> None:
    extension = serve(errors=errors)
    assert (extension.is_used, extension.errors) == (False, "")
    assert extension.upstream.errors == errors
    assert (extension.is_used, extension.errors) == (True, shown)


async def test_tools_shown_to_a_user_are_compared_again_after_ten_minutes_or_an_approval(serve: Serve) -> None:
    extension, shown = serve(*[page("a"), page("b"), page("c")]), ShownToPersons()
    pins = Pins({"a": {"name": "a"}}, "1")
    for now, version, new in (
        (0, "1", ()),
        (600, "1", ()),
        (600.5, "1", ("b",)),
        (601, "2", ("c",)),
        (602, "2", ("c",)),
    ):
        compared = await shown.compared(extension, replace(pins, version=version), ADA, now)
        assert compared.new == new


async def test_the_tools_shown_to_the_last_500_users_are_kept(serve: Serve) -> None:
    extension, shown = serve(*[page("a")] * 502), ShownToPersons()
    users = [replace(ADA, subject=str(number)) for number in range(501)]
    for user in [*users, users[1], users[500], users[0]]:
        await shown.compared(extension, Pins(), user, 0.0)
    assert len(extension.upstream.asked) == 502  # type: ignore[attr-defined]  # a fake


def test_a_call_may_take_five_seconds_longer_than_its_extension() -> None:
    """The sign-in takes time, too, and so does telling that the time is up."""

    async def never(*_: Any) -> Json:
        raise AssertionError

    entry = replace(ENTRY, seconds=30.0)
    (made,) = filter(None, [proxied(entry, tool("echo"), never)])
    offered = OfExtension(Extension(entry))
    assert [one.seconds for one in (made, offered.reading, offered.getting, offered.completing)] == [35.0] * 4


@dataclass
class Channel:
    """A connection in memory. `says` returns the messages that answer a request."""

    says: Callable[[Mapping[str, Any]], list[Json]]
    who: str = "The peer"
    tells_when_left: bool = False
    errors: str = ""
    sent_messages: list[Mapping[str, Any]] = field(default_factory=list)
    may_reply: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def sent(self, message: Mapping[str, Any], headers: Mapping[str, str]) -> AsyncIterator[Any]:
        self.sent_messages.append({**message, "headers": dict(headers)})
        if "method" not in message:
            await self.may_reply.wait()
        yield SimpleNamespace(session=f"s{len(self.sent_messages)}", messages=lambda: self._messages(message))

    async def _messages(self, message: Mapping[str, Any]) -> AsyncIterator[Json]:
        for said in self.says(message):
            yield said

    async def close(self) -> None:
        self.may_reply.set()

    def count(self, method: str) -> int:
        return sum(message.get("method") == method for message in self.sent_messages)


def result(message: Mapping[str, Any], **said: Any) -> Json:
    return {"jsonrpc": "2.0", "id": message["id"], "result": said}


def call(**more: Any) -> ServerRequest:
    return ServerRequest(method="tools/call", params={"name": "echo"}, **more)


async def test_the_sessions_of_the_last_64_callers_are_kept() -> None:
    channel = Channel(lambda message: [result(message, protocolVersion=THEN)])
    upstream = UpstreamServer(channel, Circuit("The peer"), Era.HANDSHAKE)
    callers = [{"Authorization": str(number)} for number in range(65)]
    for headers in [*callers[:64], callers[0], callers[64]]:
        await upstream.ask(call(headers=headers), seconds=5)
    assert channel.count("initialize") == 65
    for headers, opened in ((callers[0], 65), (callers[2], 65), (callers[1], 66)):
        await upstream.ask(call(headers=headers), seconds=5)
        assert channel.count("initialize") == opened
    await upstream.close()


@pytest.mark.parametrize(("questions", "is_answered"), [(32, True), (33, False)])
async def test_up_to_32_questions_are_declined_at_a_time(questions: int, *, is_answered: bool) -> None:
    asked = [{"jsonrpc": "2.0", "id": number, "method": "roots/list"} for number in range(questions)]
    channel = Channel(lambda message: [*asked, result(message)])
    upstream = UpstreamServer(channel, Circuit("The peer"), Era.CURRENT)
    if is_answered:
        assert await upstream.ask(call(), seconds=5) == {}
        channel.may_reply.set()
        await asyncio.sleep(0)
        declined = [message for message in channel.sent_messages if "error" in message]
        assert [message["id"] for message in declined] == list(range(32))
    else:
        with pytest.raises(ServerUnreachableError, match="asks too many questions"):
            await upstream.ask(call(), seconds=5)
    await upstream.close()


async def test_questions_that_were_declined_do_not_count() -> None:
    asked = [{"jsonrpc": "2.0", "id": number, "method": "roots/list"} for number in range(20)]
    channel = Channel(lambda message: [*asked, result(message)])
    channel.may_reply.set()
    upstream = UpstreamServer(channel, Circuit("The peer"), Era.CURRENT)
    for _ in range(3):
        assert await upstream.ask(call(), seconds=5) == {}
        for _ in range(5):
            await asyncio.sleep(0)
    await upstream.close()


async def test_a_ping_is_answered() -> None:
    channel = Channel(lambda message: [{"jsonrpc": "2.0", "id": 7, "method": "ping"}, result(message)])
    upstream = UpstreamServer(channel, Circuit("The peer"), Era.CURRENT)
    await upstream.ask(call(), seconds=5)
    await asyncio.sleep(0)
    assert channel.sent_messages[-1] == {"jsonrpc": "2.0", "id": 7, "result": {}, "headers": {}}
    await upstream.close()


@pytest.mark.parametrize(
    ("era", "versions", "detected"),
    [
        (None, ["2026-07-28"], 2),
        (None, [THEN], 1),
        (Era.CURRENT, ["2026-07-28"], 0),
    ],
)
async def test_a_server_that_changes_its_version_is_asked_for_it_again(
    era: Era | None, versions: list[str], detected: int
) -> None:
    def say(message: Mapping[str, Any]) -> list[Json]:
        if message["method"] == "server/discover":
            return [result(message, supportedVersions=versions)]
        if message["method"] == "initialize":
            return [result(message, protocolVersion=THEN)]
        return [{"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32022, "message": "Another version."}}]

    channel = Channel(say)
    upstream = UpstreamServer(channel, Circuit("The peer"), era)
    for _ in range(2):
        with pytest.raises(Refusal, match="Another version"):
            await upstream.ask(call(), seconds=5)
    assert channel.count("server/discover") == detected
    await upstream.close()


@pytest.mark.parametrize(("version", "is_supported"), [(THEN, True), ("2020-01-01", False), (None, False)])
async def test_a_session_has_a_supported_version(version: object, *, is_supported: bool) -> None:
    channel = Channel(lambda message: [result(message, protocolVersion=version)])
    upstream = UpstreamServer(channel, Circuit("The peer"), Era.HANDSHAKE)
    if is_supported:
        await upstream.ask(call(headers={"a": "b"}), seconds=5)
        about = {"a": "b", "Mcp-Session-Id": "s1", "mcp-protocol-version": THEN}
        assert [message["headers"] for message in channel.sent_messages] == [{"a": "b"}, about, about]
    else:
        with pytest.raises(ServerUnreachableError, match="unsupported protocol version"):
            await upstream.ask(call(), seconds=5)
    await upstream.close()


@pytest.mark.parametrize(("levels", "is_read"), [(200, True), (201, False)])
def test_json_is_read_up_to_200_levels_deep(levels: int, *, is_read: bool) -> None:
    text = "[" * levels + "]" * levels
    if is_read:
        assert read(text.encode()) == json.loads(text)
    else:
        with pytest.raises(ValueError, match="nested too deeply"):
            read(text.encode())


def test_up_to_2000_characters_of_an_error_are_quoted() -> None:
    assert quoted("x" * 2000) == repr("x" * 2000)
    assert quoted("x" * 2001) == repr(f"{'x' * 2000} …")
    assert quoted(None) == quoted(7) == "''"
    assert quoted(tool("a")["description"]) == "'Does a.'"
