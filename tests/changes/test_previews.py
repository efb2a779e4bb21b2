"""What a preview binds, and what of it is shown."""

from __future__ import annotations

import re
from dataclasses import replace
from json import loads
from typing import Any

import pytest
from pydantic_core import to_json

from changes.effects import Effect, effects_of
from changes.importance import Importance
from changes.plan import LARGEST_ARGUMENTS, Plan
from changes.preview import LONGEST_TEXT, MOST_EDITS, Edit, Preview, names_of
from changes.undo import UNSAID, Undo, UndoKind, by_call, by_hand, never, unknown
from identity.access import Access

ROOM = Preview(
    what="The attic",
    facts={"boxes": 3, "keys": ["front", "back"]},
    edits=[Edit("door", "oak", None), Edit("window", "open", "shut")],
    affected=["Ada", "Grace"],
    places={"project": "House", "branch": None},
    notes=["Seen a minute ago"],
)


def plan(preview: Preview = ROOM, **arguments: Any) -> Plan:
    return Plan.of("office-doors", "brick_up_door", "destroy", {"room": "attic", **arguments}, preview)


def test_the_order_in_which_it_was_found_out_does_not_matter() -> None:
    turned = replace(
        ROOM,
        facts={"keys": ["front", "back"], "boxes": 3},
        edits=list(reversed(ROOM.edits)),
        affected=["Grace", "Ada"],
        notes=["Seen an hour ago"],
    )
    assert plan(turned).digest == plan().digest


@pytest.mark.parametrize(
    "other",
    [
        {"what": "The Attic"},
        {"facts": {"boxes": 4, "keys": ["front", "back"]}},
        {"facts": {"boxes": 3, "keys": ["back", "front"]}},
        {"edits": [Edit("door", "oak", ""), Edit("window", "open", "shut")]},
        {"edits": ROOM.edits[:1]},
        {"affected": ["Ada"]},
        {"places": {"project": "House", "branch": "main"}},
        {"grave": "It is the only one."},
        {"missing": ["the cellar"]},
    ],
    ids=str,
)
def test_whatever_else_differs_is_another_plan(other: dict[str, Any]) -> None:
    assert plan(replace(ROOM, **other)).digest != plan().digest


def test_other_arguments_are_another_call_in_whatever_order_they_come() -> None:
    assert plan(a=1, b=2).call == plan(b=2, a=1).call
    assert plan(a={"x": 1, "y": [1, 2]}).call == plan(a={"y": [1, 2], "x": 1}).call
    assert len({plan(a=value).call for value in (1, "1", None, [1], {"1": 1}, True, 1.5)}) == 7


def test_it_is_kept_as_it_is() -> None:
    assert Preview.of(ROOM.document).document == ROOM.document


def test_a_long_text_is_cut_and_bound_as_a_whole() -> None:
    texts = [f"{'x' * LONGEST_TEXT}{end}" for end in "ab"]
    plans = [plan(replace(ROOM, edits=[Edit("page", text, None)])) for text in texts]
    assert plans[0].digest != plans[1].digest
    assert not plans[0].preview.is_complete
    assert len(plans[0].preview.bound) < LONGEST_TEXT + 1000


def test_of_many_edits_some_are_shown_and_all_are_bound() -> None:
    many = [Edit(f"setting {number}", number, number + 1) for number in range(MOST_EDITS + 2)]
    shown = plan(replace(ROOM, edits=many))
    assert len(shown.preview.edits) == MOST_EDITS
    assert not shown.preview.is_complete
    changed = [*many[:-1], Edit("setting z", 1, 2)]
    assert plan(replace(ROOM, edits=changed)).digest != shown.digest


def test_arguments_too_long_to_read_are_kept_by_name_and_count_as_not_shown() -> None:
    long = plan(text="x" * LARGEST_ARGUMENTS)
    assert long.shown_arguments == {"room": "…", "text": "…"}
    assert not long.preview.is_complete
    assert plan(text="x").shown_arguments == {"room": "attic", "text": "x"}


@pytest.mark.parametrize("kept", ["build_door(room='attic')", "Nothing undoes this."])
def test_a_preview_that_was_kept_with_a_sentence_counts_as_it_was_agreed_to(kept: str) -> None:
    """So that a change that waits at an upgrade can still be decided."""
    before = replace(ROOM, undo=Undo.of(kept))
    assert loads(before.bound)[-3] == kept
    assert Preview.of({**before.document, "undo": kept}).bound == before.bound
    assert not before.can_be_undone


UNDONE = (by_call("build_door", room="attic", wide=True), by_hand("build it"), never("it is gone"), unknown("ask Ada"))


@pytest.mark.parametrize("undo", [*UNDONE, UNDONE[0].but("the paint is lost")], ids=lambda undo: undo.line)
def test_how_it_is_undone_is_kept_and_agreed_to(undo: Undo) -> None:
    shown = replace(ROOM, undo=undo)
    assert Preview.of(shown.document).undo == undo
    assert plan(shown).digest != plan(replace(ROOM, undo=by_hand("build another"))).digest
    assert shown.can_be_undone is (undo is UNDONE[0])


def test_a_call_is_shown_as_it_can_be_sent() -> None:
    written = by_call("paint", text="two  spaces,\nand Zoë \u202e\u2028", coats=2, dry=None, glossy=False)
    assert written.line == 'to undo it: paint(text="two  spaces,\\nand Zoë \\u202e\\u2028", coats=2, glossy=false)'
    assert by_call("paint", text="x" * 4_000).line == (
        "no single call undoes it: paint with the previous values, which are too long to show in one call"
    )


@pytest.mark.parametrize(
    ("sentence", "what", "headline"),
    [
        ("Delete the rule  AllowSsh", "AllowSsh", "Delete the rule AllowSsh"),
        ("", "Work item 7", "Delete work item 7"),
        ("", "work items 7 and 8", "Delete work item: work items 7 and 8"),
        ("", "AllowSsh", "Delete work item: AllowSsh"),
        ("", "", "Delete work item"),
        ("", "Delete work item", "Delete work item"),
        ("a" * 500, "", "a" * 500),
        ("a" * 501, "", f"{'a' * 500}…"),
    ],
)
def test_it_is_said_in_one_sentence_on_one_line(sentence: str, what: str, headline: str) -> None:
    assert Preview(what=what, sentence=sentence).headline("Delete work item") == headline


def test_a_title_of_one_word_names_what_it_changes() -> None:
    assert Preview(what=" rule").headline("Delete") == "Delete: rule"


def test_a_text_that_fits_is_not_cut() -> None:
    whole = replace(ROOM, edits=[Edit("text", "a" * 20_000, 5)])
    assert whole.fitting is whole
    cut = replace(ROOM, edits=[Edit("text", "a" * 20_001, 5)]).fitting
    assert str(cut.edits[0].before).startswith(f"{'a' * 20_000}… (")
    assert cut.missing == ["text beyond 20000 characters"]


def test_edits_that_fit_are_not_left_out() -> None:
    edits = [Edit(f"field{number:04}", 1, 2) for number in range(501)]
    fitting = replace(ROOM, edits=edits[:500])
    assert fitting.fitting is fitting
    left = replace(ROOM, edits=edits).fitting
    assert len(left.edits) == 500
    assert left.missing[0].startswith("other edits: 1 of ")
    assert re.fullmatch(r"other edits: 1 of [\w ]+ \([0-9a-f]{8}\)", left.missing[0])


@pytest.mark.parametrize(("letters", "is_shown"), [(256 * 1024 - 11, True), (256 * 1024 - 10, False)])
def test_arguments_are_shown_up_to_a_quarter_of_a_megabyte(letters: int, is_shown: bool) -> None:
    made = Plan.of("office-doors", "brick_up_door", "destroy", {"room": "a" * letters}, ROOM)
    assert made.preview.is_complete == is_shown
    assert made.shown_arguments == {"room": "a" * letters if is_shown else "…"}


def test_an_edit_that_removes_something_is_told_from_one_that_adds_nothing() -> None:
    assert Edit("tags.x", "a", None).importance is not Edit("tags.x", None, None).importance


def test_how_important_an_edit_is_is_kept_if_its_tool_said_so() -> None:
    preview = replace(ROOM, edits=[Edit("a", 1, 2, Importance.SECURITY), Edit("b", 1, 2)])
    kept = Preview.of(loads(to_json(preview.document)))
    assert [edit.stated for edit in kept.edits] == [Importance.SECURITY, None]


@pytest.mark.parametrize(
    "consequence",
    [{"sentence": "x"}, {"effects": ["x"]}, {"undo": by_hand("x")}, {"interrupts": False}, {"touches": 2}],
    ids=str,
)
def test_a_consequence_is_bound_and_none_changes_what_was_agreed_before(consequence: dict[str, Any]) -> None:
    assert len(loads(ROOM.bound)) == 8
    assert len(loads(replace(ROOM, **consequence).bound)) == 13


def test_a_list_and_a_tuple_are_the_same_argument() -> None:
    assert plan(keys=("a", {"b": 1})).call == plan(keys=["a", {"b": 1}]).call
    assert plan(keys=[{"a": 1, "b": 2}]).call == plan(keys=[{"b": 2, "a": 1}]).call
    assert plan(keys=["a", "b"]).call != plan(keys=["b", "a"]).call


def test_a_list_and_a_tuple_are_the_same_in_a_preview() -> None:
    places = {"project": ["House", ("a", "b")]}
    listed = replace(ROOM, places=places, facts={"keys": ["a"]}, edits=[Edit("keys", ["a"], ["b", "c"])])
    tuples = replace(ROOM, places=places, facts={"keys": ("a",)}, edits=[Edit("keys", ("a",), ("b", "c"))])
    assert listed.bound == tuples.bound
    assert Preview.of(loads(to_json(tuples.document))).bound == listed.bound


def test_a_place_may_have_several_names_and_be_one_of_several() -> None:
    assert names_of(None) == []
    assert names_of("a") == [("a",)]
    assert names_of(["a", ["b", "c"]]) == [("a",), ["b", "c"]]


@pytest.mark.parametrize(
    ("undo", "line", "bound"),
    [
        (by_call("start", name="a", size=None), 'to undo it: start(name="a")', 'start(name="a")'),
        (by_call("start").but("Wait."), "to undo it in part: start(); Wait", "to undo it in part: start(); Wait"),
        (by_hand("Start it").but("Wait"), "no single call undoes it: Wait", "no single call undoes it: Wait"),
        (never("It is gone."), "cannot be undone: It is gone", "cannot be undone: It is gone"),
        (Undo(UndoKind.WHOLLY, "Start  it."), "to undo it: Start it", "Start  it."),
        (Undo(UndoKind.WHOLLY), "", ""),
    ],
)
def test_how_it_is_undone_is_said_on_one_line_and_bound(undo: Undo, line: str, bound: str) -> None:
    assert (undo.line, undo.bound) == (line, bound)


def test_a_call_that_undoes_it_takes_further_arguments_and_keeps_its_own() -> None:
    assert by_call("start", name="a").with_arguments({"name": "b", "why": "x"}).text == 'start(name="a", why="x")'
    for other in (by_hand("Start it"), by_call("start")):
        assert other.with_arguments({}) is other
    assert by_hand("Start it").with_arguments({"why": "x"}) == by_hand("Start it")


def test_a_call_too_long_to_read_is_not_shown() -> None:
    assert by_call("start", name="a" * (4_000 - len('start(name="")'))).tool == "start"
    assert by_call("start", name="a" * (4_001 - len('start(name="")'))).way is UndoKind.BY_HAND


@pytest.mark.parametrize(
    ("access", "interrupts", "preview", "effects"),
    [
        (Access.DESTROY, False, {}, {Effect.DESTROYS}),
        (Access.WRITE, False, {}, set()),
        (Access.WRITE, True, {}, {Effect.INTERRUPTS}),
        (Access.WRITE, True, {"interrupts": False}, set()),
        (Access.WRITE, False, {"touches": 5}, set()),
        (Access.WRITE, False, {"touches": 6}, {Effect.BULK}),
        (Access.DESTROY, False, {"grave": "It is."}, {Effect.DESTROYS, Effect.GRAVE}),
        (Access.WRITE, True, {"grave": "It is."}, {Effect.INTERRUPTS, Effect.GRAVE}),
    ],
)
def test_what_it_does_to_others_is_told_by_its_preview(
    access: Access, interrupts: bool, preview: dict[str, Any], effects: set[Effect]
) -> None:
    assert effects_of(access, Preview(what="it", **preview), interrupts=interrupts) == effects


def test_a_preview_that_says_nothing_else_takes_the_worst() -> None:
    said = Preview(what="it")
    assert (said.destroys, said.interrupts, said.touches, said.undo) == (True, True, 1, UNSAID)
    assert (said.is_complete, said.can_be_undone, said.cost, said.doubt, said.grave) == (True, False, "", "", "")
