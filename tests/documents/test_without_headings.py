"""A Markdown page without any heading is a document like others."""

from __future__ import annotations

import pytest

from documents.reading.texts import document_of


@pytest.mark.parametrize("text", ["Only prose.\n", "```\n# no heading\n```\n"])
def test_a_page_without_headings_has_one_section_without_a_name(text: str) -> None:
    read = document_of("handbook", "notes/plan.md", text.encode(), None, "")
    assert [(section.heading, section.line, section.text) for section in read.sections] == [("", 1, text.rstrip())]
    assert read.title == "plan"


def test_an_empty_page_has_none() -> None:
    assert document_of("handbook", "empty.md", b"\n", None, "").sections == ()
