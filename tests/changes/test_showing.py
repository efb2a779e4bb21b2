"""What a reviewer sees of a change: what differs, all that is said, and the texts of others as nothing but texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_core import from_json, to_json

from browsing.comparing import Comparing, Mark, text_of
from browsing.texts import pieces
from changes.approval_request import ApprovalRequest, RequiredApprover, Who
from changes.plan import Plan
from changes.preview import Edit, Preview
from changes.summary import Summary
from changes.undo import Undo, by_call, by_hand, never, unknown
from mcp_server.http.messages import HttpAnswer
from tests.changes import bench
from tests.changes.bench import ADA, Office, opened
from tests.fakes.issuer import TENANT, USER
from tests.sweeps import Sweep

HOSTILE: Final = [
    "<script>alert(1)</script>",
    "</bdi></h1><form action=https://evil.example method=post><button>Approve</button></form>",
    '"><img src=x onerror=alert(1)>',
    "' autofocus onfocus='alert(1)",
    "{{ 7*7 }} {% raw %} ${7*7}",
    "</title><meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<!-- <base href='https://evil.example'>",
    "javascript:alert(1)",
    "&lt;script&gt;",
    "\u202eevorppA ton oD\u202c",
    "\u2066Approve\u2069",
    "a\x00b\x1b[2Jc\x08d\x7f\x9b",
    "in\u200bvi\u00adsi\u2060ble",
    "\U000e0041\U000e0042\U000e0100",
    "Approve\ufe00\ufe01\u3164\u2800this",
    "one\u2028two\u2029three",
]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path) as office:
        yield office


async def kept(
    office: Office, preview: Preview, arguments: dict[str, Any] | None = None, **how: Any
) -> ApprovalRequest:
    """A change of this preview that waits for who asked."""
    plan = Plan.of("office-doors", bench.BRICK, "destroy", arguments or {"room": "attic"}, preview)
    made = ApprovalRequest(
        id="",
        call=plan.call,
        digest=plan.digest,
        toolset=plan.toolset,
        tool=plan.tool,
        access=plan.access,
        what=preview.what,
        asked_by=Who(TENANT, USER, "user", name="ada@example.com"),
        asks=RequiredApprover.CALLER,
        created=0.0,
        until=0.0,
    )
    return await office.app.approvals.kept().propose(plan, replace(made, **how))


async def page_of(office: Office, preview: Preview, arguments: dict[str, Any] | None = None, **how: Any) -> HttpAnswer:
    change = await kept(office, preview, arguments, **how)
    return await office.browser(**ADA).visit(f"/changes/{change.id}")


class Marks(HTMLParser):
    """The marks of a page: each with its attributes, but for addresses and what only the page itself says."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))


def marks_of(page: HttpAnswer) -> list[tuple[str, tuple[str, ...]]]:
    marks = Marks()
    marks.feed(page.body.decode())
    # But for those around the names of characters.
    return [mark for mark in marks.found if mark != ("span", ("class", "title"))]


def everywhere(text: str) -> tuple[Preview, dict[str, Any], dict[str, Any]]:
    """A change that has this text wherever somebody can write one."""
    preview = Preview(
        what=text,
        facts={text: text, "several": [text, "x"]},
        edits=[Edit(text, text, None), Edit("second", f"one\n{text}", "one\ntwo")],
        affected=[text],
        places={"project": text, "branch": [text, "main"]},
        grave=text,
        missing=[text],
        undo=by_call("add", text=text).but(text),
        notes=[text],
    )
    asked_by = Who(TENANT, USER, "agent for a user", text, text, text)
    return preview, {"room": text, "more": {"deep": [text]}}, {"asked_by": asked_by, "because": text, "tool": "x"}


@pytest.mark.parametrize(
    ("text", "is_folded"),
    [("a" * 600, False), ("a" * 601, True), ("\n".join("a" * 13), False), ("\n".join("a" * 14), True)],
)
async def test_a_long_value_is_folded(house: Office, text: str, is_folded: bool) -> None:
    page = await page_of(house, Preview(what="it", facts={"rules": text}))
    assert (f"<summary>{len(text)} characters</summary>" in page.body.decode()) == is_folded


@Sweep("text", HOSTILE, every=2)
async def test_what_others_wrote_makes_no_mark_and_hides_nothing(house: Office, text: str) -> None:
    harmless = await _shown(house, "plain words")
    page = await _shown(house, text)
    # The same marks as with harmless words, so none of them came from the text.
    assert len(marks_of(page)) == len(marks_of(harmless))
    body = page.body.decode()
    assert not [
        letter for letter in body if letter != "\n" and unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp"}
    ]


async def _shown(house: Office, text: str) -> HttpAnswer:
    preview, arguments, how = everywhere(text)
    how.pop("tool")
    page = await page_of(house, preview, arguments, **how)
    assert page.status == 200, page.body
    return page


async def test_a_character_that_nobody_sees_is_shown_by_its_name(house: Office) -> None:
    page = await page_of(house, Preview(what="pay \u202e100\u202c"))
    assert 'pay <span class="unseen" title="an invisible character">U+202E</span>100' in page.body.decode()


async def test_the_list_shows_texts_of_others_in_the_same_way(house: Office) -> None:
    for text in HOSTILE:
        await kept(house, Preview(what=text), {"room": text})
    body = (await house.browser(**ADA).visit("/changes")).body.decode()
    assert not re.search(r"<(script|img|base|meta http)", body.partition("<main")[2])
    assert "U+202E" in body


async def test_everything_of_a_preview_is_on_the_page(house: Office) -> None:
    preview = Preview(
        what="Release 7 to production",
        facts={"stage": "Production", "builds": ["web 3", "api 4"], "nothing": None, "held": True},
        edits=[Edit("state", "Active", "Removed"), Edit("tag", None, "v7"), Edit("owner", "Bea", None)],
        affected=["cleo@example.com"],
        places={"environment": "production", "branch": None},
        grave="It deploys to production.",
        missing=["who approved the build"],
        notes=["The last release was yesterday."],
    )
    page = await page_of(
        house, preview, {"room": "attic", "list": [1, 2]}, because="An approval rule requires this approval."
    )
    text = bench.text_of(page)
    for words in (
        "Release 7 to production",
        "Production",
        "web 3 api 4",
        "cleo@example.com",
        "It deploys to production.",
        "Unknown: who approved the build",
        "Branch unknown",
        "The last release was yesterday.",
        "An approval rule requires this approval.",
        "[removed: Active ]",
        "[added: Removed ]",
        "nothing",
        "[ 1, 2 ]",
        "held yes",
    ):
        assert words.replace(" ]", "]") in text.replace(" ]", "]"), words


LAST: Final = by_call("open_door", room="attic", wide=True)


@pytest.mark.parametrize(
    ("undo", "line"),
    [
        (LAST, 'To undo it: open_door(room="attic", wide=true)'),
        (LAST.but("its paint is lost"), 'To undo it in part: open_door(room="attic", wide=true); its paint is lost'),
        (by_hand("ask the mason"), "No single call undoes it: ask the mason"),
        (never("the door is burnt."), "Cannot be undone: the door is burnt"),
        (unknown("the mason does not say"), "Whether it can be undone is not known: the mason does not say"),
    ],
    ids=lambda told: "" if isinstance(told, str) else told.way,
)
async def test_how_it_is_undone_reads_the_same_for_models_and_on_the_page(house: Office, undo: Undo, line: str) -> None:
    preview = Preview(what="The attic", undo=undo)
    assert Summary(preview).text == f"- {line[0].lower()}{line[1:]}"
    assert f"How to undo it {line}" in bench.text_of(await page_of(house, preview))


async def test_long_texts_that_stay_the_same_are_folded(house: Office) -> None:
    lines = [f"line {number}" for number in range(100)]
    after = [*lines[:50], "new", *lines[50:]]
    page = await page_of(house, Preview(what="w", edits=[Edit("text", "\n".join(lines), "\n".join(after))]))
    body = page.body.decode()
    assert body.count("<summary>47 unchanged lines</summary>") == 2
    assert '<span class="vh">added: </span><span class="text" dir="auto">new</span>' in body


async def test_what_was_tampered_with_is_neither_shown_nor_decided(house: Office, tmp_path: Path) -> None:
    change = await kept(house, Preview(what="A harmless thing"))
    ada = house.browser(**ADA)
    form = {"ticket": bench.ticket_on(await ada.visit(f"/changes/{change.id}")), "decision": "approve"}
    file = _file_of_what_was_shown(tmp_path)
    file.write_bytes(file.read_bytes().replace(b"A harmless thing", b"Another harmless"))
    for answer in (await ada.visit(f"/changes/{change.id}"), await ada.post(f"/changes/{change.id}", form)):
        assert (answer.status, "does not match the request" in bench.text_of(answer)) == (400, True)


class Paper(BaseModel):
    color: str | None = None
    title: str = "untitled"
    made: date = date(2026, 11, 22)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.dates()
    | st.builds(Paper, title=st.text()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=8,
)
FACTS = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text())


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.dictionaries(st.text(), FACTS, max_size=4), st.text())
def test_whatever_was_asked_for_is_known_again(arguments: dict[str, Any], facts: dict[str, Any], what: str) -> None:
    plan = Plan.of(
        "t",
        "x",
        "write",
        arguments,
        Preview(what=what, facts=facts, edits=[Edit("e", one) for one in facts.values()]),
    )
    kept = from_json(to_json([plan.shown_arguments, plan.preview.document], inf_nan_mode="constants"))
    shown = Plan("t", "x", "write", kept[0], Preview.of(kept[1]))
    assert (shown.call, shown.digest) == (plan.call, plan.digest)


async def test_arguments_that_are_too_long_are_named_and_another_look_is_advised(house: Office) -> None:
    page = await page_of(house, Preview(what="w"), {"room": "x" * 300_000})
    assert page.status == 200
    assert "Unknown: all arguments: they are too long to show" in bench.text_of(page)


def _file_of_what_was_shown(folder: Path) -> Path:
    (found,) = [path for path in folder.rglob("*") if path.is_file() and b'"arguments"' in path.read_bytes()]
    return found


# Comparing, whatever is compared.

SOME = st.text(alphabet="ab \n.", max_size=200)


@given(SOME, SOME)
def test_what_is_compared_is_all_there_on_both_sides(before: str, after: str) -> None:
    compared = Comparing().compared(Edit("x", before, after))
    if compared.by_lines:
        assert _side(compared.lines, Mark.ADDED) == (before.split("\n") if before else [])
        assert _side(compared.lines, Mark.REMOVED) == (after.split("\n") if after else [])
    else:
        assert "".join(_side(compared.before or [], Mark.ADDED)) == before
        assert "".join(_side(compared.after or [], Mark.REMOVED)) == after


def _side(runs: Any, without: Mark) -> list[str]:
    return [part for run in runs if run.mark is not without for part in run.parts]


@given(st.text(max_size=60))
def test_a_text_shown_is_the_text_but_for_what_nobody_sees(text: str) -> None:
    shown = [piece.text if not piece.is_name else chr(int(piece.text.replace("U+", "0x"), 0)) for piece in pieces(text)]
    assert "".join(shown) == text


def test_a_page_of_many_differences_compares_as_many_as_it_may_and_shows_the_others_whole() -> None:
    before = "\n".join("ab"[n % 2] * (n % 3) for n in range(390))
    comparing = Comparing()
    compared = [comparing.compared(Edit("x", before, f"new\n{before[:-9]}\nend")) for _ in range(20)]
    assert len(compared[0].lines) > 2
    assert [run.mark for run in compared[-1].lines] == [Mark.REMOVED, Mark.ADDED]


def test_ends_of_lines_are_shown_where_they_differ() -> None:
    same = Comparing().compared(Edit("x", "a\r\nb", "a\r\nc"))
    assert [part for run in same.lines for part in run.parts] == ["a", "b", "c"]
    other = Comparing().compared(Edit("x", "a\r\nb", "a\nb"))
    assert [part for run in other.lines if run.mark is Mark.REMOVED for part in run.parts] == ["a\r"]


def test_values_are_told_in_words() -> None:
    assert [text_of(value) for value in (None, True, False, 3, "x", ["a", "b"])] == [
        None,
        "yes",
        "no",
        "3",
        "x",
        "a\nb",
    ]
