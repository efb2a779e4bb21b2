"""Formats a watch and its notices for answers. The URL and the secret of the destination are left out."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from pydantic.alias_generators import to_camel

from clients.answers import Json, present
from updates.searching.search import SearchFilters
from watching.delivery import WatchDelivery
from watching.watch import Watch, WatchPace


def watch_document(watch: Watch, now: float) -> Json:
    return present(
        {
            "name": watch.name,
            **search_document(watch),
            "to": watch.destination.shown,
            "when": watch.pace.value,
            "next": "" if watch.pace is WatchPace.IMMEDIATELY else moment(watch.due),
            "expires": moment(watch.expires)[:10],
            "owner": watch.owner,
            "state": state_of(watch, now),
            "why": watch.trouble,
        }
    )


def state_of(watch: Watch, now: float) -> str:
    if watch.is_expired(now):
        return "expired"
    return "failing" if watch.trouble else "active"


def search_document(watch: Watch) -> Json:
    """Return the search of a watch, as the arguments of a call."""
    return present({"query": watch.query, "filters": filters_document(watch.filters), "affects": list(watch.scopes)})


def filters_document(filters: SearchFilters) -> Json:
    return {to_camel(name): list(value) if isinstance(value, tuple) else value for name, value in _set_filters(filters)}


def notice_document(delivery: WatchDelivery) -> Json:
    return present(
        {
            "id": delivery.id,
            "created": moment(delivery.created),
            "occasion": delivery.occasion.value,
            "changes": delivery.changes,
            "state": delivery.state.value,
            "tries": delivery.tries,
            "why": delivery.trouble,
        }
    )


def moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _set_filters(filters: SearchFilters) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in asdict(filters).items() if value]
