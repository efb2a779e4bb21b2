"""The file that maps announcements to resources, held against what the feed really says."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from retirements.mapping import FILE, products, read
from tests.updates.indexing import DATA

pytestmark = pytest.mark.anyio


@cache
def captures() -> dict[str, dict[str, Any]]:
    files = sorted((DATA / "snapshots").glob("*.json.gz"))
    if not files:
        pytest.skip(f"there are no captures in {DATA}; set AZURE_TEAM_MCP_TEST_DATA to where they are")
    return {raw["id"]: raw for file in files for raw in json.loads(gzip.decompress(file.read_bytes()))["value"]}


@cache
def announced() -> dict[str, tuple[str, list[str] | None]]:
    """The title of every retirement in the data, by its id, and its products where they are told."""
    found: dict[str, tuple[str, list[str] | None]] = {}
    for raw in captures().values():
        rings = {one["ring"] for one in raw["availabilities"]}
        if "Retirements" in raw["tags"] or "Retirement" in rings:
            found[raw["id"]] = (raw["title"], raw["products"])
    return found | dict(_edited()) | dict(_in_rss())


def _edited() -> Iterator[tuple[str, tuple[str, None]]]:
    for line in (DATA / "change_evidence.jsonl").read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        for side in ("before", "after"):
            title = (told.get(side) or {}).get("title", "")
            if "etire" in title:
                yield f"{told['id']} {side}", (title, None)


def _in_rss() -> Iterator[tuple[str, tuple[str, None]]]:
    for item in ET.parse(DATA / "rss_20250324_200items.xml").iter("item"):  # noqa: S314 - a file of ours
        kinds = {one.text for one in item.findall("category")}
        if "Retirements" in kinds:
            title = unescape(" ".join((item.findtext("title") or "").split()))
            yield str(item.findtext("guid")), (title, None)


def test_every_real_retirement_is_mapped_or_listed_as_not_assessable_with_a_reason() -> None:
    entries = {key: products().entry_of(title, named) for key, (title, named) in announced().items()}
    assert [key for key, entry in entries.items() if entry is None] == []
    for entry in filter(None, entries.values()):
        assert entry.cannot or entry.concerned
        assert not entry.cannot or products().reasons[entry.cannot].endswith(".")


def test_at_least_half_of_the_real_retirements_are_mapped() -> None:
    entries = [products().entry_of(title, named) for title, named in announced().values()]
    mapped = [entry for entry in entries if entry and not entry.cannot]
    assert len(mapped) * 2 >= len(entries)


def test_no_entry_is_without_a_real_retirement() -> None:
    used = {id(products().entry_of(title, named)) for title, named in announced().values()}
    # What is told to have been edited is not in the captures any more.
    idle = [one.title.pattern for one in products().entries if id(one) not in used]
    assert idle == []


def test_what_is_no_retirement_fits_no_entry() -> None:
    others = [raw for raw in captures().values() if raw["id"] not in announced()]
    assert len(others) > 500
    wrong = [raw["title"] for raw in others if products().entry_of(raw["title"], raw["products"])]
    assert wrong == []


def test_every_product_of_the_feed_has_types_or_is_known_to_have_none() -> None:
    captured = {name for raw in captures().values() for name in raw["products"]}
    told = json.loads((DATA / "vocabulary_20250324_full_corpus.json").read_text(encoding="utf-8"))
    feed = {name for name, _ in told["Product"]} | captured
    assert feed - products().types.keys() == set()
    assert products().types.keys() - feed == set()
    named = {name for entry in products().entries for name in entry.products}
    assert named <= feed


def test_types_are_written_as_resource_graph_compares_them() -> None:
    concerned = [one.type for entry in products().entries for one in entry.concerned]
    for kind in [*concerned, *(one for types in products().types.values() for one in types)]:
        assert re.fullmatch(r"microsoft\.[a-z0-9]+(/[a-z0-9]+)+", kind), kind


def test_every_entry_says_what_to_do() -> None:
    for entry in products().entries:
        assert entry.do.endswith(".") or entry.cannot == "nothing", entry.title.pattern
        assert not entry.but or entry.but.endswith(".")
        for old, new in entry.replace:
            assert old != new
            assert any(term in old or old in term for term in entry.code), old


def test_no_date_of_a_retirement_is_in_the_file() -> None:
    months = "January|February|March|April|May|June|July|August|September|October|November|December"
    assert re.findall(rf"({months}) (\d+|20\d\d)", FILE.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("{title: x, types: a/b}", "unknown names: types"),
        ("{title: x, cannot: whatever}", "not a valid reason"),
        ("{title: x, of: a/b, sure: very}", "very"),
    ],
)
def test_what_the_file_cannot_say_is_refused(wrong: str, words: str) -> None:
    text = f"reasons: {{}}\nproducts: {{}}\nwithout_resources: []\nretirements: [{wrong}]"
    with pytest.raises(ValueError, match=words):
        read(text)


def test_the_first_entry_that_fits_counts() -> None:
    batch = products().entry_of("Retirement: NVv4-series for Azure Batch pools", ["Batch"])
    assert batch
    assert batch.cannot == "inside"
    machines = products().entry_of("Retirement: NVv4-series Azure Virtual Machines", [])
    assert machines
    assert machines.concerned
