"""Reads tables of Azure Storage.

Azure splits the marker of the next page across two headers. This module combines the two values into one text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.storage.data import Data
from refusal import Refusal

_JSON: Final = "application/json;odata=nometadata"
_CONTINUATION: Final = "x-ms-continuation-"
_PLACES: Final = ("NextTableName", "NextPartitionKey", "NextRowKey")
_MOST_PAGES: Final = 10


@dataclass(frozen=True, slots=True)
class EntityQuery:
    """A filter for the entities of a table, and the properties to return. By default, all properties are returned."""

    table: str
    filter: str | None = None
    select: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TableRows:
    rows: Sequence[Mapping[str, Any]]
    following: str = ""


async def tables(data: Data, limit: int, following: str | None) -> TableRows:
    return await _rows(data, AzureRequest("GET /Tables"), limit, following)


async def entities(data: Data, wanted: EntityQuery, limit: int, following: str | None) -> TableRows:
    """Read entities of a table.

    If Azure finds no match for a long time, a page may contain only the marker of the next page.
    """
    query = {"$filter": wanted.filter, "$select": ",".join(wanted.select) or None}
    return await _rows(data, AzureRequest("GET /{table}()", {"table": wanted.table}, query), limit, following)


async def _rows(data: Data, request: AzureRequest, limit: int, following: str | None) -> TableRows:
    rows: list[Mapping[str, Any]] = []
    asked = replace(request, accept=_JSON, headers={"DataServiceVersion": "3.0"})
    place, seen = _place(following), set[str]()
    for _ in range(_MOST_PAGES):
        answer = await data.send(asked.asking("query", **place, **{"$top": limit - len(rows)}))
        rows += _entries(answer.document)
        place = _continuation(answer)
        if not place or len(rows) >= limit:
            break
        if urlencode(place) in seen:
            raise Refusal("Azure Storage keeps returning the same page of this table. Request less data.")
        seen.add(urlencode(place))
    return TableRows(rows[:limit], urlencode(place))


def _place(following: str | None) -> dict[str, str]:
    found = dict(parse_qsl(following or "", keep_blank_values=True))
    if not set(found) <= set(_PLACES) or (following and not found):
        raise Refusal("Invalid `next`. Pass the `next` of the last answer unchanged, or omit `next`.")
    return found


def _continuation(answer: AzureAnswer) -> dict[str, str]:
    found = {name: answer.headers.get(f"{_CONTINUATION}{name}") for name in _PLACES}
    return {name: value for name, value in found.items() if value is not None}


def _entries(document: Any) -> list[Mapping[str, Any]]:
    found = document.get("value") if isinstance(document, Mapping) else None
    if not isinstance(found, list):
        raise Refusal("Azure Storage's answer contains no table. A proxy could be the cause.")
    return [entry for entry in found if isinstance(entry, Mapping)]
