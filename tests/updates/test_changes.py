from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.updates.syncing import NOON, record
from updates.changes import ChangeKind, StoredUpdate, compare, held_before
from updates.record import Update

words = st.sampled_from(["", "a", "b", "ab"])
updates = st.builds(
    lambda number, title, tags, year: Update.from_api(
        record(number, title=f"Title {title}", tags=tags, availabilities=[{"ring": "Preview", "year": year}])
    ),
    st.integers(0, 8),
    words,
    st.lists(words.filter(bool), max_size=2),
    st.integers(2020, 2022),
)
feeds = st.lists(updates, unique_by=lambda update: update.id, max_size=8)
Known = dict[str, StoredUpdate]


def after(known: Mapping[str, StoredUpdate], read: list[Update]) -> Known:
    """What is known after a reading of everything."""
    gone = held_before(known) - {update.id for update in read}
    return {**known, **{found.change.id: found.stored for found in compare(known, read, NOON, gone)}}


@settings(deadline=None)
@given(st.lists(feeds, max_size=4), feeds)
def test_after_a_reading_what_is_known_to_be_held_is_what_was_read(
    history: list[list[Update]], read: list[Update]
) -> None:
    known: Known = {}
    for earlier in history:
        known = after(known, earlier)
    known = after(known, read)
    assert {key: known[key].update for key in held_before(known)} == {update.id: update for update in read}


@settings(deadline=None)
@given(st.lists(feeds, min_size=1, max_size=3))
def test_reading_the_same_again_changes_nothing(history: list[list[Update]]) -> None:
    known: Known = {}
    for read in history:
        known = after(known, read)
    assert list(compare(known, history[-1], NOON)) == []
    assert after(known, history[-1]) == known


@settings(deadline=None)
@given(st.lists(feeds, max_size=4))
def test_nothing_that_was_known_is_ever_forgotten(history: list[list[Update]]) -> None:
    known: Known = {}
    for read in history:
        known = after(known, read)
    assert set(known) == {update.id for read in history for update in read}


@settings(deadline=None)
@given(updates, updates)
def test_the_edits_lead_from_before_to_after(before: Update, later: Update) -> None:
    if before.id != later.id:
        return
    changes = [found.change for found in compare({before.id: StoredUpdate(before)}, [later], NOON)]
    changed: dict[str, Any] = {edit.field: edit.after for change in changes for edit in change.edits}
    assert all(change.kind is ChangeKind.EDITED for change in changes)
    assert {field: getattr(later, field) for field in changed} == changed
    assert (before == later) == (changes == [])
