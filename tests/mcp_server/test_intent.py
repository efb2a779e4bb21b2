"""What people say leads to the tool they mean, and what nobody here does leads to none."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from changes.preview import Preview
from identity.access import Access
from mcp_server.catalog.intent import Found, Index
from mcp_server.declarations.toolset import Toolset
from mcp_server.declarations.vocabulary import NO_WORDS
from tests.sweeps import share
from tools import TOOLSETS
from tools.vocabulary import VOCABULARY

SENTENCES = Path(__file__).parent.parent / "intents"
# All tests look at the same files, whose sentences are looked for once.
FILES = share(sorted(path.stem for path in SENTENCES.glob("*.yaml")), every=3)
# How many percent of the sentences of a file find their tool first, and among three.
WANTED = {
    "open": (90, 95),
    "more": (88, 94),
    "own": (93, 97),
    "second": (91, 96),
    "third": (87, 94),
    "fourth": (82, 92),
    "azure": (93, 97),
    "azure_again": (90, 94),
    "azure_second_half": (93, 97),
    "changes": (90, 95),
    "fresh_a": (75, 85),
    "fresh_b": (60, 70),
    "fresh_c": (80, 86),
}
TOOLS = {tool.name: tool for toolset in TOOLSETS for tool in toolset.tools}
ALL = Index(TOOLSETS, VOCABULARY)
garden = Toolset("garden", "Care for what grows.")


@garden.tool(Access.WRITE)
def plant_tree(
    update: Annotated[str, Field(description="What the address of the policy is")], branch: str = ""
) -> None:
    """Put an oak or another tree into the earth."""


@garden.tool(Access.WRITE)
def create_bed(size: int) -> None:
    """Dig a new bed."""


def _bed(bed: str) -> Preview:
    """What grows there."""
    return Preview(what=f"The bed {bed}")


@garden.tool(Access.DESTROY, previewed=_bed)
def delete_bed(bed: str) -> None:
    """Turn a bed into a lawn."""


@garden.tool(Access.READ)
def list_beds() -> None:
    """List the beds."""


def found(words: str) -> list[str]:
    """What is found of tools of which nothing was learned."""
    return [match.tool.name for match in Index([garden], NO_WORDS).best(words, 5)]


@cache
def of_all(say: str) -> Found:
    """What is found of all tools, once for all tests."""
    return ALL.found(say, 5)


def first_of(say: str, limit: int) -> list[str]:
    return [match.tool.name for match in of_all(say).matches][:limit]


def is_found(sentence: dict[str, Any], limit: int) -> bool:
    names = first_of(sentence["say"], limit)
    return bool(set(names) & set(sentence["tools"])) if sentence["tools"] else not names


def sentences_in(file: str) -> list[dict[str, Any]]:
    """The sentences of a file that ask for one thing, but for those whose tools are not here, or not yet."""
    sentences: list[dict[str, Any]] = yaml.safe_load((SENTENCES / f"{file}.yaml").read_text(encoding="utf-8"))
    simple = [each for each in sentences if each.get("kind") != "compound"]
    return [each for each in simple if not each["tools"] or TOOLS.keys() & each["tools"]]


def missed(sentences: list[dict[str, Any]], limit: int) -> list[str]:
    return [each["say"] for each in sentences if not is_found(each, limit)]


@pytest.mark.parametrize("file", FILES)
def test_most_sentences_find_their_tool(file: str) -> None:
    first, in_three = WANTED[file]
    meant = [each for each in sentences_in(file) if each["tools"]]
    assert len(missed(meant, 1)) <= (1 - first / 100) * len(meant), missed(meant, 1)
    assert len(missed(meant, 3)) <= (1 - in_three / 100) * len(meant), missed(meant, 3)


def test_what_no_tool_does_is_said_to_be_nothing_here() -> None:
    strange = [each for file in FILES for each in sentences_in(file) if not each["tools"]]
    assert len(missed(strange, 1)) <= 0.25 * len(strange), missed(strange, 1)


def test_what_a_tool_does_is_seldom_said_to_be_nothing_here() -> None:
    meant = [each for file in FILES for each in sentences_in(file) if each["tools"]]
    denied = [each["say"] for each in meant if not first_of(each["say"], 1)]
    assert len(denied) <= 0.03 * len(meant), denied


@pytest.mark.parametrize("file", FILES)
def test_no_question_has_a_change_proposed(file: str) -> None:
    for each in sentences_in(file):
        if each.get("asks"):
            asked = of_all(each["say"])
            assert asked.is_question or all(match.tool.access is Access.READ for match in asked.matches[:1]), each[
                "say"
            ]


@pytest.mark.parametrize("file", FILES)
def test_what_destroys_is_never_the_next_call_of_another_wish(file: str) -> None:
    for each in sentences_in(file):
        for match in of_all(each["say"]).matches[:1]:
            assert match.tool.access is not Access.DESTROY or match.tool.name in each["tools"] or not match.is_sure


@pytest.mark.parametrize("say", ["close my pull request", "ferme ma pull request", "PR 61 is not needed, close it"])
def test_closing_a_pull_request_is_not_merging_it(say: str) -> None:
    assert first_of(say, 1) == ["update_pull_request"]


@pytest.mark.parametrize(
    ("say", "tool"),
    [
        ("create a new sprint", "create_iteration"),
        ("close tickets 4, 5 and 6", "update_work_item"),
        ("which states can a bug have", "list_work_item_types"),
        ("enter my days off in the sprint", "set_team_capacity"),
        ("link bug 7 to build 12", "add_work_item_artifact_link"),
        ("rotate the db password in the vault", "set_keyvault_secret"),
        ("dry run of my bicep", "preview_deployment"),
        ("locks that protect resources", "list_resource_locks"),
        ("queue depth of service bus queues", "show_servicebus_namespace"),
        ("release note into Japanese", "translate"),
        ("give Marta read access", "assign_role"),
        ("close port 22 on an NSG", "change_azure"),
        ("error rate of checkout", "list_app_errors"),
        ("what was in 9fceb02", "get_commit"),
        ("how much CPU is the cluster using", "query_metrics"),
    ],
)
def test_it_is_found_first(say: str, tool: str) -> None:
    assert first_of(say, 1) == [tool]


def test_each_part_of_a_request_has_its_tool_in_the_order_of_the_parts() -> None:
    asked = ALL.found("list the files changed in PR 340, then comment on the pull request, and approve PR 340", 5)
    assert [match.tool.name for match in asked.matches] == [
        "list_pull_request_changes",
        "add_pull_request_comment",
        "vote_pull_request",
    ]
    assert [match.part for match in asked.matches] == [
        "list the files changed in PR 340",
        "comment on the pull request",
        "approve PR 340",
    ]


def test_what_describes_a_tool_finds_it_where_nothing_was_learned() -> None:
    assert found("which beds do we have")[0] == "list_beds"
    assert found("plant an oak")[0] == "plant_tree"
    assert found("dig a bed")[0] == "create_bed"
    assert found("merge the pull requests") == []


@pytest.mark.parametrize("said", ["which beds can be deleted", "can you show me the beds", "delete which bed?"])
def test_for_a_question_what_reads_comes_first(said: str) -> None:
    assert found(said)[0] == "list_beds"


@pytest.mark.parametrize("said", ["", " \n", "x", "10", "🌳", "the", "about it", "swimming pool", "zzz"])
def test_no_accident_finds_anything(said: str) -> None:
    assert found(said) == []


@pytest.mark.parametrize("said", ["", " \n", "🌳", "zzz zzz"])
def test_no_accident_finds_anything_of_all(said: str) -> None:
    assert first_of(said, 5) == []


def test_what_is_quoted_or_numbered_is_not_what_is_wanted() -> None:
    assert first_of('comment "list my pull requests" on ticket 12', 1) == ["add_work_item_comment"]


def test_what_is_not_set_up_is_named_with_what_it_lacks() -> None:
    there = [toolset for toolset in TOOLSETS if not toolset.name.startswith("devops")]
    asked = Index(there, VOCABULARY, {"devops": "ADO_ORGANIZATION is not set."}).found("approve pull request 340", 5)
    assert (asked.matches, asked.lacking) == ([], "ADO_ORGANIZATION is not set.")
    assert not Index(there, VOCABULARY).found("approve pull request 340", 5).matches


def test_within_a_tool_what_is_said_means_one_of_its_commands() -> None:
    (storage,) = (toolset for toolset in TOOLSETS if toolset.name == "storage")
    asked = Index([storage], VOCABULARY, are_given=True).found("who has a lot of files", 5)
    assert {match.tool.toolset for match in asked.matches} == {"storage"}


def test_without_tools_nothing_is_found() -> None:
    assert Index([], VOCABULARY).best("anything", 5) == []
    assert Index([], NO_WORDS).best("anything", 5) == []


@given(st.text(max_size=400))
def test_any_text_gives_a_few_matches_and_always_the_same(said: str) -> None:
    names = [match.tool.name for match in ALL.best(said, 5)]
    assert len(names) <= 5
    assert names == [match.tool.name for match in ALL.best(said, 5)]
