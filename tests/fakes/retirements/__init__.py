"""What of the invented bakery real retirements affect, and the announcements of these."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import add_to_group
from tests.fakes.updates.api import Record
from updates.record import INVENTED, MONTHS

_FILE: Final = Path(__file__).with_name("retiring.yaml")
_LEARN: Final = "https://example.com/migrate"


@cache
def retirements() -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))["retirements"]
    return told


def add_affected(azure: FakeAzure) -> None:
    """Give the bakery what these retirements affect beside what it has anyway."""
    now = datetime.now(UTC)
    for one in retirements():
        for resource in one.get("new", ()):
            add_to_group(azure.estate, resource["group"], {**resource, "group": None}, now)


def announcements() -> list[Record]:
    return [announcement(one) for one in retirements()]


def invented_announcements() -> list[Record]:
    """The same under ids that nobody takes for those of real updates."""
    return [{**one, "id": f"{INVENTED}{one['id']}"} for one in announcements()]


def announcement(one: dict[str, Any], **changes: Any) -> Record:
    """As the feed has it, which tells the month and in its text the day."""
    due = one["due"]
    year, month = (due.year, due.month) if isinstance(due, date) else map(int, due.split("-"))
    day = f"{due:%B} {due.day}, {due.year}" if isinstance(due, date) else f"{MONTHS[month - 1]} {year}"
    return {
        "id": one["update"],
        "productCategories": [],
        "tags": ["Retirements"],
        "products": one["products"],
        "title": one["title"],
        "description": f'<p>It retires on {day}. <a href="{_LEARN}">Learn how to migrate</a>.</p>',
        "status": None,
        "created": "2026-06-01T12:00:00.1234567Z",
        "modified": "2026-06-01T12:00:00.1234567Z",
        "locale": None,
        "availabilities": [{"ring": "Retirement", "year": year, "month": MONTHS[month - 1]}],
        **changes,
    }
