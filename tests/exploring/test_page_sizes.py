"""Pages stay small however many updates there are, because each lists a part of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.changes.bench import Browser, Office, at_the_laptop
from tests.exploring.bench import HTML, explored
from tests.exploring.planted import SLIPS, UPDATES, retiring
from tests.fakes.updates.api import Record

pytestmark = pytest.mark.anyio

LARGEST: Final = 100_000
FEW: Final = 300
# What real ones have: a title of a line, some products of a few hundred, and a month that many share.
MANY: Final = 900
PRODUCTS: Final = 250
PAGES: Final = (
    "/",
    "/updates",
    "/updates?availabilityRing=Retirement&page=3",
    f"/updates/{SLIPS}",
    "/retirements?from=2027-01",
    "/calendar?month=2027-06",
    "/connect",
)


def planned(count: int) -> tuple[Record, ...]:
    """So many retirements in one month."""
    many = (
        retiring(
            1000 + number,
            f"Retirement: Version {number} of a service with a usual name retires on June {number % 28 + 1}, 2027",
            "June",
            2027,
            products=[f"A product of a usual name {(number + step) % PRODUCTS}" for step in range(3)],
        )
        for number in range(count)
    )
    return (*UPDATES, *many)


@asynccontextmanager
async def sized(folder: Path, count: int) -> AsyncIterator[dict[str, int]]:
    """How large each page is with so many updates."""
    async with explored(folder, planned(count), **at_the_laptop) as office:
        yield {path: await size_of(office, path) for path in PAGES}


async def size_of(office: Office, path: str) -> int:
    answer = await Browser(office, host="localhost:7071", headers=dict(HTML)).visit(path)
    assert answer.status == 200
    return len(answer.body)


async def test_no_page_is_larger_than_its_budget_or_grows_with_the_updates(tmp_path: Path) -> None:
    async with sized(tmp_path / "few", FEW) as few, sized(tmp_path / "many", MANY) as many:
        assert {path: size for path, size in many.items() if size >= LARGEST} == {}
        # All that grows are numbers.
        assert {path: many[path] - few[path] for path in PAGES if many[path] > few[path] * 1.05} == {}
