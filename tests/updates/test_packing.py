from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hypothesis import example, given, settings
from hypothesis import strategies as st

from clients.storage import BATCH_BYTES, BATCH_ROWS
from updates.changes import ChangeKind
from updates.keeping.packing import UpdateEntry, batches, key_of, latest_first, newest_first

ids = st.text(min_size=1, max_size=500)
moments = st.datetimes(datetime(2000, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds the zone
contents = st.integers(0, BATCH_BYTES + 1000).map(bytes)
entries = st.builds(UpdateEntry, st.just("key"), st.just(ChangeKind.EDITED), contents, st.none() | contents)
small_entries = st.builds(
    UpdateEntry, st.just("key"), st.just(ChangeKind.EDITED), st.just(b"1"), st.none() | st.just(b"2")
)


@settings(deadline=None)
@given(ids)
@example("~")
def test_a_key_holds_only_what_every_storage_takes(update_id: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._!-]{1,400}", key_of(update_id))


@settings(deadline=None)
@given(ids, ids)
def test_different_ids_have_different_keys(one: str, other: str) -> None:
    assert (key_of(one) == key_of(other)) == (one == other)


@settings(deadline=None)
@given(st.integers(0, 10**12 - 1))
def test_a_later_revision_sorts_before(revision: int) -> None:
    assert newest_first(revision + 1) < newest_first(revision)


@settings(deadline=None)
@given(moments, moments)
def test_a_later_moment_sorts_before(one: datetime, other: datetime) -> None:
    assert (latest_first(one) < latest_first(other)) == (one > other)
    assert latest_first(one + timedelta(microseconds=1)) < latest_first(one)


@settings(deadline=None)
@given(st.lists(entries, max_size=12) | st.lists(small_entries, min_size=90, max_size=250))
def test_batches_hold_everything_in_order_and_no_more_than_the_storage_takes(found: list[UpdateEntry]) -> None:
    made = list(batches(found))
    assert [entry for batch in made for entry in batch] == found
    for batch in made:
        rows = sum(1 + (entry.change is not None) for entry in batch)
        size = sum(len(entry.stored) + len(entry.change or b"") for entry in batch)
        assert rows <= BATCH_ROWS
        assert size <= BATCH_BYTES or len(batch) == 1
