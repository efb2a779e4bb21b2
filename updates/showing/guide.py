"""A guide to Azure updates for models: the available filters, and working examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from updates.library import Health
from updates.searching.parameters import SORT_BY
from updates.searching.search import FoundUpdate

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex

_DAY: Final = len("2027-03-31")


def examples(today: date) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return example questions, each with the tool arguments that answer it. Tests run each example on sample data and
    on current data.
    """
    year, next_year = today.year, today.year + 1
    retiring = {"availabilityRing": "Retirement", "dateFrom": f"{year}-01", "dateTo": f"{next_year}-12"}
    launched = {"productCategories": ["Networking"], "status": "Launched"}
    return (
        ("What is new about private endpoints?", {"query": "private endpoints", "limit": 10}),
        ("The newest updates", {SORT_BY: "modified:desc", "limit": 10, "detail": "brief"}),
        ("What was added, edited or withdrawn since a given day", {"filters": {"changedSince": f"{year}-01-01"}}),
        (
            f"What retires in {year} and {next_year}, soonest first?",
            {"filters": retiring, SORT_BY: "availability:asc"},
        ),
        ("What is generally available in Networking?", {"filters": launched}),
        ("An exact phrase, excluding a word", {"query": '"virtual machines" -preview'}),
        ("How many updates each category has, without listing them", {"limit": 1, "facets": True}),
    )


def document_of(found: FoundUpdate) -> dict[str, Any]:
    """Return an update in full, with its history. As in lists, dates are shown without a time."""
    created, modified = found.created[:_DAY], found.modified[:_DAY]
    values = {
        "description": found.description,
        "status": found.status,
        "tags": found.tags,
        "productCategories": found.product_categories,
        "products": found.products,
        "availabilities": [str(availability) for availability in found.availabilities],
        "created": created if created != modified else None,
        "modified": modified,
        "withdrawn": found.withdrawn and found.withdrawn[:_DAY],
        "url": found.url,
        "history": found.history,
    }
    told = {name: value for name, value in values.items() if value not in (None, "", (), [])}
    return {"id": found.id, "title": found.title, **told}


def guide_of(index: UpdatesIndex, health: Health, today: date) -> dict[str, Any]:
    return {
        "totalUpdates": index.facts.total,
        **freshness_of(health),
        "filters": {kind: _by_count(counts) for kind, counts in index.vocabulary.counts.items()},
        "dates": "YYYY-MM-DD, YYYY-MM or a timestamp. Dates refer to the last edit or, if you set a ring, to the ring",
        "query": 'Words, "quoted phrases" and -excluded words',
        "examples": [{"question": question, "arguments": arguments} for question, arguments in examples(today)],
    }


def freshness_of(health: Health) -> dict[str, Any]:
    """Return when the last successful sync ran, and whether the updates are real."""
    return {
        "status": health.status,
        "lastSyncTimestamp": health.synced and health.synced.isoformat(),
        "dataFreshnessHours": None if health.hours is None else round(health.hours, 2),
        "isSample": health.is_sample,
        **({"advice": health.advice} if health.advice else {}),
    }


def statistics_document(index: UpdatesIndex) -> dict[str, Any]:
    """Return the statistics of the index, with the retirement calendar."""
    statistics = index.statistics
    return {
        "totalUpdates": index.facts.total,
        "withdrawn": index.facts.withdrawn,
        "perMonth": statistics.months,
        "perCategory": statistics.categories,
        "perRing": statistics.rings,
        "perMonthOfRing": statistics.months_of_rings,
        "retirements": [asdict(retiring) for retiring in statistics.retirements],
    }


def _by_count(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
