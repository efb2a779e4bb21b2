"""Entries that a script proposes for announcements that nobody has mapped yet."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from retirements.mapping import products, read
from scripts.proposing import proposals, records_in, title_of
from tests.updates.indexing import DATA, update


@pytest.mark.parametrize(
    ("title", "pattern"),
    [
        ("Retirement: Azure Lamp Service will be retired on March 31, 2027", "Azure Lamp Service"),
        ("Retirement: Azure Lamp Service - move to LEDs", "Azure Lamp Service"),
        ("Retirement: Lamps retire", "Lamps retire"),
        ("Support for Lamp 2 ends on March 31, 2027", "Support for Lamp 2"),
    ],
)
def test_the_title_is_the_name_of_the_thing(title: str, pattern: str) -> None:
    assert title_of(title) == pattern


def test_what_no_entry_fits_is_proposed_and_can_be_read_once_it_is_pasted() -> None:
    new = update("7", "Retirement: Old lamps of App Service will end", tags=["Retirements"], products=["App Service"])
    strange = update("8", "Retirement: Candles: {x}", tags=["Retirements"], products=["Azure Candles"])
    mapped = update("9", "Retirement: Azure Cache for Redis is retiring", tags=["Retirements"])
    told = proposals([new, strange, mapped, update("10")])
    assert told.startswith("# 3 retirements, 2 without an entry.")
    assert "Azure Candles: microsoft.UNKNOWN/UNKNOWN" in told
    assert "microsoft.web/sites" in told
    entries = yaml.safe_load(told.partition("# Entries")[2].partition("\n")[2])
    document = {"reasons": {}, "products": {}, "without_resources": [], "retirements": entries}
    assert read(yaml.safe_dump(document)).entry_of(new.title, new.products)


@given(st.text(min_size=1, max_size=200))
def test_whatever_the_title_is_its_pattern_finds_it(title: str) -> None:
    assert re.search(title_of(title), title)


def test_of_a_capture_all_are_mapped() -> None:
    files = sorted((DATA / "snapshots").glob("*.json.gz"))
    if not files:
        pytest.skip(f"there are no captures in {DATA}; set AZURE_TEAM_MCP_TEST_DATA to where they are")
    assert ", 0 without an entry." in proposals(records_in(str(files[-1])))


def test_a_record_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "capture.json.gz"
    file.write_bytes(gzip.compress(json.dumps({"value": [{"id": 1}, None]}).encode()))
    assert records_in(str(file)) == []
    assert products().entries
