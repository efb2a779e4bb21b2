"""A section is what stands below its heading, and writing one leaves every other as it was to the byte."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sweeps import Sweep
from text.sections import named, replaced, sections_of

GENERATED = int(os.environ.get("FUZZ_DOCUMENTS", "75"))


def names(text: str) -> list[str]:
    return [section.path[-1] for section in sections_of(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("text", []),
        ("# One\n## Two ##\n   ###### Six #\n####### Seven\n#Eight\n    # Nine", ["One", "Two", "Six"]),
        ("#\n# C#\n# a # b\n#\tTab", ["", "C#", "a # b", "Tab"]),
        ("One\n===\nTwo\nlines\n---\n", ["One", "Two lines"]),
        ("\n---\ntext\n\n---\n# One", ["One"]),
        ("- item\n---\n> quote\n---\n| a |\n---\n1. one\n---\ntext\n- item\nlazy\n---", []),
        ("**bold**\n---\n***\ntext\n===", ["**bold**", "text"]),
        ("```\n# no\n````\n# One\n~~~sh\n# no\n```\n# no\n~~~\n# Two", ["One", "Two"]),
        ("````\n# no\n```\n# no\n````\n# One\n```\n# no", ["One"]),
        ("``` a`b\n# One", ["One"]),
        ("::: mermaid\n# no\n:::\n# One\n:::\n# Two", ["One", "Two"]),
        ("<!-- a -->\n# One\n<!--\n# no\n-->\n# Two\n<pre>\n# no\n</pre>\n# Three", ["One", "Two", "Three"]),
        ("---\ntitle: x\n---\n# One", ["One"]),
        ("\ufeff---\n# no\n---\n# One\n---\n# Two", ["One", "Two"]),
        ("\ufeff# One", ["One"]),
        ("# One\r\ntext\r\n---\r\n## Three\r\n", ["One", "text", "Three"]),
    ],
)
def test_headings_are_those_that_readers_see(text: str, expected: list[str]) -> None:
    assert names(text) == expected


PAGE = """# Setup
Begin
## Windows
win
### Notes
one
## Linux
### Notes
two
# Use of `it`
## [Notes](https://example.com)
"""


@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        ("Setup", [1]),
        ("setup ", [1]),
        ("# Setup", [1]),
        ("Notes", [5, 8]),
        ("### Notes", [5, 8]),
        ("linux > notes", [8]),
        ("Setup > Linux > Notes", [8]),
        ("Setup > Notes", []),
        ("use of it", [10]),
        ("Notes [2]", [8]),
        ("Notes [4]", []),
        ("Notes [0]", []),
        ("### notes [2]", [8]),
        ("Notes [1] [1]", []),
        ("Other", []),
        ("", []),
    ],
)
def test_a_section_is_meant_by_its_heading_its_path_or_its_number(wanted: str, lines: list[int]) -> None:
    assert [section.line for section in named(sections_of(PAGE), wanted)] == lines


def rewritten(text: str, wanted: str, content: str) -> str | None:
    [section] = named(sections_of(text), wanted)
    return replaced(text, section, content)


@pytest.mark.parametrize(
    ("wanted", "content", "expected"),
    [
        ("B", "new", "# A\n\n## B\n\nnew\n\n\n# C\nc"),
        ("B", "\n## B\n\nnew\n\n", "# A\n\n## B\n\nnew\n\n\n# C\nc"),
        ("B", "## Other\nnew", "# A\n\n## Other\nnew\n\n\n# C\nc"),
        ("B", "### Below\nnew", "# A\n\n## B\n\n### Below\nnew\n\n\n# C\nc"),
        ("B", "", "# A\n\n## B\n\n\n# C\nc"),
        ("C", "new\n\nmore", "# A\n\n## B\n\nold\n\n\n# C\nnew\n\nmore"),
        ("A", "all", "# A\n\nall\n\n\n# C\nc"),
        ("B", "```\nopen", None),
        ("B", "<!-- open", None),
        ("B", "```\nclosed\n```", "# A\n\n## B\n\n```\nclosed\n```\n\n\n# C\nc"),
    ],
)
def test_a_section_is_rewritten_with_its_heading_or_below_it(wanted: str, content: str, expected: str | None) -> None:
    assert rewritten("# A\n\n## B\n\nold\n\n\n# C\nc", wanted, content) == expected


def test_ends_of_lines_stay_what_they_are_in_the_page() -> None:
    page = "# A\r\n\r\nold  \r\n# B\r\n"
    assert rewritten(page, "A", "one\ntwo") == "# A\r\n\r\none\r\ntwo  \r\n# B\r\n"
    assert rewritten("# A", "A", "one\ntwo") == "# A\n\none\ntwo"
    assert rewritten("# A\n```\nx\n```\nB\n===\n", "A", "y") == "# A\ny\n\nB\n===\n"


LINES = st.sampled_from(
    [
        "",
        "text",
        "# One",
        "## Two",
        "### One",
        "One",
        "===",
        "---",
        "- item",
        "```",
        "~~~",
        "<!--",
        "-->",
        "> q",
        "    x",
    ]
)
TEXTS = st.tuples(st.lists(LINES, max_size=14), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda parts: parts[1].join(parts[0]) + parts[1] * parts[2]
)


@settings(max_examples=GENERATED, deadline=None)
@given(text=TEXTS, content=TEXTS, data=st.data())
def test_writing_a_section_leaves_the_others_as_they_were(text: str, content: str, data: st.DataObject) -> None:
    known = sections_of(text)
    if not known:
        return
    section = data.draw(st.sampled_from(known))
    changed = replaced(text, section, content)
    if changed is None:
        return
    assert changed.startswith(text[: section.start])
    assert changed.endswith(text[section.end :])
    now = sections_of(changed)
    before = [known_one.path[-1] for known_one in known if known_one.start < section.start]
    after = [known_one.path[-1] for known_one in known if known_one.start >= section.end]
    assert [one.path[-1] for one in now][: len(before)] == before
    assert [one.path[-1] for one in now][len(now) - len(after) :] == after


@settings(max_examples=GENERATED, deadline=None)
@given(text=TEXTS, data=st.data())
def test_a_section_that_comes_back_as_it_was_read_changes_nothing(text: str, data: st.DataObject) -> None:
    known = sections_of(text)
    if known:
        section = data.draw(st.sampled_from(known))
        assert replaced(text, section, section.of(text)) == text


@Sweep("piece", ["# a\n", "###### x\n# y\n", "a\n---\n", "`" * 5, "```\n", "- ", "[a](", "<!--", "\n"], every=3)
def test_work_grows_with_the_text_only(piece: str) -> None:
    text = piece * 10_000
    known = sections_of(text)
    assert len(known) <= 20_000
    assert named(known, piece) is not None
