"""Prompts and resources of other servers, as callers of this one meet them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.build import App
from extensions.entry import Entry
from extensions.extension import Extension, Nobody
from extensions.remote_content import OfExtension
from extensions.sign_in.methods import OnBehalfOfUser
from identity.caller import ANONYMOUS, CallerKind
from identity.caller import Caller as Who
from identity.toolset_names import problem_of_external
from mcp_server.declarations.remote_content import Kind, address_in, address_of, name_in, name_of
from mcp_server.http.messages import HttpRequest
from mcp_server.http.rest_resources import answer_resources
from tests.extensions.place import app_at, entry_of, running
from tests.fakes.extensions.peer import NOW, THEN, Json, Peer, served
from tests.mcp_server.caller import ERAS, Caller, Era

OFFERED = "tools: {'*': read}\noffers: [resources, prompts]"
LISTED: dict[str, Json | str] = {
    "resources/list": {"resources": [{"uri": "prop://1", "name": "one", "mimeType": "text/plain", "size": 3}]},
    "resources/templates/list": {"resourceTemplates": [{"uriTemplate": "prop://{id}", "name": "any"}]},
    "prompts/list": {
        "prompts": [{"name": "set_up", "description": "Set it up.", "arguments": [{"name": "act", "required": True}]}]
    },
    "resources/read": {"contents": [{"uri": "prop://1", "text": "a lamp", "new": [1], "_meta": {"k": 1}}]},
    "prompts/get": {"messages": [{"role": "user", "content": {"type": "text", "text": "Set up act 2."}}]},
    "completion/complete": {"completion": {"values": ["1", "2"], "hasMore": False}},
}


@asynccontextmanager
async def stages(folder: Path, *peers: Peer, more: str = OFFERED, **how: Any) -> AsyncIterator[App]:
    names = ("stage", "stage-two")
    entries = "".join(entry_of(peer, more, name) for name, peer in zip(names, peers, strict=False))
    async with running(app_at(folder, entries, **how)) as app:
        yield app


def peer_with(era: str = NOW, **beside: Json | str) -> Peer:
    return Peer(era, beside=LISTED | {name.replace("__", "/"): said for name, said in beside.items()})


@pytest.mark.parametrize("peers_era", [NOW, THEN])
@pytest.mark.parametrize("era", ERAS)
async def test_they_are_listed_read_and_got_under_the_name_of_the_extension(
    tmp_path: Path, era: Era, peers_era: str
) -> None:
    peer = peer_with(peers_era)
    async with served(peer), stages(tmp_path, peer) as app:
        caller = Caller(app.endpoint, "stage", era=era)
        [resource] = (await caller.result("resources/list"))["resources"]
        about = {"uri": "x-stage:prop://1", "name": "stage: one", "mimeType": "text/plain", "size": 3}
        assert resource == about
        [template] = (await caller.result("resources/templates/list"))["resourceTemplates"]
        assert template["uriTemplate"] == "x-stage:prop://{id}"
        [prompt] = (await caller.result("prompts/list"))["prompts"]
        assert prompt["name"] == "stage_set_up"
        assert prompt["description"] == "From the server of 'stage': Set it up."
        assert prompt["arguments"] == [{"name": "act", "required": True}]
        [content] = (await caller.result("resources/read", {"uri": "x-stage:prop://1"}))["contents"]
        told = {"uri": "x-stage:prop://1", "text": "a lamp", "_meta": {"k": 1, "extension": {"new": [1]}}}
        assert content == told
        got = await caller.result("prompts/get", {"name": "stage_set_up", "arguments": {"act": "2"}})
        assert got["messages"] == [{"role": "user", "content": {"type": "text", "text": "Set up act 2."}}]
        assert "extension" not in got.get("_meta", {})
        asked = {"ref": {"type": "ref/prompt", "name": "stage_set_up"}, "argument": {"name": "act", "value": ""}}
        assert (await caller.result("completion/complete", asked))["completion"]["values"] == ["1", "2"]
    sent = {message["method"]: message.get("params", {}) for message in peer.heard if "method" in message}
    assert sent["resources/read"]["uri"] == "prop://1"
    assert (sent["prompts/get"]["name"], sent["prompts/get"]["arguments"]) == ("set_up", {"act": "2"})
    assert sent["completion/complete"]["ref"] == {"type": "ref/prompt", "name": "set_up"}


async def test_what_has_no_place_in_what_is_read_or_got_is_told_beside_it(tmp_path: Path) -> None:
    said: Json = {"role": "user", "content": {"type": "hologram", "depth": 3}, "new": 1}
    got: Json = {"messages": [said], "description": "Props.", "_meta": {"k": 1}, "new": [2]}
    read: Json = {"contents": [{"uri": "prop://1", "text": "a lamp"}], "_meta": {"extension": 1}, "new": {"a": None}}
    peer = peer_with(resources__read=read, prompts__get=got)
    async with served(peer), stages(tmp_path, peer) as app:
        caller = Caller(app.endpoint, "stage")
        through = await caller.result("prompts/get", {"name": "stage_set_up", "arguments": {"act": "2"}})
        assert json.loads(through["messages"][0]["content"]["text"]) == said["content"]
        rest = {"description": "Props.", "new": [2], "messages": {"0": said}}
        assert {name: through["_meta"][name] for name in ("k", "extension")} == {"k": 1, "extension": rest}
        through = await caller.result("resources/read", {"uri": "x-stage:prop://1"})
        assert through["_meta"]["extension"] == {"new": {"a": None}, "_meta": {"extension": 1}}


async def test_nothing_is_offered_that_the_entry_does_not(tmp_path: Path) -> None:
    peer = peer_with()
    async with served(peer), stages(tmp_path, peer, more="tools: {'*': read}\noffers: [prompts]") as app:
        caller = Caller(app.endpoint, "stage")
        assert not (await caller.result("resources/list"))["resources"]
        refused = await caller.error("resources/read", {"uri": "x-stage:prop://1"})
        assert "The extension 'stage' does not offer resources here" in refused["message"]
        asked = {"ref": {"type": "ref/resource", "uri": "x-stage:prop://{id}"}, "argument": {"name": "id", "value": ""}}
        assert "does not offer" in (await caller.error("completion/complete", asked))["message"]
    async with served(peer), stages(tmp_path, peer, more="tools: {'*': read}") as app:
        assert (
            "Unknown prompt" in (await Caller(app.endpoint).error("prompts/get", {"name": "stage_set_up"}))["message"]
        )
    assert not {"resources/list", "resources/read", "prompts/get", "completion/complete"} & set(peer.methods())


async def test_they_are_there_for_nobody_to_whom_the_extension_is_closed(tmp_path: Path) -> None:
    peer = peer_with()
    async with served(peer), stages(tmp_path, peer) as app:
        elsewhere = Caller(app.endpoint, "extensions")
        assert not (await elsewhere.result("resources/list"))["resources"]
        assert not (await elsewhere.result("prompts/list"))["prompts"]
        closed = await elsewhere.error("resources/read", {"uri": "x-stage:prop://1"})
        nowhere = await elsewhere.error("resources/read", {"uri": "x-other:prop://1"})
        assert closed["message"] == nowhere["message"]
    assert "resources/read" not in peer.methods()


async def test_a_server_that_is_away_does_not_break_the_lists_of_others(tmp_path: Path) -> None:
    good, bad = peer_with(), peer_with()
    async with served(good), served(bad), stages(tmp_path, good, bad) as app:
        caller = Caller(app.endpoint)
        bad.is_down = True
        for method, key in (("resources/list", "resources"), ("prompts/list", "prompts")):
            told = json.dumps((await caller.result(method))[key])
            assert "stage" in told
            assert "stage-two" not in told
        refused = await caller.error("resources/read", {"uri": "x-stage-two:prop://1"})
        assert "503" in refused["message"]


async def test_lists_are_asked_for_once_and_not_kept_as_ready_answers(tmp_path: Path) -> None:
    peer = peer_with()
    async with served(peer), stages(tmp_path, peer) as app:
        caller = Caller(app.endpoint, "stage")
        first = await caller.result("resources/list")
        assert first == await caller.result("resources/list")
        assert (first["ttlMs"], first["cacheScope"]) == (0, "private")
    assert peer.methods().count("resources/list") == 1


async def test_lists_of_a_server_with_a_sign_in_are_requested_for_each_user() -> None:
    class Signed(Nobody):
        async def headers(self, _peer: Entry, caller: Who) -> dict[str, str]:
            return {"Authorization": caller.subject}

    peer = peer_with()
    async with served(peer):
        extension = Extension(offering(peer, "prompts", sign_in=OnBehalfOfUser("x")), Signed())
        offered = OfExtension(extension)
        for subject in ("ada", "eve", "ada"):
            assert len(await offered.listed("prompts", Who(CallerKind.USER, "tenant", subject))) == 1
        assert await offered.listed("resources", ANONYMOUS) == ()
        await extension.close()
    assert [sent["authorization"] for sent in peer.headers] == ["ada", "ada", "eve", "ada"]


async def test_lists_are_requested_again_after_a_minute() -> None:
    peer, now = peer_with(), 0.0
    async with served(peer):
        extension = Extension(offering(peer, "prompts", "resources"))
        offered = OfExtension(extension, lambda: now)
        kinds: tuple[Kind, ...] = ("prompts", "prompts", "resources", "prompts", "prompts", "resources")
        for moment, kind in zip((0.5, 30, 31, 60, 60.5, 90), kinds, strict=True):
            now = moment
            assert len(await offered.listed(kind, ANONYMOUS)) == 1
        await extension.close()
    assert peer.methods() == ["server/discover", "prompts/list", "resources/list", "prompts/list"]


def offering(peer: Peer, *offers: str, **more: Any) -> Entry:
    return Entry(name="stage", description="Props.", url=peer.url, is_private=True, offers=frozenset(offers), **more)


ENDLESS: Json = {"resources": [{"uri": "prop://1", "name": "one"}], "nextCursor": "more"}
MANY: Json = {"resources": [{"uri": f"prop://{number}", "name": "n"} for number in range(2_000)], "nextCursor": "more"}
ODD: Json = {
    "resources": [
        7,
        {},
        {"uri": 7},
        {"uri": ""},
        {"uri": "prop://\n"},
        {"uri": "prop://\u202e1"},
        {"uri": "p" * 3_000},
        {"uri": "prop://1", "name": "\u202eone\x00", "size": -1, "description": "d" * 9_000, "mimeType": 7},
    ]
}


@pytest.mark.parametrize(
    ("said", "listed"), [(ENDLESS, 1), (MANY, 500), (ODD, 1), ({"resources": 7}, 0), ({}, 0), ("no", 0)]
)
async def test_what_a_server_lists_is_bounded_and_readable(tmp_path: Path, said: Json | str, listed: int) -> None:
    peer = peer_with(resources__list=said)
    async with served(peer), stages(tmp_path, peer) as app:
        found = (await Caller(app.endpoint, "stage").result("resources/list"))["resources"]
    assert len(found) == listed
    assert peer.methods().count("resources/list") == (20 if said is ENDLESS else 1)
    assert all(len(json.dumps(one)) < 1_500 for one in found)
    assert not {"\u202e", "\x00"} & set("".join(one["name"] for one in found))


SIZED: Json = {
    "resources": [{"uri": f"p:{n}", "size": size} for n, size in enumerate((0, 2**53 - 1, 2**53, -1, True, 1.5))]
}
LONG: Json = {
    "resources": [
        {"uri": "p" * 1950, "title": "t" * 200, "mimeType": ""},
        {"uri": "q" * 1951},
        {"uri": "r:" + "r" * 300},
    ],
}


async def test_a_resource_is_listed_with_a_valid_size_and_a_short_name(tmp_path: Path) -> None:
    peer = peer_with(resources__list=SIZED)
    async with served(peer), stages(tmp_path, peer) as app:
        found = (await Caller(app.endpoint, "stage").result("resources/list"))["resources"]
    assert [one.get("size") for one in found] == [0, 2**53 - 1, None, None, None, None]
    peer = peer_with(resources__list=LONG)
    async with served(peer), stages(tmp_path, peer) as app:
        found = (await Caller(app.endpoint, "stage").result("resources/list"))["resources"]
    assert found == [
        {"uri": f"x-stage:{'p' * 1950}", "name": f"stage: {'p' * 200}", "title": "t" * 200},
        {"uri": f"x-stage:r:{'r' * 300}", "name": f"stage: r:{'r' * 198}"},
    ]


async def test_a_prompt_is_listed_with_a_short_name_and_some_arguments(tmp_path: Path) -> None:
    names = [*("a" * length for length in (1, 128, 129, 0)), *(f"b{number}" for number in range(60))]
    arguments: list[Any] = [*({"name": name, "required": name == "a"} for name in names), 7]
    prompts = [{"name": "p" * 128, "title": "t" * 201, "arguments": arguments}, {"name": "p" * 129}, {"name": "q"}]
    peer = peer_with(prompts__list={"prompts": prompts})
    async with served(peer), stages(tmp_path, peer) as app:
        long, plain = (await Caller(app.endpoint, "stage").result("prompts/list"))["prompts"]
    assert long["title"] == f"stage: {'t' * 200} …"
    assert [one["name"] for one in long["arguments"]] == [*names[:2], *names[4:50]]
    assert [one["required"] for one in long["arguments"]] == [True] + [False] * 47
    assert plain == {"name": "stage_q", "title": "stage: q", "arguments": []}


@pytest.mark.parametrize(
    "said",
    [{}, {"contents": 7}, {"contents": [7]}, {"contents": [{"uri": "prop://1"}]}, {"contents": [{"text": 7}]}],
)
async def test_what_is_no_resource_is_refused(tmp_path: Path, said: Json) -> None:
    peer = peer_with(resources__read=said)
    async with served(peer), stages(tmp_path, peer) as app:
        refused = await Caller(app.endpoint, "stage").error("resources/read", {"uri": "x-stage:prop://1"})
    assert "answered with something other than a resource" in refused["message"]


@pytest.mark.parametrize("said", [{}, {"messages": [7]}, {"messages": [{"role": "system", "content": {}}]}])
async def test_what_is_no_prompt_is_refused(tmp_path: Path, said: Json) -> None:
    peer = peer_with(prompts__get=said)
    async with served(peer), stages(tmp_path, peer) as app:
        refused = await Caller(app.endpoint, "stage").error("prompts/get", {"name": "stage_set_up"})
    assert "answered with something other than a prompt" in refused["message"]


async def test_what_a_server_asks_in_the_middle_is_refused(tmp_path: Path) -> None:
    peer = peer_with(resources__read={"resultType": "input_required", "inputRequests": {}})
    async with served(peer), stages(tmp_path, peer) as app:
        refused = await Caller(app.endpoint, "stage").error("resources/read", {"uri": "x-stage:prop://1"})
    assert "asks the user a question" in refused["message"]


async def test_what_a_tool_links_to_can_be_read_here(tmp_path: Path) -> None:
    link, whole = {"uri": "prop://1", "name": "one"}, {"uri": "prop://1", "text": "a lamp"}
    content = [{"type": "resource_link", **link}, {"type": "resource", "resource": whole}]
    peer = peer_with()
    peer.result = {"content": content}
    async with served(peer), stages(tmp_path, peer) as app:
        _, first, second = (await Caller(app.endpoint, "stage").call("stage_echo", text="x"))["content"]
    assert first == {"type": "resource_link", "name": "one", "uri": "x-stage:prop://1"}
    assert second["resource"] == {"uri": "x-stage:prop://1", "text": "a lamp"}


async def test_a_server_without_tools_offers_what_it_has(tmp_path: Path) -> None:
    peer = peer_with()
    peer.tools = []
    async with served(peer), stages(tmp_path, peer) as app:
        assert (await Caller(app.endpoint, "stage").result("prompts/list"))["prompts"]


async def test_they_are_read_over_plain_http(tmp_path: Path) -> None:
    peer = peer_with()
    async with served(peer), stages(tmp_path, peer) as app:

        async def read(uri: str) -> tuple[int, bytes, str]:
            headers = {"host": "localhost:7071"}
            asked = HttpRequest("GET", "/resources", headers, b"", query=f"uri={quote(uri, safe='')}")
            answer = await answer_resources(app.endpoint, asked)
            return answer.status, answer.body, answer.headers["content-type"]

        assert await read("x-stage:prop://1") == (200, b"a lamp", "text/plain; charset=utf-8")
        peer.beside["resources/read"] = {"contents": [{"uri": "a:1", "text": "1"}, {"uri": "a:2", "blob": "aGk="}]}
        status, body, kind = await read("x-stage:prop://1")
        assert (status, kind) == (200, "application/json")
        assert [one["uri"] for one in json.loads(body)["contents"]] == ["x-stage:a:1", "x-stage:a:2"]
        peer.beside["resources/read"] = "no such prop"
        assert (await read("x-stage:prop://2"))[0] == 422


NAMES = st.from_regex(r"[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,5}){0,3}", fullmatch=True).filter(
    lambda name: not problem_of_external(name, ())
)


@given(extension=NAMES, theirs=st.text(min_size=1))
def test_names_and_addresses_lead_back_to_what_they_were_made_of(extension: str, theirs: str) -> None:
    assert name_in(name_of(extension, theirs)) == (extension, theirs)
    assert address_in(address_of(extension, theirs)) == (extension, theirs)
