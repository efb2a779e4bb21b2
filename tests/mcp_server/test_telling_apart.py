"""Names by which a call means one tool and no other, and what is found by a name or a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from identity.access import Access
from identity.caller import ANONYMOUS
from identity.grants import Grants
from mcp_server.catalog.guessing import called_so, fallbacks
from mcp_server.catalog.intent import Match
from mcp_server.catalog.narrowing import granted
from mcp_server.catalog.telling_apart import refuse_alike
from mcp_server.conversation import Questions
from mcp_server.declarations import remote_content
from mcp_server.declarations.toolset import Toolset
from mcp_server.view import View
from refusal import Refusal


def toolset(name: str, *tools: str, access: Access = Access.READ) -> Toolset:
    made = Toolset(name, f"The {name}.")
    for tool in tools:

        def command() -> str:
            """Tell something."""
            return "x"

        command.__name__ = tool
        made.tool(access)(command)
    return made


@pytest.mark.parametrize(
    "toolsets",
    [
        [toolset("garden", "plant_tree"), toolset("house", "open_door")],
        # Toolsets are named in a call, so their tools may have the same name.
        [toolset("garden", "open_door"), toolset("house", "open_door")],
    ],
)
def test_names_that_differ_are_taken(toolsets: Sequence[Toolset]) -> None:
    refuse_alike(toolsets)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("show my roses", ["list_plants"]),
        ("a rose of Jericho", ["list_plants"]),
        ("the fruit trees", ["list_plants"]),
        ("every gate", ["open_door"]),
        ("roses by the gate", ["list_plants", "open_door"]),
        ("fruit of the tree", []),
        ("rosemary", []),
    ],
)
def test_tools_that_read_what_the_words_mention_are_suggested(words: str, found: list[str]) -> None:
    fallbacks_of = {"list_plants": "rose,fruit tree", "open_door": "gates", "missing": "rose"}
    there = [toolset("garden", "list_plants"), toolset("house", "open_door")]
    view = SimpleNamespace(toolsets=there, vocabulary=SimpleNamespace(fallbacks=fallbacks_of))
    assert [tool.name for tool in fallbacks(words, cast("View", view))] == found


@pytest.mark.parametrize(
    ("toolsets", "said"),
    [
        ([toolset("garden", "a"), toolset("garden", "b")], "More than one toolset is named 'garden'"),
        ([toolset("my-garden", "a"), toolset("my_garden", "b")], "More than one toolset"),
        ([toolset("garden", "plant_tree", "plant_Tree")], "More than one tool of 'garden' is named"),
        ([toolset("garden", "azure")], "More than one tool is named 'azure'"),
        ([toolset("a", "b_c"), toolset("a_b", "c"), toolset("x", "b_c", "c")], "More than one tool is named"),
    ],
)
def test_names_that_could_mean_two_tools_are_refused(toolsets: Sequence[Toolset], said: str) -> None:
    with pytest.raises(Refusal, match=said):
        refuse_alike(toolsets)


@pytest.mark.parametrize("name", ["a" * 65, "open door", "öffnen", "a.b"])
def test_a_name_has_a_form_that_all_clients_take(name: str) -> None:
    refuse_alike([toolset("garden", "a" * 64)])
    with pytest.raises(Refusal, match="is not a valid tool name"):
        refuse_alike([toolset("garden", name)])


def test_two_resources_and_two_prompts_are_told_apart_by_address_and_name() -> None:
    def page() -> str:
        """A page."""
        return "x"

    garden, house = toolset("garden"), toolset("house")
    for one in (garden, house):
        one.resource("bakery://page", name="page")(page)
    with pytest.raises(Refusal, match="More than one resource is named 'bakery://page'"):
        refuse_alike([garden, house])
    garden, house = toolset("garden"), toolset("house")
    for one in (garden, house):
        one.prompt()(page)
    with pytest.raises(Refusal, match="More than one prompt is named 'page'"):
        refuse_alike([garden, house])


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("plant_tree", ["plant_tree"]),
        ("Plant Tree", ["plant_tree"]),
        ("plant-tree", ["plant_tree"]),
        ("old_tree", ["cut_old_tree", "cut_old_tree_down"]),
        ("tree", []),
        ("ld_tree", []),
        ("a tree that is old", []),
        ("", []),
    ],
)
def test_a_tool_is_found_by_its_name_or_by_whole_words_of_it(words: str, found: list[str]) -> None:
    garden = toolset("garden", "plant_tree", "cut_old_tree", "cut_old_tree_down")
    assert [tool.name for tool in called_so(words, [garden])] == found


@pytest.mark.parametrize(("access", "score", "is_sure"), [(Access.DESTROY, 0.6, True), (Access.DESTROY, 0.59, False)])
def test_what_destroys_has_to_match_better(access: Access, score: float, is_sure: bool) -> None:
    (read,) = toolset("garden", "look").tools
    destroying = replace(read, access=access)
    assert Match(destroying, score).is_sure == is_sure
    assert [Match(read, 0.4).is_sure, Match(read, 0.39).is_sure] == [True, False]


async def test_a_hundred_questions_are_open_at_a_time() -> None:
    questions = Questions()

    with ExitStack() as stack:
        for number in range(100):
            assert questions.has_room, number
            stack.enter_context(questions.asked(ANONYMOUS))
        assert not questions.has_room
    assert questions.has_room


def test_what_is_declared_stays_the_function_that_it_is() -> None:
    def page(name: str = "x") -> str:
        """A page."""
        return name

    made = Toolset("garden", "The garden.")
    declared = [
        made.tool(Access.READ)(page),
        made.prompt()(page),
        made.resource("bakery://page", name="page")(page),
        made.completion("page", "name")(page),  # type: ignore[arg-type]  # whatever it completes
    ]
    assert declared == [page] * 4
    (tool,) = made.tools
    assert (tool.qualified_name, tool.first_sentence, tool.own_words[0]) == ("garden_page", "A page.", "page")
    assert (dict(tool.chosen({})), tool.secrets({"name": "x"}), tool.shown({"name": "x"})) == ({}, {}, {"name": "x"})


def test_what_is_of_another_server_names_it() -> None:
    assert remote_content.address_in(remote_content.address_of("docs", "file://a:b")) == ("docs", "file://a:b")
    assert remote_content.address_in(remote_content.address_of("docs", "x").upper()) == ("docs", "X")
    assert remote_content.address_in("file://a:b") == ("", "")
    assert remote_content.name_in(remote_content.name_of("my-docs", "tell_it")) == ("my-docs", "tell_it")


def test_what_is_granted_of_a_toolset_stays_of_it() -> None:
    def page() -> str:
        """A page."""
        return "x"

    pages, garden = toolset("pages"), toolset("garden", "look", "look_closely")
    for one in (pages, garden):
        one.prompt()(page)
    unnamed = replace(garden, by_name_only=frozenset({"look_closely"}))

    def left(grants: Grants, *toolsets: Toolset) -> dict[str, tuple[list[str], int]]:
        found = granted(toolsets, grants)
        return {one.name: ([tool.name for tool in one.tools], len(one.prompts)) for one in found}

    both = Grants.of([("pages", Access.READ), ("garden", Access.READ)])
    assert left(both, pages, garden) == {"pages": ([], 1), "garden": (["look", "look_closely"], 1)}
    assert left(both, unnamed) == {"garden": (["look"], 1)}
    assert left(Grants.of([]), pages, garden) == {}
    # A single tool comes without the prompts of its toolset.
    one_tool = Grants.of([], [("garden", "look", Access.READ)])
    assert left(one_tool, pages, garden) == {"garden": (["look"], 0)}
    named = Grants.of([("garden", Access.READ)], [("garden", "look_closely", Access.READ)])
    assert left(named, unnamed) == {"garden": (["look", "look_closely"], 1)}
