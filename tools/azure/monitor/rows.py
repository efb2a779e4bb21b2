"""Formats log rows as a compact table of limited size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clients.azure.log_rows import LogRows
from tools.azure.shared.answers import Json, answer, present
from tools.azure.shared.compact import columns_of_ids, row_in_seconds, same_in_all, shortened

_LONGEST_CELL: Final = 1000
# The maximum size of all rows, in characters of JSON.
_LARGEST: Final = 24_000
# A column with the same value in all rows is moved out of the table if that saves at least this many characters.
_SAVES: Final = 100
_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})


def table_answer(found: LogRows, limit: int, **about: Any) -> Json:
    """Return the rows and columns and, if the result is incomplete, the reason. Empty columns are left out."""
    every = [one.name for one in found.columns]
    names = [name for name in every if any(row.get(name) not in _EMPTY for row in found.rows[:limit])] or every
    shown = [row_in_seconds({name: row.get(name) for name in names}) for row in found.rows[:limit]]
    short = shortened(shown, *columns_of_ids(shown))
    same = same_in_all(short["items"], _SAVES)
    columns = [name for name in names if name not in same]
    rows = list(_within(short["items"], columns))
    empty = len(every) - len(names) if rows else 0
    return {
        **answer(**about),
        "count": len(rows),
        **present({"more": _unseen(found, len(rows), limit), "partial": _partial(found)}),
        **present({"emptyColumns": empty or None, "idsBeginWith": short.get("idsBeginWith")}),
        **present({"sameInAll": {name: _cell(value) for name, value in same.items()}}),
        "columns": columns,
        "rows": rows,
    }


def _within(rows: Sequence[Mapping[str, Any]], names: list[str]) -> Iterator[list[Any]]:
    size = 0
    for row in rows:
        cells = [_cell(row.get(name)) for name in names]
        size += len(json.dumps(cells, ensure_ascii=False))
        if size > _LARGEST:
            return
        yield cells


def _cell(value: Any) -> Any:
    """Return a value, truncated if it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= _LONGEST_CELL:
        return value
    return f"{text[:_LONGEST_CELL]}…"


def _unseen(found: LogRows, shown: int, limit: int) -> str | None:
    if found.is_cut and shown == len(found.rows) < limit:
        return "The result is too large to read in full. Summarize, filter, or project fewer columns."
    if shown < min(len(found.rows), limit):
        return "The result has more rows than fit into the answer. Summarize, filter, or project fewer columns."
    if found.is_cut or shown < len(found.rows):
        return "There are more rows: summarize, filter, or raise max_results."
    return None


def _partial(found: LogRows) -> str | None:
    return f"Azure returned only part of the result: {found.partial}" if found.partial else None
