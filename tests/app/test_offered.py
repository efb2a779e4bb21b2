"""Whatever is configured: what is listed, learned, called and documented agree."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.build import App, build
from mcp_server.declarations.toolset import Access, Toolset
from mcp_server.visit import Context
from scripts import reference
from settings import PlaceSettings, Settings
from tests.mcp_server.caller import Caller
from tools.key import Key
from tools.provider import Provider, Supplies

LAPTOP = PlaceSettings(environment="Development")
NAMES = ("alpha", "beta", "gamma", "delta")


@dataclass(frozen=True)
class NoSettings:
    """A provider that is told by the test whether it is there."""


@asynccontextmanager
async def opened(_settings: NoSettings, _supplies: Supplies) -> AsyncIterator[str]:
    yield "open"


def provider_called(name: str, *, is_there: bool) -> Provider[Any, str]:
    lacking = "" if is_there else f"{name.upper()}_URL has to be set."
    return Provider(key=Key(name), settings=NoSettings, open=opened, lacks=lambda _, __: lacking)


def toolset_called(name: str, needs: Sequence[Provider[Any, str]]) -> Toolset:
    toolset = Toolset(name, f"Ask {name}.", needs=[one.key for one in needs])

    async def ask(context: Context) -> dict[str, int]:
        """Ask whether all is open."""
        return {"open": sum([await provider.key.of(context) == "open" for provider in needs])}

    ask.__name__ = f"ask_{name.replace('-', '_')}"
    toolset.tool(Access.READ)(ask)
    return toolset


@st.composite
def offices(draw: st.DrawFn) -> tuple[list[Provider[Any, str]], list[Toolset]]:
    there = draw(st.fixed_dictionaries({name: st.booleans() for name in NAMES}))
    providers = {name: provider_called(name, is_there=there[name]) for name in NAMES}
    # Some share a first word, as the toolsets of one service do.
    wanted = draw(st.dictionaries(st.sampled_from(["work-one", "work-two", "play", "rest-up"]), needed(), min_size=1))
    toolsets = [toolset_called(name, [providers[need] for need in needs]) for name, needs in wanted.items()]
    return [*providers.values()], [*toolsets, toolset_called("always", [])]


def needed() -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(NAMES), max_size=3, unique=True)


@settings(deadline=None)
@given(offices())
def test_what_is_listed_learned_called_and_documented_agree(
    office: tuple[list[Provider[Any, str]], list[Toolset]],
) -> None:
    providers, toolsets = office
    app = build(Settings(place=LAPTOP), toolsets=toolsets, providers=providers, surface=())
    asyncio.run(_agree(app, toolsets, providers))


async def _agree(app: App, toolsets: Sequence[Toolset], providers: Sequence[Provider[Any, str]]) -> None:
    lacking = {one.name: _lacking(one, providers) for one in toolsets}
    there = {name for name, words in lacking.items() if not any(words)}
    listed = await Caller(app.endpoint, "all").result("tools/list")
    names = {tool["name"] for tool in listed["tools"]}
    assert names == {tool.name for toolset in toolsets if toolset.name in there for tool in toolset.tools}
    await _learned(app, there, lacking)
    for toolset in toolsets:
        (tool,) = toolset.tools
        await _called(app, toolset, tool.name, sorted(filter(None, lacking[toolset.name])))
        assert f"## {tool.name}\n" in reference.toolset_page(toolset)
    await app.close()


async def _learned(app: App, there: set[str], lacking: dict[str, list[str]]) -> None:
    learned = (await Caller(app.endpoint).call("azure", learn=True))["structuredContent"]
    assert {entry["name"] for entry in learned["tools"]} == there
    told = learned.get("unavailable", {})
    assert len(set(told.values())) == len(told)
    by_name = {name: words for names, words in told.items() for name in names.split(", ")}
    for name in lacking.keys() - there:
        words = by_name.get(name) or by_name[name.partition("-")[0]]
        assert all(word in words for word in lacking[name])


async def _called(app: App, toolset: Toolset, tool: str, lacking: list[str]) -> None:
    caller = Caller(app.endpoint)
    if lacking:
        told = await caller.told("azure", tool=toolset.name, command=tool)
        assert all(words in told for words in lacking)
        return
    answer = await caller.call("azure", tool=toolset.name, command=tool, parameters={})
    assert answer["structuredContent"] == {"open": len(toolset.needs)}
    assert await Caller(app.endpoint, toolset.name).call(tool) == answer


def _lacking(toolset: Toolset, providers: Sequence[Provider[Any, str]]) -> list[str]:
    return [one.lacks(NoSettings(), Settings()) for one in providers if one.key in toolset.needs]
