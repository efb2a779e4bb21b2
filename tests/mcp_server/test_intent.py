"""What people say leads to the tool they mean."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field

from mcp_server.catalog.intent import best_matches
from mcp_server.declarations.toolset import Access, Toolset
from tools import TOOLSETS

garden = Toolset("garden", "Care for the garden.")


@garden.tool(Access.WRITE)
def plant_tree(
    update: Annotated[str, Field(description="What the address of the policy is")], branch: str = ""
) -> None:
    """Put a tree of the garden into the ground."""


@garden.tool(Access.WRITE)
def new_bed(size: Annotated[int, Field(description="How many boxes of soil")]) -> None:
    """Dig a bed of the garden."""


@garden.tool(Access.WRITE)
def prune(size: int) -> None:
    """Cut what grows over the bed of the garden."""


def found(words: str, *toolsets: Toolset) -> list[str]:
    return [match.tool.name for match in best_matches(words, toolsets, 5)]


@pytest.mark.parametrize(
    ("intent", "expected"),
    [
        ("what retires next year", "search_azure_updates"),
        ("AKS news", "search_azure_updates"),
        ("Azure services being deprecated", "search_azure_updates"),
        ("open a port for my team", "new_azure_firewall_rules"),
        ("whitelist an IP", "new_azure_firewall_rules"),
        ("allow traffic from 10.0.0.0/24", "new_azure_firewall_rules"),
        ("allow traffic from an address", "new_azure_firewall_rules"),
        ("are the updates fresh", "check_azure_updates_health"),
        ("sync now", "refresh_azure_updates"),
    ],
)
def test_an_intent_finds_the_tool_it_means(intent: str, expected: str) -> None:
    assert found(intent, *TOOLSETS)[0] == expected


@pytest.mark.parametrize("intent", ["what retires next year", "news"])
def test_a_word_that_one_tool_says_most_finds_it_although_its_toolset_says_it_of_all(intent: str) -> None:
    assert found(intent, TOOLSETS[0])[0] == "search_azure_updates"


@pytest.mark.parametrize("word", ["update", "updates", "address", "addresses", "policy", "policies", "branches"])
def test_singular_and_plural_find_the_same(word: str) -> None:
    assert found(word, garden) == ["plant_tree"]


@pytest.mark.parametrize("word", ["addres", "updat", "x", "a", "10", "be", "", " \n", "🌳", "the"])
def test_no_accident_finds_anything(word: str) -> None:
    assert found(word, garden) == []


def test_news_are_updates_and_not_what_is_new() -> None:
    assert found("news", garden) == ["plant_tree"]


def test_the_name_counts_most_and_a_parameter_least() -> None:
    assert found("bed", garden) == ["new_bed", "prune"]
    assert found("prune a branch", garden) == ["prune", "plant_tree"]


def test_a_word_that_all_tools_share_counts_nothing() -> None:
    assert found("garden", garden) == []
    assert found("garden tree", garden) == ["plant_tree"]


def test_a_tool_that_is_alone_is_found_by_every_word_of_it() -> None:
    alone = garden.narrowed(garden.tools[:1])
    assert found("care", alone) == found("tree", alone) == ["plant_tree"]
    assert found("sea", alone) == []


def test_among_equals_the_one_declared_first_comes_first() -> None:
    assert found("size", garden) == ["new_bed", "prune"]
    assert found("size", garden.narrowed(reversed(garden.tools))) == ["prune", "new_bed"]


def test_without_tools_nothing_is_found() -> None:
    assert found("anything") == []
