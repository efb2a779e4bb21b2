"""Whatever toolsets there are, and whatever they call their tools: all ways to reach one agree, and none widens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identity.access import Access
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.declarations.tool import FurtherName
from mcp_server.declarations.toolset import Part, Toolset
from mcp_server.http import rest
from mcp_server.http.messages import HttpAnswer
from tests.mcp_server.caller import Caller, post
from tests.mcp_server.endpoints import endpoint_of
from tests.mcp_server.machine import Machine
from tests.mcp_server.sign_in_by_header import office_door
from tests.sweeps import examples

OWN, EXTERNAL = ("anvil", "bell-low", "bell-high"), ("crane", "drum-old", "drum-new")
COMMANDS = ("deploy", "show", "up", "get-it")
LEVELS = {"none": 0, "read": Access.READ, "write": Access.WRITE}
SCHEMA = {"type": "object", "properties": {}}


@dataclass(frozen=True)
class Known:
    """A tool as this test knows it, without asking the catalog."""

    toolset: str
    name: str
    access: Access
    has_further: bool

    @property
    def further(self) -> set[str]:
        return {f"{self.toolset}-far-{self.name}"} if self.has_further else set()

    @property
    def qualified(self) -> str:
        return f"{self.toolset.replace('-', '_')}_{self.name}"

    @property
    def names(self) -> set[str]:
        return {self.name, self.qualified, *self.further}

    @property
    def says(self) -> str:
        return f"{self.toolset}/{self.name}"

    def made(self) -> Machine:
        async def say(_: dict[str, Any]) -> str:
            return self.says

        return Machine(
            name=self.name,
            toolset=self.toolset,
            access=self.access,
            title=self.name,
            schema=SCHEMA,
            action=say,
            says=f"Do what {self.toolset} does.",
            further_names=[FurtherName(name) for name in self.further],
        )


@st.composite
def tools(draw: st.DrawFn) -> list[Known]:
    there = draw(st.lists(st.sampled_from([*OWN, *EXTERNAL]), unique=True, min_size=1))
    access = st.sampled_from([Access.READ, Access.WRITE])
    return [
        Known(toolset, name, draw(access), draw(st.booleans()))
        for toolset in there
        for name in draw(st.lists(st.sampled_from(COMMANDS), unique=True, min_size=1))
    ]


grants = st.dictionaries(st.sampled_from(["all", *OWN, *EXTERNAL, "bell", "drum"]), st.sampled_from(list(LEVELS)))
NAMES = [
    *COMMANDS,
    *(f"{name}_deploy" for name in ("anvil", "bell_low", "crane")),
    "crane-far-show",
    "azure",
    "azure_change",
]
WAYS = {"azure", "azure_change"}


def opened(rules: dict[str, str], listed: Sequence[str], toolset: str) -> int:
    """How far a role of these rules opens a toolset: the most exact name that means it decides."""
    if toolset not in (*OWN, *listed):
        return 0
    exact = [name for name in (toolset, toolset.partition("-")[0], "all") if name in rules]
    return LEVELS[rules[exact[0]]] if exact else 0


def toolsets_of(known: Sequence[Known], names: Sequence[str]) -> list[Toolset]:
    grouped = {name: [tool.made() for tool in known if tool.toolset == name] for name in names}
    return [Toolset(name, f"Things of the {name}.", own=Part(tools=[*made])) for name, made in grouped.items() if made]


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@settings(max_examples=examples(60), deadline=None)
@given(
    known=tools(),
    rules=grants,
    listed=st.lists(st.sampled_from(EXTERNAL), unique=True),
    path=st.none() | st.lists(st.sampled_from(["all", *OWN, *EXTERNAL, "drum"]), min_size=1, max_size=3),
    chosen=st.none() | st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    read_only=st.booleans(),
)
def test_listed_learned_and_called_agree_over_all_catalogs_selections_and_grants(
    loop: asyncio.Runner,
    known: list[Known],
    rules: dict[str, str],
    listed: list[str],
    path: list[str] | None,
    chosen: list[str] | None,
    read_only: bool,
) -> None:
    rules = {name: level for name, level in rules.items() if name not in EXTERNAL or name in listed}
    rules = {name: level for name, level in rules.items() if name != "drum" or any("drum" in one for one in listed)}
    door = office_door(json.dumps({"external": listed, "roles": {"One": rules}}), OWN)
    catalogs = Catalogs(Catalog(toolsets_of(known, OWN), ["show"]), OWN)
    catalogs.replace(toolsets_of(known, EXTERNAL))
    headers = {"x-who": "eve One"} | ({"x-mcp-readonly": "true"} if read_only else {})
    headers |= {"x-mcp-tools": ",".join(chosen)} if chosen else {}
    caller = Caller(endpoint_of(catalogs, door), ",".join(path) if path else None, headers)
    granted = {tool for tool in known if opened(rules, listed, tool.toolset) >= tool.access}

    async def check() -> None:
        answers = [await caller.send("tools/list")]
        if answers[0].status == 200:
            answers += await _agree(caller, known, granted, chosen)
        answers.append(await Caller(caller.endpoint, "nonsense", headers).send("tools/list"))
        answers.append(await Caller(caller.endpoint, None, headers | {"x-mcp-tools": "zzz"}).send("tools/list"))
        hidden = {tool.toolset for tool in known} - {tool.toolset for tool in granted}
        _name_nothing_hidden(answers, hidden, [*(path or ()), *(chosen or ())])

    loop.run(check())


async def _agree(caller: Caller, known: list[Known], granted: set[Known], chosen: list[str] | None) -> list[HttpAnswer]:
    answer = await caller.send("tools/list")
    names = [tool["name"] for tool in json.loads(answer.body)["result"]["tools"]]
    assert len(names) == len(set(names))
    direct = {name: await _says(caller, name) for tool in known for name in tool.names}
    listed = {direct[name] for name in names if name not in WAYS}
    assert None not in listed
    assert {said for said in direct.values() if said} == listed
    learned = []
    through = {way: [tool for tool in known if await _says_through(caller, way, tool)] for way in WAYS & set(names)}
    assert all(tool.access is Access.READ for tool in through.get("azure", ())) or chosen == ["azure"] * len(
        chosen or ""
    )
    assert all(tool.access is not Access.READ for tool in through.get("azure_change", ()))
    reached = listed | {tool.says for tools in through.values() for tool in tools}
    if "azure" in names:
        learned = [await caller.send("tools/call", {"name": "azure", "arguments": {"learn": True}})]
        assert json.loads(learned[0].body)["result"].get("structuredContent"), learned[0].body
        assert reached == await _learned(caller)
    assert reached <= {tool.says for tool in granted}
    if chosen and not set(chosen) <= WAYS:
        assert reached <= {tool.says for tool in known if tool.names & set(chosen)}
    if caller.toolsets is None:
        executed = {name: await _executed(caller, name) for tool in known for name in tool.names}
        assert {said for said in executed.values() if said} == (listed if chosen else reached)
    else:
        within = caller.toolsets.split(",")
        assert reached <= {
            tool.says for tool in known if {"all", tool.toolset, tool.toolset.partition("-")[0]} & set(within)
        }
    return [answer, *learned]


async def _says(caller: Caller, name: str) -> str | None:
    return _said(await caller.send("tools/call", {"name": name, "arguments": {}}))


async def _says_through(caller: Caller, way: str, tool: Known) -> bool:
    said = {
        _said(
            await caller.send("tools/call", {"name": way, "arguments": {"tool": toolset, "command": name.swapcase()}})
        )
        for toolset in (tool.toolset, tool.toolset.replace("-", "_").upper())
        for name in (*tool.names, tool.name.replace("-", "_"))
    }
    (one,) = said  # whichever name and spelling
    assert one in (None, tool.says)
    return one is not None


def _said(answer: HttpAnswer) -> str | None:
    result = json.loads(answer.body).get("result") if answer.status == 200 else None
    return None if result is None or result["isError"] else result["structuredContent"]["made"]


async def _learned(caller: Caller) -> set[str]:
    found = set()
    for entry in (await caller.call("azure", learn=True))["structuredContent"]["tools"]:
        commands = (await caller.call("azure", learn=True, tool=entry["name"]))["structuredContent"]["commands"]
        found |= {f"{entry['name']}/{command['name']}" for command in commands}
    return found


async def _executed(caller: Caller, name: str) -> str | None:
    body = json.dumps({"tool": name, "arguments": {}}).encode()
    answer = await rest.execute(caller.endpoint, post(body, caller.headers))
    said: str | None = json.loads(answer.body)["result"]["made"] if answer.status == 200 else None
    return said


def _name_nothing_hidden(answers: Sequence[HttpAnswer], hidden: set[str], named: Sequence[str]) -> None:
    told = b"".join(answer.body for answer in answers)
    for name in named:  # what a caller names may be repeated as what is not there
        told = told.replace(f"'{name}'".encode(), b"")
    spellings = {spelling for toolset in hidden for spelling in (toolset, toolset.replace("-", "_"))}
    assert [spelling for spelling in spellings if spelling.encode() in told] == []
