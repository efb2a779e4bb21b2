"""Toolsets of extensions, of which one that conflicts with others does not keep the others from being offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from extensions.entry import Entry
from extensions.offering import Offering
from mcp_server.declarations.toolset import Toolset
from refusal import Refusal

TOOL: dict[str, Any] = {"name": "echo", "inputSchema": {"type": "object"}}


class Catalog:
    """Refuses the toolsets with these names, as a catalog does when names of tools could be mistaken for others."""

    def __init__(self, *refused: str) -> None:
        self.refused = refused
        self.offered: list[str] = []
        self.replaced = 0

    def replace(self, toolsets: Sequence[Toolset], _awaited: Mapping[str, str]) -> None:
        self.replaced += 1
        if names := [toolset.name for toolset in toolsets if toolset.name in self.refused]:
            raise Refusal(f"{names[0]} conflicts.")
        self.offered = [toolset.name for toolset in toolsets]


def offers(*names: str, tools: tuple[dict[str, Any], ...] = (TOOL,)) -> dict[str, Any]:
    return {name: (SimpleNamespace(entry=Entry(name=name, description="Docs.")), tools) for name in names}


async def never(*_: Any) -> Any:
    pytest.fail("No tool is called.")


@pytest.mark.parametrize(
    ("refused", "offered"),
    [
        ((), ["one", "two", "three"]),
        (("one",), ["two", "three"]),
        (("two",), ["one", "three"]),
        (("three",), ["one", "two"]),
        (("one", "two", "three"), []),
    ],
)
def test_only_a_toolset_that_conflicts_is_left_out(refused: tuple[str, ...], offered: list[str]) -> None:
    catalog = Catalog(*refused)
    left_out = Offering(catalog.replace, never).offer(offers("one", "two", "three"), {})
    assert left_out == {name: f"{name} conflicts." for name in refused}
    assert catalog.offered == offered


def test_toolsets_are_built_again_only_if_something_changed() -> None:
    catalog = Catalog()
    offering = Offering(catalog.replace, never)
    first = offers("one")
    for given, awaited, replaced in ((first, {}, 1), (first, {}, 1), (first, {"two": "starts"}, 2), (offers(), {}, 3)):
        assert offering.offer(given, awaited) == {}
        assert catalog.replaced == replaced


def test_the_first_of_several_tools_with_similar_names_is_offered() -> None:
    made: list[Toolset] = []
    tools = tuple({**TOOL, "name": name} for name in ("get_it", "get-it", "GET.IT", "other"))
    Offering(lambda toolsets, _: made.extend(toolsets), never).offer(offers("one", tools=tools), {})
    assert [tool.name for tool in made[0].tools] == ["one_get_it", "one_other"]
