from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

import pytest

from tests.updates.indexing import ids, index_of, search
from updates.reading.sample import records
from updates.record import MONTHS, Update
from updates.searching.index import UpdatesIndex

KEYS = (
    "id title description status productCategories products tags availabilities generalAvailabilityDate"
    " previewAvailabilityDate privatePreviewAvailabilityDate created modified locale"
)


@pytest.fixture(scope="module")
def index() -> UpdatesIndex:
    return index_of(*map(Update.from_api, records(400)))


def test_the_same_sample_is_invented_every_time() -> None:
    assert records(50) == records(50)
    assert records(50, seed=2) != records(50)
    assert records(0) == []


def test_the_sample_is_of_the_day_on_which_it_is_invented() -> None:
    for today in (date(2026, 12, 31), date(2027, 1, 1), date(2028, 2, 29), date(2031, 6, 15)):
        created = sorted(raw["created"][:10] for raw in records(400, today=today))
        assert f"{today - timedelta(days=30)}" < created[-1] <= f"{today}"
        assert {raw["title"] for raw in records(50, today=today)} != {raw["title"] for raw in records(50)}


def test_something_of_networking_retires_until_the_end_of_next_year_whatever_day_it_is() -> None:
    for today in (date(2026, 1, 1) + timedelta(days=days) for days in range(0, 800, 9)):
        updates = [Update.from_api(raw) for raw in records(10, today=today)]
        networking = [one for one in updates if "Networking" in one.product_categories]
        months = [a.date or "" for one in networking for a in one.availabilities if a.ring == "Retirement"]
        assert [month for month in months if f"{today:%Y-%m}" <= month <= f"{today.year + 1}-12"]


def test_an_id_says_that_the_update_is_invented() -> None:
    assert all(raw["id"].startswith("invented-") for raw in records(200))


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


def test_the_sample_can_be_searched_in_earnest(index: UpdatesIndex) -> None:
    found = search(index, "customer-managed keys", limit=5).results
    assert found
    assert all("Customer-managed keys" in one.title for one in found)
    assert ids(index, products=("AKS",))
    assert "someone" not in " ".join(one.description for one in search(index, limit=100, detail="full").results)


def test_retirements_come_in_the_order_of_their_dates(index: UpdatesIndex) -> None:
    found = search(index, availability_ring="Retirement", sort_by="availability:asc").results
    dates = [one.availabilities[0].date or "" for one in found]
    assert len(dates) > 20
    assert dates == sorted(dates)
