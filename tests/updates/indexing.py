"""Indexes of invented updates, and how one would search them without any index."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import settings

from updates.changes import StoredUpdate
from updates.record import MONTHS, Update
from updates.searching.index import UpdatesIndex
from updates.searching.index_builder import build_index
from updates.searching.search import FoundUpdate, SearchFilters, SearchResults, UpdateSearch

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("AZURE_TEAM_MCP_TEST_DATA", ROOT.parent / "shared" / "data")) / "updates"
WITHDRAWN = datetime(2026, 7, 1, 12, tzinfo=UTC)
UNHURRIED = settings(deadline=None)


def dice(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - nothing secret is drawn


def update(key: str = "1", title: str = "Generally Available: Something", **changes: Any) -> Update:
    """One update; `reaches` gives its rings with their dates as `YYYY-MM` or `YYYY`."""
    reaches = changes.pop("reaches", {})
    raw = {
        "id": key,
        "title": title,
        "description": "",
        "status": "Launched",
        "tags": [],
        "productCategories": [],
        "products": [],
        "created": "2026-01-01T00:00:00.0000000Z",
        "modified": changes.get("created", "2026-01-01T00:00:00.0000000Z"),
        "availabilities": [availability(ring, date) for ring, date in reaches.items()],
    }
    return Update.from_api(raw | changes)


def availability(ring: str, date: str | None) -> dict[str, Any]:
    year, _, month = (date or "").partition("-")
    return {"ring": ring, "year": int(year) if year else None, "month": MONTHS[int(month) - 1] if month else None}


def index_of(*updates: Update, withdrawn: Iterable[Update] = ()) -> UpdatesIndex:
    stored = [StoredUpdate(one) for one in updates] + [StoredUpdate(one, WITHDRAWN) for one in withdrawn]
    return UpdatesIndex.open(build_index(stored, {}))


def search(index: UpdatesIndex, query: str = "", /, **asked: Any) -> SearchResults:
    """Search with the fields of a request and of its filters side by side."""
    filters = {name: asked.pop(name) for name in list(asked) if name in SearchFilters.__dataclass_fields__}
    return index.search(UpdateSearch(query, SearchFilters(**filters), **asked))


def ids(index: UpdatesIndex, query: str = "", /, **asked: Any) -> list[str]:
    return [found.id for found in search(index, query, **asked).results]


def every(index: UpdatesIndex, query: str = "", /, page: int = 100, **asked: Any) -> list[FoundUpdate]:
    """All that is found, page by page."""
    found: list[FoundUpdate] = []
    while (results := search(index, query, limit=page, offset=len(found), **asked)).results:
        assert len(results.results) <= page
        found += results.results
    assert len(found) == results.total
    return found
