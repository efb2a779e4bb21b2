"""What retires of what somebody runs: the page asks the tool, of a fake Azure with what real retirements affect."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from browsing.browser import Session
from browsing.rendering import Frame
from browsing.visiting import Visiting
from browsing.ways_in import Anyone
from exploring.guests import Guest, ToolName
from exploring.here import HerePage
from identity.access import Access
from identity.caller import ANONYMOUS
from identity.grants import UNLIMITED, Grants
from identity.seals import Seals
from mcp_server.catalog.catalog import Catalog, Selection
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.http.plain import Message, Reply, ask
from mcp_server.http.reception import Reception
from tests.changes.bench import text_of
from tests.mcp_server.caller import Caller
from tests.tools.retirements.world import World, asking, plan
from tools.retirements import toolset

pytestmark = pytest.mark.anyio

TOOL: Final = ToolName("retirements", "what_retires_here")


def page_of(caller: Caller) -> HerePage:
    async def call(request: HttpRequest, tool: str, arguments: Any) -> Reply:
        return await ask(
            caller.endpoint, request, lambda: Message("tools/call", {"name": tool, "arguments": arguments})
        )

    seals = Seals(["k" * 32])
    return HerePage(TOOL, call, Visiting(Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS)), seals, lambda _: Anyone()))


async def visited(caller: Caller, query: str) -> str:
    return (await answer_to(caller, query)).body.decode()


async def shown(caller: Caller, query: str) -> str:
    return text_of(await answer_to(caller, query))


async def answer_to(caller: Caller, query: str) -> HttpAnswer:
    view = Catalog([toolset], ()).view(Selection(), UNLIMITED)
    guest = Guest(ANONYMOUS, view, Session.new(), {}, Frame())
    request = HttpRequest("GET", "/here", {"host": "localhost:7071", **caller.headers}, b"", query)
    return await page_of(caller).show(guest, request)


async def test_it_lists_what_is_affected_with_its_owner_and_what_to_do(tmp_path: Path) -> None:
    async with asking(World(tmp_path)) as caller:
        told = await shown(caller, "ask=now")
        answer = (await caller.call("what_retires_here", max_results=50))["structuredContent"]
        for item in answer["items"]:
            assert item["retires"] in told
            assert all(group["owner"] in told for group in item["affects"])
        assert f"{len(answer['items'])} retirements in" in told


async def test_planned_work_items_are_linked_with_their_state(tmp_path: Path) -> None:
    async with asking(World(tmp_path)) as caller:
        await plan(caller)
        page = await visited(caller, "ask=now")
    for number in range(1, 13):
        link = f'<a href="https://dev.azure.com/acme/_workitems/edit/{number}" rel="noreferrer">#{number}</a>'
        assert link in page
    assert page.count(">New<") == 12


async def test_what_was_not_read_is_told_with_the_reason(tmp_path: Path) -> None:
    only = Grants.of([("retirements", Access.READ), ("azure-updates", Access.READ), ("resource", Access.READ)])
    async with asking(World(tmp_path), grants=only) as caller:
        told = await shown(caller, "ask=now")
    assert "Your roles do not allow: Advisor, Service Health, Work items." in told


async def test_nothing_is_asked_before_somebody_says_so(tmp_path: Path) -> None:
    async with asking(World(tmp_path)) as caller:
        told = await shown(caller, "until=2027-01")
        assert ("Ask Azure now" in told, "retirements in" in told) == (True, False)


async def test_what_the_tool_refuses_is_told(tmp_path: Path) -> None:
    async with asking(World(tmp_path)) as caller:
        assert "named 'nowhere' found" in await shown(caller, "ask=now&scope=nowhere")
