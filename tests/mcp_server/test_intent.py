"""What people say leads to the tool they mean, and what nobody here does leads to none."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from changes.preview import Preview
from identity.access import Access
from mcp_server.catalog.intent import Index
from mcp_server.catalog.words import words_of
from mcp_server.declarations.toolset import Toolset
from mcp_server.declarations.vocabulary import NO_WORDS, Vocabulary
from tools import TOOLSETS
from tools.vocabulary import VOCABULARY

SENTENCES = Path(__file__).parent.parent / "intents"
TOOLS = {tool.name: tool for toolset in TOOLSETS for tool in toolset.tools}
ALL = Index(TOOLSETS, VOCABULARY)
garden = Toolset("garden", "Care for what grows.")


@garden.tool(Access.WRITE)
def plant_tree(
    update: Annotated[str, Field(description="What the address of the policy is")], branch: str = ""
) -> None:
    """Put a tree into the ground."""


@garden.tool(Access.WRITE)
def create_bed(size: int) -> None:
    """Dig a bed."""


def _bed(bed: str) -> Preview:
    """What grows there."""
    return Preview(what=f"The bed {bed}")


@garden.tool(Access.DESTROY, previewed=_bed)
def delete_bed(bed: str) -> None:
    """Turn a bed into a lawn."""


@garden.tool(Access.READ)
def list_beds() -> None:
    """List the beds."""


WORDS = Vocabulary(
    names={"bed": "bed, border, plate bande", "rose": "rose"},
    kinds={"rose": "bed"},
    sayings={"plant_tree": "put an oak into the earth"},
    elsewhere="swimming pool",
)


def found(words: str, vocabulary: Vocabulary = WORDS) -> list[str]:
    return [match.tool.name for match in Index([garden], vocabulary).best(words, 5)]


def first_of(say: str, limit: int) -> list[str]:
    return [match.tool.name for match in ALL.best(say, limit)]


def is_found(sentence: dict[str, Any], limit: int) -> bool:
    names = first_of(sentence["say"], limit)
    return bool(set(names) & set(sentence["tools"])) if sentence["tools"] else not names


def sentences_in(file: str) -> list[dict[str, Any]]:
    """The sentences of a file, but for those whose tools are not here, or not yet."""
    sentences: list[dict[str, Any]] = yaml.safe_load((SENTENCES / file).read_text(encoding="utf-8"))
    return [each for each in sentences if not each["tools"] or TOOLS.keys() & each["tools"]]


def missed(sentences: list[dict[str, Any]], limit: int) -> list[str]:
    return [each["say"] for each in sentences if not is_found(each, limit)]


@pytest.mark.parametrize(
    ("file", "first", "in_three"),
    [
        ("open", 95, 97),
        ("more", 90, 97),
        ("own", 93, 97),
        ("second", 90, 97),
        ("third", 89, 97),
        ("fourth", 65, 86),
        ("azure", 93, 95),
        ("azure_again", 64, 89),
        ("azure_second_half", 70, 90),
        ("changes", 76, 88),
    ],
)
def test_most_sentences_find_their_tool(file: str, first: int, in_three: int) -> None:
    meant = [each for each in sentences_in(f"{file}.yaml") if each["tools"]]
    assert len(missed(meant, 1)) <= (1 - first / 100) * len(meant), missed(meant, 1)
    assert len(missed(meant, 3)) <= (1 - in_three / 100) * len(meant), missed(meant, 3)


@pytest.mark.parametrize(
    ("file", "share"),
    [
        ("open", 100),
        ("more", 100),
        ("own", 85),
        ("second", 84),
        ("third", 87),
        ("fourth", 100),
        ("azure", 100),
        ("azure_again", 66),
        ("azure_second_half", 66),
        ("changes", 66),
    ],
)
def test_what_no_tool_does_is_said_to_be_nothing_here(file: str, share: int) -> None:
    strange = [each for each in sentences_in(f"{file}.yaml") if not each["tools"]]
    assert len(missed(strange, 1)) <= (1 - share / 100) * len(strange), missed(strange, 1)


@pytest.mark.parametrize("say", ["close my pull request", "ferme ma pull request", "PR 61 is not needed, close it"])
def test_closing_a_pull_request_is_not_merging_it(say: str) -> None:
    assert first_of(say, 1) == ["update_pull_request"]


@pytest.mark.parametrize(
    "file", ["open", "more", "own", "second", "third", "fourth", "azure", "azure_again", "azure_second_half", "changes"]
)
def test_what_destroys_is_never_the_next_call_of_another_wish(file: str) -> None:
    for each in sentences_in(f"{file}.yaml"):
        for match in ALL.best(each["say"], 1):
            assert match.tool.access is not Access.DESTROY or match.tool.name in each["tools"] or not match.is_sure


@pytest.mark.parametrize(
    "say",
    ["book a table for two", "truncate the orders table", "delete the pipeline"],
)
def test_what_nobody_here_does_finds_nothing(say: str) -> None:
    assert first_of(say, 5) == []


@pytest.mark.parametrize(
    ("say", "tool"),
    [
        ("create a new sprint", "create_iteration"),
        ("close tickets 4, 5 and 6", "update_work_item"),
        ("which states can a bug have", "list_work_item_types"),
        ("enter my days off in the sprint", "set_team_capacity"),
        ("link bug 7 to build 12", "add_work_item_artifact_link"),
    ],
)
def test_sprint_work_is_found_first(say: str, tool: str) -> None:
    assert first_of(say, 1) == [tool]


def test_the_vocabulary_speaks_of_every_tool_and_of_no_other() -> None:
    assert VOCABULARY.sayings.keys() == TOOLS.keys()
    assert VOCABULARY.searches.keys() <= TOOLS.keys()


def test_sayings_are_plain_words() -> None:
    for said in (*VOCABULARY.sayings.values(), VOCABULARY.nothing):
        assert words_of(said) == said.replace(",", " ").split()


def test_a_thing_has_other_names_and_is_of_a_kind() -> None:
    assert found("which borders do we have")[0] == found("quelles plates bandes")[0] == "list_beds"
    assert found("show me the roses")[0] == "list_beds"


@pytest.mark.parametrize("measure", ["cpu", "CPU"])
def test_what_is_written_in_capitals_is_no_name(measure: str) -> None:
    assert first_of(f"how much {measure} is the cluster using", 1) == ["query_metrics"]


def test_a_verb_leads_to_what_does_it() -> None:
    assert found("make a border")[0] == "create_bed"
    assert found("get rid of the border")[0] == "delete_bed"
    assert found("supprime la plate-bande")[0] == "delete_bed"
    assert found("please could you show me the beds")[0] == "list_beds"
    assert found("merge the borders") == []


def test_how_people_ask_leads_to_the_tool() -> None:
    assert found("an oak for the earth here")[0] == "plant_tree"
    assert found("an oak for the earth here", NO_WORDS) == []


@pytest.mark.parametrize(
    "said", ["the border can go", "the border should be deleted", "it is old, border 3 must be removed"]
)
def test_who_says_what_has_to_be_done_asks_for_it(said: str) -> None:
    assert found(said)[0] == "delete_bed"


@pytest.mark.parametrize("said", ["which borders can be deleted", "what borders can go"])
def test_a_question_is_no_demand(said: str) -> None:
    assert found(said)[0] == "list_beds"


@pytest.mark.parametrize(
    ("say", "tool"),
    [
        ("tell the team on ticket 7 that the release ships on friday", "add_work_item_comment"),
        ("what was in 9fceb02", "get_commit"),
        ("say on PR 340 why the build of main is red", "add_pull_request_comment"),
    ],
)
def test_what_is_only_told_is_not_what_is_wanted(say: str, tool: str) -> None:
    assert first_of(say, 1) == [tool]


@pytest.mark.parametrize("typo", ["which bordre", "which bodrer", "which borrder", "whcih border"])
def test_a_slip_of_the_finger_changes_nothing(typo: str) -> None:
    assert found(typo)[0] == "list_beds"


@pytest.mark.parametrize("said", ["", " \n", "x", "10", "🌳", "the", "about it", "swimming pool", "zzz"])
def test_no_accident_finds_anything(said: str) -> None:
    assert found(said) == []


def test_what_is_quoted_or_numbered_is_not_what_is_wanted() -> None:
    assert found('create a bed "list of swimming pools" 12')[0] == "create_bed"
    assert found("create a bed named tree")[0] == "create_bed"


def test_what_is_not_wanted_leads_nowhere() -> None:
    assert "deploy_release" not in first_of("tell me about the release instead of deploying it", 5)
    assert first_of("see the work item without deleting it", 1) == ["get_work_item"]


def test_only_a_sure_match_may_destroy() -> None:
    assert Index([garden], WORDS).best("delete the bed", 1)[0].is_sure
    assert "delete_bed" not in found("the bed of roses")[:1]


def test_without_tools_nothing_is_found() -> None:
    assert Index([], WORDS).best("anything", 5) == []


@given(st.text(max_size=400))
def test_any_text_gives_a_few_matches_and_always_the_same(said: str) -> None:
    names = first_of(said, 5)
    assert len(names) <= 5
    assert names == first_of(said, 5)
