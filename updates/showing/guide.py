"""What a model reads about the updates before it asks: what there is to filter by, and examples that work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import to_json

from text.shortening import shortened
from updates.library import Health
from updates.searching.dates import period, ticks
from updates.searching.search import Detail, FoundUpdate, SearchFilters, SearchResults, UpdateSearch

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex

_DAY: Final = len("2027-03-31")
# What a result of a list may cost, in bytes of JSON, of which four make a token: 50 results take fewer than 6,000.
_RESULT: Final = 455
_SHORTEST_DESCRIPTION, _LONGEST_DESCRIPTION = 60, 180


def examples(today: date) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Questions and how to ask them. Every one is run by a test, on the sample and on whatever else is served."""
    year, next_year = today.year, today.year + 1
    retiring = {"availabilityRing": "Retirement", "dateFrom": f"{year}-01", "dateTo": f"{next_year}-12"}
    launched = {"productCategories": ["Networking"], "status": "Launched"}
    return (
        ("What is new about private endpoints?", {"query": "private endpoints", "limit": 10}),
        ("The newest updates", {"sortBy": "modified:desc", "limit": 10, "detail": "brief"}),
        ("What was added, edited or withdrawn since a day", {"filters": {"changedSince": f"{year}-01-01"}}),
        (
            f"What retires in {year} and {next_year}, soonest first?",
            {"filters": retiring, "sortBy": "availability:asc"},
        ),
        ("What is generally available in Networking?", {"filters": launched}),
        ("An exact phrase, without a word", {"query": '"virtual machines" -preview'}),
        ("How many updates each category has, without any of them", {"limit": 1, "facets": True}),
    )


def document_of(found: FoundUpdate) -> dict[str, Any]:
    """One update in full, with what happened to it."""
    history = {"history": found.history} if found.history else {}
    return {**_shown(found, _IN_FULL), **history}


def _result(found: FoundUpdate, request: UpdateSearch) -> dict[str, Any]:
    """One of many results: enough to choose by."""
    since = request.filters.changed_since
    changes = {"changes": _changes_since(found.history, since)} if since else {}
    # Without a date of its own, an update has that of the announcement.
    undated = () if found.availabilities else ("modified",)
    left_out = {"status"} if request.detail == "brief" and _is_told_by_dates(found) else set()
    names = [name for name in (*_NAMES[request.detail], *undated) if name not in left_out]
    return {**_shown(found, names), **changes}


def _is_told_by_dates(found: FoundUpdate) -> bool:
    """Whether a date is of the ring that the status names."""
    ring = _RING_OF_STATUS.get(found.status or "")
    return any(availability.ring == ring for availability in found.availabilities)


_RING_OF_STATUS: Final = {"Launched": "General Availability", "In preview": "Preview"}


def _results(found: SearchResults, request: UpdateSearch) -> list[dict[str, Any]]:
    results = [_result(update, request) for update in found.results]
    if request.detail == "summary":
        _shorten_descriptions(results)
    return results


def _shorten_descriptions(results: Sequence[dict[str, Any]]) -> None:
    """Cut all at one length, so that the list costs no more than it may."""
    texts = [result.pop("description", "") for result in results]
    room = _RESULT - len(to_json(results)) // max(1, len(results))
    length = min(max(room, _SHORTEST_DESCRIPTION), _LONGEST_DESCRIPTION)
    for result, text in zip(results, texts, strict=True):
        if text:
            result["description"] = shortened(text, length)


def _changes_since(history: Sequence[Mapping[str, Any]], since: str) -> list[Mapping[str, Any]]:
    """What of a history happened since a date."""
    first = period(since, "changedSince").first
    return [change for change in history if ticks(change["seen"]) >= first]


_BRIEFLY: Final = ("status", "dates", "withdrawn")
_IN_SUMMARY: Final = (
    *("description", "status", "tags", "productCategories", "products", "availabilities"),
    *("created", "modified", "relevance", "withdrawn"),
)
_IN_FULL: Final = (*_IN_SUMMARY, "url")
_NAMES: Final[Mapping[Detail, Sequence[str]]] = {"brief": _BRIEFLY, "summary": _IN_SUMMARY, "full": _IN_FULL}


def _shown(found: FoundUpdate, names: Iterable[str]) -> dict[str, Any]:
    """What there is of these; days instead of moments, and the day of creation only if another is the last."""
    created, modified = found.created[:_DAY], found.modified[:_DAY]
    values = {
        "description": found.description,
        "status": found.status,
        "tags": found.tags,
        "productCategories": found.product_categories,
        "products": found.products,
        "availabilities": [str(availability) for availability in found.availabilities],
        "dates": ", ".join(map(str, found.availabilities)),
        "created": created if created != modified else None,
        "modified": modified,
        "relevance": found.relevance,
        "withdrawn": found.withdrawn and found.withdrawn[:_DAY],
        "url": found.url,
    }
    told = {name: value for name in names if (value := values[name]) not in (None, "", (), [])}
    return {"id": found.id, "title": found.title, **told}


def answer_of(found: SearchResults, request: UpdateSearch) -> dict[str, Any]:
    """A page of results, with what helps to ask better where there is any."""
    filters = request.filters
    answer: dict[str, Any] = {
        "results": _results(found, request),
        "total": found.total,
        "limit": found.limit,
        "offset": found.offset,
        "hasMore": found.has_more,
    }
    if found.near:
        answer["alsoClose"] = found.near
    if found.facets is not None:
        answer["facets"] = found.facets
    if found.did_you_mean is not None:
        answer["didYouMean"] = found.did_you_mean
    if found.instead:
        answer["instead"] = found.instead
    if not found.total and (several := _of_several(filters)):
        answer["hint"] = f"An update is found only if it has all {several} that are named; ask for each by itself."
    return answer


def _of_several(filters: SearchFilters) -> str:
    """Which filters ask for several values at once, of which an update seldom has more than one."""
    lists = {
        "tags": filters.tags,
        "productCategories": filters.product_categories,
        "products": filters.products,
    }
    return " and ".join(name for name, values in lists.items() if len(values) > 1)


def guide_of(index: UpdatesIndex, health: Health, today: date) -> dict[str, Any]:
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


def statistics_document(index: UpdatesIndex) -> dict[str, Any]:
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


def _by_count(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
