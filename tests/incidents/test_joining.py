"""What always holds of joining and comparing names, whatever happened."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incidents import event_kinds
from incidents.events import Event, commit_key, moment_of, number_keys, short
from incidents.joining import joined
from incidents.likeness import AKIN, CONTAINED, SAME, is_elsewhere, is_named_in, likeness
from tests.tools.incidents.world import NOW

# The nightly workflow tries many more.
few = settings(
    max_examples=int(os.environ.get("FUZZ_EVENTS", "25")), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

_KINDS = [event_kinds.SETTING, event_kinds.CODE, event_kinds.TAGS, event_kinds.ALERT]
_EVENTS = st.builds(
    Event,
    at=st.integers(0, 5_000).map(lambda minutes: NOW - timedelta(minutes=minutes)),
    source=st.sampled_from(["resource_changes", "activity_log", "azure_devops_builds"]),
    kind=st.sampled_from(_KINDS),
    what=st.text(max_size=5),
    target=st.sampled_from(["", "/subscriptions/s/resourceGroups/g/providers/n.m/t/one", "/x"]),
    who=st.sampled_from(["", "ada", "grace"]),
    keys=st.frozensets(st.sampled_from(["correlation:1", "commit:1", "build:2", "number:3"]), max_size=2),
)


@few
@given(st.lists(_EVENTS, max_size=40))
def test_every_event_is_in_one_group_and_no_other(events: list[Event]) -> None:
    groups = joined(events)
    assert sorted(map(id, (event for group in groups for event in group))) == sorted(map(id, events))
    assert all(groups)


@few
@given(st.lists(_EVENTS, max_size=20), st.randoms())
def test_the_order_in_which_sources_answer_does_not_count_where_times_differ(
    events: list[Event], random: object
) -> None:
    apart = list({event.at: event for event in events}.values())
    mixed = sorted(apart, key=lambda event: hash((event.at, str(random))))
    ways = [{frozenset(map(id, group)) for group in joined(some)} for some in (apart, mixed)]
    assert ways[0] == ways[1]


def test_one_correlation_is_one_thing_within_half_an_hour() -> None:
    moments = [NOW, NOW - timedelta(minutes=25), NOW - timedelta(minutes=80)]
    told = [
        Event(
            at=at,
            source="resource_changes",
            kind=event_kinds.OTHER,
            what="",
            target=f"/{at}",
            keys=frozenset({"correlation:a"}),
        )
        for at in moments
    ]
    assert sorted(len(group) for group in joined(told)) == [1, 2]


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        ("shop-web", "ShopWeb", SAME),
        ("shop-web", "shop-web-ci", SAME),
        ("shop-web-prod", "shop-web", SAME),
        ("shop-orders", "orders", CONTAINED),
        ("shop-orders", "shop-receipts", AKIN),
        ("shop-web", "oven-api", 0.0),
        ("web", "api", 0.0),
        ("", "", 0.0),
    ],
)
def test_names_are_as_alike_as_people_would_say(one: str, other: str, how: float) -> None:
    assert likeness(one, other) == likeness(other, one) == how


@few
@given(st.text(max_size=30), st.text(max_size=30))
def test_names_are_alike_both_ways(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one)
    assert is_named_in(one, f"x {one} y") or not one.strip()


def test_live_and_trial_environments_are_told_apart() -> None:
    assert is_elsewhere(["production"], "deploy to staging")
    assert is_elsewhere(["shop-dev"], "prod")
    assert not is_elsewhere(["production"], "prod-eu")
    assert not is_elsewhere([], "staging")


def test_numbers_commits_and_moments_are_read_as_they_are_written() -> None:
    assert list(number_keys("20260506.7")) == ["number:20260506.7"]
    assert list(number_keys(107)) == ["number:107", "build:107"]
    assert commit_key("A1B2C3D4E5") == "commit:a1b2c3d"
    assert moment_of("2026-01-31T08:00:00.1234567Z") is not None
    assert moment_of("soon") is None
    assert short("a\nb" + "c" * 300).endswith("…")
