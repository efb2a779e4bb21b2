"""Texts become sections and passages at their exact lines, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.patterns import matches
from documents.reading.texts import UnreadableError, document_of, first_line
from documents.searching.passages import LONGEST, passages_of
from tests.sweeps import Sweep

_LINES = st.sampled_from(["# One", "Two", "===", "---", "", "text é 🧽", "```", "## Three ##", "- item", "x" * 5000])


@given(st.lists(_LINES, max_size=40), st.sampled_from(["\n", "\r\n"]))
def test_every_line_of_a_section_and_of_a_passage_is_the_line_of_the_file(lines: list[str], end: str) -> None:
    document = document_of("s", "a.md", end.join(lines).encode(), None, "")
    for section in document.sections:
        for offset, text in enumerate(section.text.split("\n")):
            if text:
                assert lines[first_line(section) + offset - 1] == text
    for passage in passages_of(document):
        assert len(passage.text) <= LONGEST
        for offset, text in enumerate(passage.text.split("\n")):
            if text.strip():
                assert text in lines[passage.line + offset - 1]


@given(st.lists(_LINES, max_size=40))
def test_passages_leave_nothing_out(lines: list[str]) -> None:
    document = document_of("s", "a.md", "\n".join(lines).encode(), None, "")
    assert "".join(passage.text for passage in passages_of(document)) == "".join(
        section.text for section in document.sections
    )


@given(st.text("a*?[/]!-", max_size=200), st.text("a/b", max_size=200))
def test_any_pattern_is_compared_with_any_path(pattern: str, path: str) -> None:
    assert matches(pattern, path) in {True, False}


@Sweep(
    "piece",
    ["# a\n", "> " * 50, "<!--", "```\n", "---\n", "<div>", "[a](", "&#x", "<a ", "- " * 30, "a\n===\n", "<p", "\\"],
    every=3,
)
@pytest.mark.parametrize("path", ["a.md", "a.html"])
def test_a_hostile_text_takes_no_more_than_in_proportion_to_its_length(piece: str, path: str) -> None:
    content = (piece * 100_000)[:400_000].encode()
    try:
        document = document_of("s", path, content, None, "")
    except UnreadableError as error:
        assert "5000 headings" in str(error)  # noqa: PT017 - only some have as many
    else:
        assert sum(len(passage.text) for passage in passages_of(document)) <= 10**6
