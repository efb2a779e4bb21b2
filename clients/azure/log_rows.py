"""Parses the response to a log query: the rows of the first table, and errors. The response may be truncated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.failures import Failure
from clients.azure.messages import AzureAnswer
from clients.azure.withholding import withheld
from clients.decoding import decoded, without_halves
from refusal import Refusal

_MOST_COLUMNS: Final = 1000
_MOST_ROWS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class LogRows:
    """The rows that a log query returned. Each row maps column names to values. Secrets are withheld.

    `is_cut` means that the response was truncated. `partial` says why the service returned only some of the rows.
    """

    columns: list[Column]
    rows: list[Mapping[str, Any]]
    is_cut: bool = False
    partial: str = ""


def found_in(answer: AzureAnswer, limit: int) -> LogRows:
    """Parse up to `limit` rows of a response. If the response is truncated, parse all complete rows."""
    most = min(limit, _MOST_ROWS)
    if answer.is_cut:
        columns, rows = _read_as_far_as_it_came(without_halves(answer.text), most)
        return LogRows(columns, list(_rows_by_name(columns, rows)), is_cut=True)
    document = answer.document
    first = _first_table(document)
    columns, rows = _columns(first.get("columns")), first.get("rows") or []
    whole = list(_rows_by_name(columns, rows[:most])) if isinstance(rows, list) else []
    return LogRows(columns, whole, len(rows) > most, _partial(document))


def _first_table(document: Any) -> Mapping[str, Any]:
    tables = document.get("tables") if isinstance(document, Mapping) else None
    if not isinstance(tables, list):
        raise Refusal("Azure's answer to the query contains no tables. A proxy could be the cause.")
    return tables[0] if tables and isinstance(tables[0], Mapping) else {}


def _rows_by_name(columns: list[Column], rows: list[Any]) -> Iterator[Mapping[str, Any]]:
    for row in rows:
        if isinstance(row, list):
            values = zip(columns, row, strict=False)
            yield withheld({column.name: _value(column.type, value) for column, value in values})


def _value(kind: str, value: Any) -> Any:
    """Convert a value. Values of the type `dynamic` arrive as JSON strings."""
    if kind != "dynamic" or not isinstance(value, str):
        return value
    try:
        return decoded(value)
    except (ValueError, RecursionError):
        return value


def _columns(found: Any) -> list[Column]:
    entries = found if isinstance(found, list) else []
    named = [one for one in entries if isinstance(one, Mapping)][:_MOST_COLUMNS]
    return [Column(str(one.get("name")), str(one.get("type") or "")) for one in named]


def _partial(document: Mapping[str, Any]) -> str:
    """The message of an error that the service returned together with the tables."""
    error = document.get("error")
    return Failure.in_document({"error": error}).words if isinstance(error, Mapping) else ""


def _read_as_far_as_it_came(text: str, limit: int) -> tuple[list[Column], list[Any]]:
    """The columns and rows of the first table in a text. The text may be truncated. Each character is read once."""
    decoder = json.JSONDecoder()
    columns, at = _list_at(decoder, text, '"columns"', 0)
    begin = text.find("[", text.find('"rows"', at))
    rows: list[Any] = []
    while begin >= 0 and len(rows) < limit:
        try:
            row, end = decoder.raw_decode(text, _skipped(text, begin + 1))
        except (ValueError, RecursionError):
            break
        rows.append(row)
        begin = _skipped(text, end)
        if text[begin : begin + 1] != ",":
            break
    return _columns(columns), rows


def _list_at(decoder: json.JSONDecoder, text: str, name: str, start: int) -> tuple[Any, int]:
    place = text.find("[", text.find(name, start))
    try:
        return decoder.raw_decode(text, place) if place >= 0 else ([], start)
    except (ValueError, RecursionError):
        return [], start


def _skipped(text: str, at: int) -> int:
    """The next position that is not white space."""
    while text[at : at + 1].isspace():
        at += 1
    return at
