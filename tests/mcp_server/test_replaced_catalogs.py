"""Toolsets come and go while the server runs, and a request sees one catalog from its start to its end."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from pydantic import Field

from changes.approvals import Approvals
from changes.rules import Rules
from identity.access import Access
from identity.door import OPEN_DOOR, Door
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.catalog.narrowing import Offer
from mcp_server.declarations.toolset import Part, Toolset
from refusal import Refusal
from tests.mcp_server import office
from tests.mcp_server.caller import Caller, Era, message
from tests.mcp_server.endpoints import approving, endpoint_of
from tests.mcp_server.machine import Machine
from tests.mcp_server.sign_in_by_header import office_door

OWN = [toolset.name for toolset in office.TOOLSETS]
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string", "description": "Where"}}}
ROUTED: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}}


async def answer(meant: dict[str, Any]) -> str:
    return f"sun in {meant.get('city', 'town')}"


def weather(*names: str, toolset: str = "weather", **marks: Any) -> Toolset:
    given: dict[str, Any] = {"access": Access.READ, "schema": SCHEMA} | marks
    made = [Machine(name=name, toolset=toolset, title=name, action=answer, **given) for name in names]
    return Toolset(toolset, "Tell the weather.", own=Part(tools=[*made]))


@dataclass
class Place:
    door: Door = OPEN_DOOR
    offer: Offer = field(default_factory=Offer)
    who: str = ""
    approvals: Approvals = field(default_factory=approving)

    def __post_init__(self) -> None:
        self.catalogs = Catalogs(Catalog(office.TOOLSETS, office.SURFACE), [*OWN, "garage-cars"], self.offer)
        self.endpoint = endpoint_of(self.catalogs, self.door, approvals=self.approvals)

    def caller(self, toolsets: str | None = None, era: Era = "2026-07-28", **headers: str) -> Caller:
        return Caller(self.endpoint, toolsets, headers | ({"x-who": self.who} if self.who else {}), era)


async def test_a_toolset_appears_and_goes_without_a_restart(era: Era) -> None:
    place = Place()
    everything = place.caller("all", era)
    before = await everything.tool_names()
    assert "'weather'" in (await place.caller("weather", era).error("tools/list"))["message"]
    place.catalogs.replace([weather("forecast")])
    assert await everything.tool_names() == [*before, "forecast"]
    assert await place.caller("weather", era).tool_names() == ["forecast"]
    assert (await everything.call("forecast", city="Bern"))["structuredContent"] == {"made": "sun in Bern"}
    found = await place.caller(era=era).call("azure", intent="weather")
    assert found["structuredContent"]["matches"][0]["tool"] == "weather"
    place.catalogs.replace([weather("radar")])
    assert await everything.tool_names() == [*before, "radar"]
    place.catalogs.replace([])
    assert await everything.tool_names() == before
    assert (await everything.error("tools/call", {"name": "radar", "arguments": {}}))["code"] == -32602


async def test_a_tool_that_is_called_as_one_in_code_is_told_apart_as_soon_as_it_comes() -> None:
    place = Place()
    place.catalogs.replace([weather("what_time")])
    assert (await place.caller("all").tool_names())[-2:] == ["clock_what_time", "weather_what_time"]
    assert await place.caller("clock").tool_names() == ["what_time"]


async def test_no_name_brings_a_tool_from_outside_to_the_surface() -> None:
    place = Place()
    place.catalogs.replace([weather("find_notes")])
    assert await place.caller().tool_names() == ["find_notes", "azure", "azure_change"]
    notes = await place.caller().call("find_notes", words="tea", limit=1)
    assert notes["structuredContent"] == {"result": [{"id": 0, "text": "tea"}]}


async def test_a_request_sees_the_catalog_that_it_began_with_to_its_end() -> None:
    began, go_on = asyncio.Event(), asyncio.Event()
    slow = Toolset("slow", "Take time.")

    @slow.tool(Access.READ)
    async def wait_long(word: Annotated[str, Field(description="What to say")]) -> str:
        """Wait until told to go on."""
        began.set()
        await go_on.wait()
        return word

    place = Place()
    place.catalogs.replace([slow])
    under_way = asyncio.create_task(
        place.caller().call("azure", tool="slow", command="wait_long", parameters={"word": "x"})
    )
    await began.wait()
    place.catalogs.replace([weather("forecast")])
    assert "Tool 'slow' not found" in await place.caller().told("azure", tool="slow", learn=True)
    go_on.set()
    assert (await under_way)["content"][0]["text"] == "x"


async def test_headers_that_repeat_arguments_are_checked_against_the_catalog_of_the_request() -> None:
    place = Place()
    call = {"name": "forecast", "arguments": {"city": "Bern"}}
    wrong = message("tools/call", call, headers={"mcp-param-city": "Rome"})
    assert b"Unknown tool" in (await place.endpoint.handle(wrong, "all")).body
    place.catalogs.replace([weather("forecast", schema=ROUTED)])
    assert (await place.endpoint.handle(wrong, "all")).status == 400
    right = message("tools/call", call, headers={"mcp-param-city": "Bern"})
    assert b"sun in Bern" in (await place.endpoint.handle(right, "all")).body


async def test_what_goes_is_kept_by_nothing() -> None:
    place = Place()
    toolset = weather("forecast")
    gone = weakref.ref(toolset.tools[0])
    place.catalogs.replace([toolset])
    for caller in (place.caller("all"), place.caller("weather")):
        await caller.tool_names()
    await place.caller().call("azure", intent="forecast")
    place.catalogs.replace([])
    del toolset
    await place.caller("all").tool_names()
    gc.collect()
    assert gone() is None


ROLES = "roles: {All: {all: write}, Named: {weather: read}, Notes: {office: read}}"


@pytest.mark.parametrize(
    ("external", "role", "seen"),
    [
        ("external: [weather]", "All", {"forecast", "seed"}),
        ("external: [weather]", "Named", {"forecast"}),
        ("external: [weather]", "Notes", set()),
        ("external: [radio, weather]", "All", {"forecast", "seed"}),
    ],
)
async def test_grants_of_the_roles_file_hold_for_a_toolset_that_comes_later(
    external: str, role: str, seen: set[str]
) -> None:
    place = Place(office_door(f"{ROLES}\n{external}", OWN), who=f"eve {role}")
    await place.caller("office").send("tools/list")
    coming = Toolset(
        "weather", "Tell it.", own=Part(tools=[*weather("forecast").tools, *weather("seed", access=Access.WRITE).tools])
    )
    place.catalogs.replace([coming])
    sent = await place.caller("weather").send("tools/list")
    names = {tool["name"] for tool in json.loads(sent.body)["result"]["tools"]} if sent.status == 200 else set()
    assert names == seen


async def test_what_the_file_does_not_list_is_opened_by_nothing_in_it() -> None:
    place = Place(office_door("roles: {All: {all: destroy}}", OWN), who="eve All")
    place.catalogs.replace([weather("forecast")])
    assert "forecast" not in await place.caller("all").tool_names()
    answered = await place.caller("all").error("tools/call", {"name": "forecast", "arguments": {}})
    assert answered["message"].startswith("Unknown tool: 'forecast'.")


@pytest.mark.parametrize(
    ("toolset", "told"),
    [
        (weather("x", toolset="Weather"), "'Weather' is not available: its name is not a valid name: use lowercase"),
        (weather("x", toolset="all"), "its name is a reserved word"),
        (weather("x", toolset="azure"), "its name is a reserved word"),
        (weather("x", toolset="clock"), "its name is a built-in toolset"),
        (weather("x", toolset="office-x"), "would belong to the group 'office' of the built-in toolset 'office-notes'"),
        (weather("x", toolset="office"), "would belong to the group 'office' of the built-in toolset"),
        (weather("x", toolset="clock-eu"), "would belong to the group 'clock' of the built-in toolset 'clock'"),
        (weather("x", toolset="garage-x"), "would belong to the group 'garage' of the built-in toolset 'garage-cars'"),
        (
            Toolset("other", "Shadow.", own=Part(prompts=list(office.notes.prompts))),
            "More than one prompt is named 'tidy_desk'",
        ),
        (
            Toolset("other", "Shadow.", own=Part(resources=list(office.notes.resources[:1]))),
            "named 'desk://inventory'",
        ),
        (weather("azure"), "More than one tool is named 'azure'"),
        (weather("no spaces"), "'no spaces' is not a valid tool name"),
        (Toolset("other", "Stray.", own=Part(tools=[*weather("x").tools])), "its tool 'x' belongs to another toolset"),
    ],
)
async def test_a_toolset_that_breaks_a_rule_does_not_come_and_nothing_else_goes(toolset: Toolset, told: str) -> None:
    place = Place()
    place.catalogs.replace([weather("forecast", toolset="forecasts")])
    with pytest.raises(Refusal) as refused:
        place.catalogs.replace([toolset])
    assert told in str(refused.value)
    assert "forecast" in await place.caller("all").tool_names()


@pytest.mark.parametrize(
    ("offer", "left"),
    [
        (Offer(), ["forecast", "seed"]),
        (Offer(read_only=True), ["forecast"]),
        (Offer(denied=("weather_seed", "clock")), ["forecast"]),
        (Offer(denied=("forecast",)), ["seed"]),
        (Offer(denied=("weather",)), []),
        (Offer(chosen=("forecast",)), []),
        (Offer(chosen=("office", "clock")), []),
        (Offer(chosen=("clock", "weather")), ["forecast", "seed"]),
    ],
)
async def test_what_an_operator_narrows_is_narrowed_in_what_comes_later(offer: Offer, left: list[str]) -> None:
    place = Place(offer=offer)
    tools = [*weather("forecast").tools, *weather("seed", access=Access.DESTROY).tools]
    place.catalogs.replace([Toolset("weather", "Tell it.", own=Part(tools=tools))])
    names = await place.caller("all").tool_names()
    assert [name for name in names if name in ("forecast", "seed")] == left


async def test_consent_that_is_waived_for_a_toolset_from_outside_is_not_asked_for() -> None:
    for waived, text in (((), "unknown: the state of the service"), (("weather",), "sun in Bern")):
        place = Place(approvals=approving(rules=Rules(waived=waived)))
        place.catalogs.replace([weather("seed", access=Access.DESTROY)])
        assert text in (await place.caller("all").call("seed", city="Bern"))["content"][0]["text"]
