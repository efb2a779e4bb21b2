"""What a model reads about the updates before it asks: what there is to filter by, and examples that work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from updates.changes import Change, Edit
from updates.library import Health
from updates.record import MONTHS, Availability
from updates.searching.search import Filters, FoundUpdate, SearchResults

if TYPE_CHECKING:
    from updates.searching.index import Index

_LONGEST_VALUE: Final = 600


def examples(today: date) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Questions and how to ask them. Every one is run by a test, on the sample and on whatever else is served."""
    year, next_year = today.year, today.year + 1
    retiring = {"availabilityRing": "Retirement", "dateFrom": f"{year}-01", "dateTo": f"{next_year}-12"}
    launched = {"productCategories": ["Networking"], "status": "Launched"}
    return (
        ("What is new about private endpoints?", {"query": "private endpoints", "limit": 10}),
        ("The newest updates", {"sortBy": "modified:desc", "limit": 10}),
        (
            f"What retires in {year} and {next_year}, soonest first?",
            {"filters": retiring, "sortBy": "availability:asc"},
        ),
        ("What is generally available in Networking?", {"filters": launched}),
        ("An exact phrase, without a word", {"query": '"virtual machines" -preview'}),
        ("How many updates each category has, without any of them", {"limit": 1, "facets": True}),
    )


def document_of(found: FoundUpdate) -> dict[str, Any]:
    """One update as callers get it."""
    document: dict[str, Any] = {
        "id": found.id,
        "title": found.title,
        "description": found.description,
        "status": found.status,
        "tags": list(found.tags),
        "productCategories": list(found.product_categories),
        "products": list(found.products),
        "availabilities": [_availability(availability) for availability in found.availabilities],
        "created": found.created,
        "modified": found.modified,
        "relevance": found.relevance,
        "url": found.url,
    }
    return document | ({"withdrawn": found.withdrawn} if found.withdrawn else {})


def answer_of(found: SearchResults, filters: Filters) -> dict[str, Any]:
    """A page of results, with what helps to ask better where there is any."""
    answer: dict[str, Any] = {
        "results": [document_of(update) for update in found.results],
        "total": found.total,
        "limit": found.limit,
        "offset": found.offset,
        "hasMore": found.has_more,
    }
    if found.facets is not None:
        answer["facets"] = found.facets
    if found.did_you_mean is not None:
        answer["didYouMean"] = found.did_you_mean
    if not found.total and (several := _of_several(filters)):
        answer["hint"] = f"An update is found only if it has all {several} that are named; ask for each by itself."
    return answer


def _of_several(filters: Filters) -> str:
    """Which filters ask for several values at once, of which an update seldom has more than one."""
    lists = {
        "tags": filters.tags,
        "productCategories": filters.product_categories,
        "products": filters.products,
    }
    return " and ".join(name for name, values in lists.items() if len(values) > 1)


def guide_of(index: Index, health: Health, today: date) -> dict[str, Any]:
    return {
        "totalUpdates": index.facts.total,
        **freshness_of(health),
        "filters": {kind: _by_count(counts) for kind, counts in index.vocabulary.counts.items()},
        "dates": "YYYY-MM-DD, YYYY-MM or a timestamp; they apply to modified, or to the ring's date if a ring is given",
        "query": 'Words, "quoted phrases" and -excluded words',
        "examples": [{"question": question, "arguments": arguments} for question, arguments in examples(today)],
    }


def freshness_of(health: Health) -> dict[str, Any]:
    """When a sync last succeeded, and whether what is served is real."""
    return {
        "status": health.status,
        "lastSyncTimestamp": health.synced and health.synced.isoformat(),
        "dataFreshnessHours": None if health.hours is None else round(health.hours, 2),
        "isSample": health.is_sample,
        **({"advice": health.advice} if health.advice else {}),
    }


def statistics_document(index: Index) -> dict[str, Any]:
    """The index's counts, and the retirement calendar."""
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


def changelog_of(changes: Iterable[Change]) -> list[dict[str, Any]]:
    return [_changed(change) for change in changes]


def _changed(change: Change) -> dict[str, Any]:
    document = {"id": change.id, "title": change.title, "change": change.kind.value, "seen": change.seen.isoformat()}
    return document | ({"edits": [_edit(edit) for edit in change.edits]} if change.edits else {})


def _edit(edit: Edit) -> dict[str, Any]:
    return {"field": edit.field, "before": _shown(edit.before), "after": _shown(edit.after)}


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_VALUE else f"{value[:_LONGEST_VALUE]}… ({len(value)} characters)"
    if isinstance(value, tuple):
        return [_availability(entry) if isinstance(entry, Availability) else entry for entry in value]
    return value


def _availability(availability: Availability) -> dict[str, Any]:
    month = availability.month and MONTHS[availability.month - 1]
    return {"ring": availability.ring, "year": availability.year, "month": month}


def _by_count(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
