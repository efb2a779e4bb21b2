"""Explains errors in log queries, and suggests names for an unknown table or column."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.logs import ResourceLogs
from clients.azure.spans import TimeSpan
from refusal import Refusal
from tools.azure.monitor.classic_names import CLASSIC
from tools.azure.monitor.components import result_of

_UNRESOLVED: Final = re.compile(r"Failed to resolve (?P<kind>[\w ]+?)(?: expression)? named '(?P<name>[^']{1,200})'")
_TABLE: Final = re.compile(r"\s*(?P<name>[A-Za-z_]\w{0,127})\s*(?:\||\Z)")
_MOST_COLUMNS: Final = 1000
_MOST_CLOSE: Final = 5
_SIMILARITY: Final = 0.5


async def explained(azure: Azure, source: ResourceLogs, query: str, span: TimeSpan, refusal: AzureRefusal) -> Refusal:
    """Explain why a query failed: if a name is unknown, list the existing names that are most similar."""
    found = _UNRESOLVED.search(refusal.message)
    if not found:
        return refusal
    if "table" in found["kind"]:
        return refusal.with_more(_of_tables(found["name"], source))
    table = _TABLE.match(query)
    if not table:
        return refusal.with_more("Use list_log_tables with a table to list its columns.")
    return refusal.with_more(
        _of_columns(found["name"], await _columns(azure, source, table["name"], span), table["name"])
    )


def _of_tables(name: str, source: ResourceLogs) -> str:
    other = {new.lower(): old for old, new in CLASSIC.items()} if source.is_classic else _NEW
    if own := other.get(name.lower()):
        return f"In this source, the table is called {own}."
    close = get_close_matches(name, CLASSIC if source.is_classic else CLASSIC.values(), _MOST_CLOSE, _SIMILARITY)
    return f"{_closest(close)}Use list_log_tables to list tables with rows."


async def _columns(azure: Azure, source: ResourceLogs, table: str, span: TimeSpan) -> list[str]:
    try:
        found = (await result_of(azure, source, f"{table}\n| getschema", span, _MOST_COLUMNS)).found
    except Refusal:
        return []  # the caller gets the original error, which describes the problem
    return [str(row.get("ColumnName")) for row in found.rows]


def _of_columns(name: str, columns: Iterable[str], table: str) -> str:
    known = {one.lower(): one for one in columns}
    close = [known[one] for one in get_close_matches(name.lower(), known, _MOST_CLOSE, _SIMILARITY)]
    return f"{_closest(close)}Use list_log_tables with table={table} to list its columns."


def _closest(close: Iterable[str]) -> str:
    names = ", ".join(close)
    return f"Closest: {names}. " if names else ""


_NEW: Final = {old.lower(): new for old, new in CLASSIC.items()}
