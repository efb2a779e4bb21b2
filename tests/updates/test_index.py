from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tarfile import TarError

import pytest

from refusal import Refusal
from tests.updates.indexing import ROOT, WITHDRAWN, dice, every, ids, index_of, search, update
from updates.changes import StoredUpdate
from updates.reading.sample import records
from updates.record import Availability, Update
from updates.searching.index import UpdatesIndex
from updates.searching.index_builder import build_index
from updates.searching.search import FoundUpdate, UpdateSearch
from updates.searching.statistics import Retiring

LONG = "<p>" + "Many words stand here. " * 40 + '</p><p><a href="https://example.com/x">Learn more</a></p>'
SHOWN = update(
    "494654c",
    "Generally Available: Something long",
    description=LONG,
    tags=["Features"],
    productCategories=["Compute"],
    products=["Batch"],
    modified="2026-02-03T04:05:06.1234567Z",
    reaches={"General Availability": "2026-02", "Retirement": None},
)
GONE = update(
    "gone", "Retirement: Never mind", description="<p>It was announced.</p>", tags=["Gone"], reaches={"Gone": "2026-01"}
)


@pytest.fixture(scope="module")
def index() -> UpdatesIndex:
    return index_of(SHOWN, update("other", "Public Preview: Else"), withdrawn=[GONE])


def test_an_update_is_shown_whole(index: UpdatesIndex) -> None:
    assert index.find("494654c") == FoundUpdate(
        id="494654c",
        title="Generally Available: Something long",
        description="Many words stand here. " * 39 + "Many words stand here.\n\n[Learn more](https://example.com/x)",
        status="Launched",
        tags=("Features",),
        product_categories=("Compute",),
        products=("Batch",),
        availabilities=(Availability("General Availability", 2026, 2), Availability("Retirement", None, None)),
        created="2026-01-01T00:00:00.0000000Z",
        modified="2026-02-03T04:05:06.1234567Z",
    )
    assert index.find("494654c").url == SHOWN.url


@pytest.mark.parametrize("asked", ["494654C", "  494654c\n"])
def test_an_id_may_be_written_in_another_way(index: UpdatesIndex, asked: str) -> None:
    assert index.find(asked).id == "494654c"


@pytest.mark.parametrize("asked", ["", "494654", "494654c ' or 1=1", "\x00", "\ud800", "x" * 10_000])
def test_an_unknown_id_is_refused(index: UpdatesIndex, asked: str) -> None:
    with pytest.raises(Refusal, match=r"No update has the id .{2,100}Search for the update"):
        index.find(asked)


def test_a_search_shows_the_beginning_unless_all_is_asked_for(index: UpdatesIndex) -> None:
    (short,) = search(index, "long").results
    (full,) = search(index, "long", detail="full").results
    assert len(short.description) <= 300
    assert short.description.endswith("…")
    assert replace(full, relevance=None) == index.find("494654c")
    assert replace(short, description="") == replace(full, description="")


def test_what_was_withdrawn_is_found_by_its_id_alone(index: UpdatesIndex) -> None:
    gone = index.find("gone")
    assert gone.withdrawn == WITHDRAWN.isoformat()
    assert gone.description == "It was announced."
    assert sorted(ids(index)) == ["494654c", "other"]
    assert ids(index, "announced retirement") == []
    assert ids(index, "-announced", sort_by="title:asc") == ["494654c", "other"]
    assert (index.facts.total, index.facts.withdrawn) == (2, 1)
    with pytest.raises(Refusal):
        search(index, tags=("Gone",))


def test_ids_are_completed(index: UpdatesIndex) -> None:
    assert index.ids("", 10) == ["494654c", "gone", "other"]
    assert index.ids("49", 10) == ["494654c"]
    assert index.ids("", 2) == ["494654c", "gone"]
    assert index.ids("\ud800.*", 2) == []


def test_the_facts_and_statistics_count_what_is_there() -> None:
    retiring = update(
        "r", "Retirement: Batch", products=["Batch"], reaches={"Retirement": "2027-05"}, created="2026-02-01T00:00:00Z"
    )
    some_day = update("s", "Retirement: More", status=None, reaches={"Retirement": None, "Preview": "2026"})
    index = index_of(SHOWN, retiring, some_day, withdrawn=[GONE])
    assert index.facts.newest == SHOWN.modified
    assert index.vocabulary.counts["availabilityRing"] == {"General Availability": 1, "Preview": 1, "Retirement": 3}
    assert index.vocabulary.counts["status"] == {"Launched": 2}
    statistics = index.statistics
    assert statistics.months == {"2026-01": 2, "2026-02": 1}
    assert statistics.categories == {"Compute": 1}
    assert statistics.rings == index.vocabulary.counts["availabilityRing"]
    assert statistics.months_of_rings == {
        "General Availability": {"2026-02": 1},
        "Preview": {"2026": 1},
        "Retirement": {"2027-05": 1},
    }
    assert statistics.retirements == (
        Retiring("2027-05", "r", "Retirement: Batch", ("Batch",)),
        Retiring(None, "494654c", "Generally Available: Something long", ("Batch",)),
        Retiring(None, "s", "Retirement: More", ()),
    )


def test_what_is_said_about_an_index_is_kept() -> None:
    assert UpdatesIndex.open(build_index([], {"built": "today"})).facts.about == {"built": "today"}


def test_an_index_of_nothing_answers() -> None:
    index = UpdatesIndex.open(build_index([], {}))
    assert (search(index, "anything").total, search(index, facts := "", facets=True).total) == (0, 0)
    assert search(index, facts, sort_by="availability:asc").results == ()
    assert index.statistics.retirements == ()
    with pytest.raises(Refusal):
        index.find("1")


def test_the_same_updates_make_the_same_file_in_any_order_and_process() -> None:
    code = """if True:
        import hashlib, sys
        from updates.changes import StoredUpdate
        from updates.searching.index_builder import build_index
        from updates.record import Update
        from updates.reading.sample import records
        stored = [StoredUpdate(Update.from_api(raw)) for raw in records(60)]
        print(hashlib.sha256(build_index(stored[:: int(sys.argv[1])], {"a": "b"})).hexdigest())
    """
    made = [
        subprocess.run(
            [sys.executable, "-c", code, step],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for step, seed in (("1", "1"), ("-1", "2"))
    ]
    assert made[0] == made[1]


def test_one_index_is_searched_from_many_threads() -> None:
    index = index_of(*map(Update.from_api, records(300)))
    requests = [
        UpdateSearch(query, sort_by=order, facets=True, detail="full")
        for query in (
            "",
            "node pools",
            "retirement keys -backup",
            '"availability zones"',
            "kubrnetes",
            "certificates rotation",
        )
        for order in (None, "availability:asc", "title:desc")
    ]
    alone = [index.search(request) for request in requests]
    mixed = [dice(number).sample(range(len(requests)), len(requests)) for number in range(8)]

    def some(order: list[int]) -> bool:
        return all(index.search(requests[number]) == alone[number] for number in order)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(some, mixed))


def test_a_closed_index_leaves_nothing_on_the_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    index: UpdatesIndex | None = index_of(SHOWN)
    assert len(list(tmp_path.iterdir())) == 1
    del index
    gc.collect()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cut", [0, 1_000, -20_000])
def test_a_damaged_index_is_not_opened_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cut: int
) -> None:
    content = build_index([StoredUpdate(SHOWN)], {})
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises((TarError, OSError, ValueError)):
        UpdatesIndex.open(content[:cut])
    assert list(tmp_path.iterdir()) == []


def test_odd_records_neither_break_an_index_nor_are_lost() -> None:
    odd = [
        update(
            "0",
            "\ud800 half a character",
            description="\udc00<a href='https://example.com/\ud800'>x</a>",
            tags=["\ud800"],
        ),
        update("1", "long " + "x" * 100_000, description="y" * 100_000),
        update("2", created="0001-01-01T00:00:00+14:00", modified="9999-12-31T23:59:59.9999999Z"),
        update("Mixed Case", modified="2026-01-01"),
        update("3", availabilities=[{"ring": "Preview", "year": 1, "month": "January"}]),
        update("4", availabilities=[{"ring": "Preview", "year": 9999, "month": "December"}]),
    ]
    index = index_of(*odd)
    assert {found.id for found in every(index)} == {one.id for one in odd}
    assert index.find("mixed case").id == "Mixed Case"
    assert ids(index, availability_ring="Preview", date_from="9999-12") == ["4"]
    assert ids(index, date_from="9999-12-31") == ["2"]
    assert ids(index, "half character") == ["0"]
