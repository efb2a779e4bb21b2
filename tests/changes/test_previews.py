"""What a preview binds, and what of it is shown."""

from __future__ import annotations

from dataclasses import replace
from json import loads
from typing import Any

import pytest

from changes.plan import LARGEST_ARGUMENTS, Plan
from changes.preview import LONGEST_TEXT, MOST_EDITS, Edit, Preview
from changes.undo import Undo, by_call, by_hand, never, unknown

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
    written = by_call("paint", text="two  spaces,\nand \u202e\u2028", coats=2, dry=None, glossy=False)
    assert written.line == 'to undo it: paint(text="two  spaces,\\nand \\u202e\\u2028", coats=2, glossy=false)'
    assert by_call("paint", text="x" * 4_000).line == (
        "no single call undoes it: paint with the previous values, which are too long to show in one call"
    )
