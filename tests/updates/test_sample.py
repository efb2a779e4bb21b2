from __future__ import annotations

from collections import Counter

import pytest

from tests.updates.indexing import ids, index_of, search
from updates.reading.sample import records
from updates.record import MONTHS, Update
from updates.searching.index import Index

KEYS = (
    "id title description status productCategories products tags availabilities generalAvailabilityDate"
    " previewAvailabilityDate privatePreviewAvailabilityDate created modified locale"
)


@pytest.fixture(scope="module")
def index() -> Index:
    return index_of(*map(Update.from_api, records(400)))


def test_the_same_sample_is_invented_every_time() -> None:
    assert records(50) == records(50)
    assert records(50, seed=2) != records(50)
    assert records(0) == []


def test_records_have_the_shape_of_the_feed() -> None:
    for raw in records(200):
        assert raw.keys() == set(KEYS.split())
        assert len(raw["created"]) == len("2026-01-01T00:00:00.1234567Z")
        assert raw["created"] <= raw["modified"]
        dates = {
            entry["ring"]: f"{entry['year']}-{MONTHS.index(entry['month']) + 1:02}" for entry in raw["availabilities"]
        }
        assert raw["generalAvailabilityDate"] == dates.get("General Availability")
        assert raw["previewAvailabilityDate"] == dates.get("Preview")


def test_the_sample_has_what_makes_the_feed_hard() -> None:
    updates = [Update.from_api(raw) for raw in records(400)]
    rings = Counter(availability.ring for one in updates for availability in one.availabilities)
    assert set(rings) == {"General Availability", "Preview", "Private Preview", "Retirement", "Effective"}
    assert {one.status for one in updates} == {"Launched", "In preview", "In development", None}
    assert {"Feature", "Features", "Retirements"} <= {tag for one in updates for tag in one.tags}
    assert len({one.id for one in updates}) == len(updates)
    assert len({one.title for one in updates}) < len(updates)
    assert any(not one.products for one in updates)
    assert any(not one.availabilities for one in updates)
    assert any(one.created != one.modified for one in updates)
    assert any("safelinks" in one.description for one in updates)


def test_the_sample_can_be_searched_in_earnest(index: Index) -> None:
    found = search(index, "customer-managed keys", limit=5).results
    assert found
    assert all("Customer-managed keys" in one.title for one in found)
    assert ids(index, products=("AKS",))
    assert "someone" not in " ".join(one.description for one in search(index, limit=100, detail="full").results)


def test_retirements_come_in_the_order_of_their_dates(index: Index) -> None:
    found = search(index, availability_ring="Retirement", sort_by="availability:asc").results
    dates = [one.availabilities[0].date or "" for one in found]
    assert len(dates) > 20
    assert dates == sorted(dates)
