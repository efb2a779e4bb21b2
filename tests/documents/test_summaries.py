"""Summaries in a document's own sentences keep more of what readers marked than its first sentences do."""

from __future__ import annotations

import os
import re
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.document import Document, DocumentSection
from documents.summarizing.centrality import MOST_SENTENCES, centrality
from documents.summarizing.extracting import LONGEST_KEY_POINT, MOST_KEY_POINTS, cut, extract
from documents.summarizing.prose import blocks, plain_of
from tests.documents.marking import Marked, all_marked, document_of

MARKED = all_marked()
# So much more than the lead sentences, over all documents.
BETTER_BY = 0.05
_TRIES = int(os.environ.get("FUZZ_SUMMARIES", "30"))


@pytest.mark.parametrize("marked", MARKED, ids=lambda marked: marked.document.path)
def test_what_is_marked_stands_in_the_document(marked: Marked) -> None:
    said = " ".join(block for section in marked.document.sections for block in blocks(section.text))
    assert [sentence for sentence in marked.kept if sentence not in said] == []


def test_a_summary_keeps_more_of_what_is_marked_than_the_first_sentences_do() -> None:
    ours = [marked.recall(extract(marked.document, marked.letters).summary) for marked in MARKED]
    lead = [marked.recall(marked.lead) for marked in MARKED]
    told = [f"{marked.document.path}: {a:.2f}, lead {b:.2f}" for marked, a, b in zip(MARKED, ours, lead, strict=True)]
    assert fmean(ours) > fmean(lead) + BETTER_BY, told
    assert sum(a > b for a, b in zip(ours, lead, strict=True)) * 2 > len(MARKED), told


@pytest.mark.parametrize("marked", MARKED, ids=lambda marked: marked.document.path)
def test_a_summary_is_the_documents_own_sentences_in_their_order(marked: Marked) -> None:
    said = " ".join(block for section in marked.document.sections for block in blocks(section.text))
    at = 0
    for sentence in re.split(r"(?<=[.!?)]) |\n", extract(marked.document, 600).summary):
        at = said.index(sentence, at)


WORDS = st.lists(
    st.sampled_from(["The", "timer", "runs.", "Never", "delete", "table", "été", "3.11", "e.g.", "#", "```"])
)
PAGES = st.lists(WORDS.map(" ".join), max_size=40).map("\n\n".join)


@settings(max_examples=_TRIES, deadline=None)
@given(PAGES, st.integers(1, 500))
def test_a_summary_is_never_longer_than_it_may_be_and_the_same_each_time(page: str, most: int) -> None:
    told = extract(document_of(page), most)
    assert len(told.summary) <= most
    assert extract(document_of(page), most) == told


def test_a_first_sentence_that_is_too_long_is_cut_between_words() -> None:
    page = "The warehouse is loaded every night by a function that nobody has to start."
    assert extract(document_of(page), 30).summary == "The warehouse is loaded every…"
    assert [cut("one two", most) for most in (7, 6, 4, 2, 1)] == ["one two", "one…", "one…", "o…", "…"]


def test_what_is_said_twice_is_told_once() -> None:
    said = "The import copies the orders of all shops every night."
    page = f"# A\n\n{said}\n\n# B\n\nEvery night the import copies the orders of all shops again.\n\n# C\n\n{said}\n"
    assert extract(document_of(page), 400).summary == said


def test_of_sentences_that_stand_alike_the_most_central_is_told() -> None:
    bread, central = "Bakers sell fresh bread on Monday mornings.", "Pumps fill tanks through valves of green steel."
    others = ["Pumps need clean oil.", "Tanks of green steel rust slowly.", "Valves leak where pumps run dry."]
    page = "# Notes\n\nIt is so.\n\n" + "\n\n".join([others[0], bread, others[1], central, others[2]])
    assert extract(document_of(page), len(central)).summary == central


def test_each_heading_gives_a_point_with_its_place() -> None:
    page = "# Shop\n\nThe shop sells bread on every day.\n\n## Hours\n\n| a |\n|---|\n\nDoors open at seven o'clock.\n"
    told = [(point.text, point.place.heading, point.place.line) for point in extract(document_of(page), 300).key_points]
    assert told == [("The shop sells bread on every day.", "Shop", 1), ("Doors open at seven o'clock.", "Hours", 5)]


def test_points_are_few_and_short() -> None:
    page = "\n\n".join(f"## Part {number}\n\nMachine {number} makes {'bread ' * 70}daily." for number in range(50))
    points = extract(document_of(page), 300).key_points
    assert len(points) == MOST_KEY_POINTS
    assert max(len(point.text) for point in points) <= LONGEST_KEY_POINT


@pytest.mark.parametrize("page", ["", "# Title\n", "```\ncode only\n```\n", "| a | b |\n|---|---|\n"])
def test_a_document_that_says_nothing_has_an_empty_summary(page: str) -> None:
    told = extract(document_of(page), 100)
    assert (told.summary, told.key_points) == ("", ())


def test_what_stands_before_the_page_as_data_is_left_out() -> None:
    page = "---\ntitle: The title of all the pages here\n---\nThe timer starts the function every night."
    assert extract(document_of(page), 200).summary == "The timer starts the function every night."


def test_of_a_long_document_every_part_is_heard() -> None:
    long = "\n\n".join(
        f"The part {number} of the machine turns wheel {number}." for number in range(2 * MOST_SENTENCES)
    )
    last = DocumentSection("Last", 2, 9000, "Never stop the pump while the valve is open.")
    document = Document(source="a", path="a.md", title="Pump", sections=(DocumentSection("", 0, 1, long), last))
    told = extract(document, 400)
    assert "Never stop the pump" in told.summary
    assert told.key_points[-1].place.line == 9000


def test_no_more_sentences_are_compared_than_can_be() -> None:
    with pytest.raises(ValueError, match="exceed the maximum of 400"):
        centrality([["word"]] * (MOST_SENTENCES + 1))


def test_who_says_what_others_say_is_central() -> None:
    ranks = centrality([["pump", "valve"], ["pump", "wheel"], ["valve", "pump"], ["bread"]])
    assert ranks.index(max(ranks)) in {0, 2}
    assert min(ranks) == ranks[3]


def test_marks_of_code_that_nothing_closes_are_kept_as_they_are() -> None:
    assert plain_of("a `b` ``c`d`` ```e `f") == "a b c`d ```e `f"
