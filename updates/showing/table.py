"""Exports search results as a table for spreadsheets: one line per update, with semicolons between the items of a
list.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from updates.searching.search import FoundUpdate
from updates.showing.invented import FileHeading, title_of

MEDIA_TYPE: Final = "text/csv; charset=utf-8"
_COLUMNS: Final = (
    "id",
    "title",
    "status",
    "tags",
    "productCategories",
    "products",
    "availabilities",
    "created",
    "modified",
    "url",
    "description",
)
# Spreadsheets recognize UTF-8 by this byte order mark.
_BYTE_ORDER_MARK: Final = "\ufeff"
# Spreadsheets execute cells that begin like a formula, so a leading apostrophe makes them text. Cells also begin after
# a line break and, in locales that separate cells with semicolons, after a semicolon.
_FORMULA: Final = re.compile(r"(?:^(?=[\t\r])|(^|[;\t\r\n])(\s{0,20})(?=[=+\-@＝＋－＠﹦﹢﹣﹫]))")  # noqa: RUF001 - intentional


def beginning(heading: FileHeading) -> str:
    first = _line(["", _cell(heading.notice), *[""] * (len(_COLUMNS) - 2)]) if heading.notice else ""
    return _BYTE_ORDER_MARK + _line(_COLUMNS) + first


def entry(found: FoundUpdate, _body: Callable[[], str]) -> str:
    return _line(map(_cell, _values(found)))


def ending() -> str:
    return ""


def _values(found: FoundUpdate) -> Iterator[str]:
    yield found.id
    yield title_of(found)
    yield found.status or ""
    yield "; ".join(found.tags)
    yield "; ".join(found.product_categories)
    yield "; ".join(found.products)
    yield "; ".join(f"{availability.ring} {availability.date or ''}".strip() for availability in found.availabilities)
    yield found.created
    yield found.modified
    yield found.url
    yield found.description


def _cell(text: str) -> str:
    return _FORMULA.sub(lambda found: f"{found[1] or ''}'{found[2] or ''}", text)


def _line(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()
