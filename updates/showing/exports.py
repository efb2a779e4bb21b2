"""Found updates as files that other programs read: a table, a calendar and a feed."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from refusal import Refusal
from updates.record import Availability
from updates.searching.search import Filters, FoundUpdate, SearchRequest

if TYPE_CHECKING:
    from updates.searching.index import Index

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
# A spreadsheet would take a cell that begins so for a formula, and run it.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_CALENDAR_LINE: Final = 75
_ESCAPED: Final = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": None})

_LISTS: Final = {"tags": "tags", "productCategories": "product_categories", "products": "products"}
_SINGLE: Final = {
    "status": "status",
    "availabilityRing": "availability_ring",
    "dateFrom": "date_from",
    "dateTo": "date_to",
    "dateField": "date_field",
}
_OTHER: Final = ("query", "sortBy", "limit")
_PAGE: Final = 100
_MOST: Final = 10_000


def matching(index: Index, parameters: Mapping[str, str]) -> list[FoundUpdate]:
    """All updates that match the parameters of an address, which are those of a search; lists by commas.

    Raises:
        Refusal: A parameter is unknown, or its value makes no sense.
    """
    request = _request(parameters)
    wanted = _limit(parameters.get("limit", str(_MOST)))
    found: list[FoundUpdate] = []
    while len(found) < wanted:
        page = index.search(replace(request, offset=len(found), limit=min(_PAGE, wanted - len(found))))
        found += page.results
        if not page.has_more:
            break
    return found


def _request(parameters: Mapping[str, str]) -> SearchRequest:
    valid = [*_OTHER, *_LISTS, *_SINGLE]
    for name in parameters:
        if name not in valid:
            raise Refusal(f"There is no parameter {name[:40]!r}. The parameters are {', '.join(valid)}.")
    chosen: dict[str, Any] = {name: parameters[known] for known, name in _SINGLE.items() if known in parameters}
    chosen |= {name: _names(parameters[known]) for known, name in _LISTS.items() if known in parameters}
    return SearchRequest(parameters.get("query", ""), Filters(**chosen), parameters.get("sortBy"))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for entry in text.split(",") if (name := entry.strip()))


def _limit(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:6]) <= _MOST:
        raise Refusal(f"limit must be a whole number from 1 to {_MOST}.")
    return int(text)


def as_csv(found: Iterable[FoundUpdate]) -> str:
    """One line each, lists separated by semicolons."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(_COLUMNS)
    table.writerows([_cell(value) for value in _values(update)] for update in found)
    return text.getvalue()


def _values(update: FoundUpdate) -> Iterator[str]:
    yield update.id
    yield update.title
    yield update.status or ""
    yield "; ".join(update.tags)
    yield "; ".join(update.product_categories)
    yield "; ".join(update.products)
    yield "; ".join(f"{availability.ring} {availability.date or ''}".strip() for availability in update.availabilities)
    yield update.created
    yield update.modified
    yield update.url
    yield update.description


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def as_calendar(found: Iterable[FoundUpdate]) -> str:
    """An all-day event for each date of each update: on the first day of the month, which is all that is known."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Azure Team MCP//Azure updates//EN",
        "X-WR-CALNAME:Azure updates",
    ]
    for update in found:
        for availability in update.availabilities:
            lines += _event(update, availability)
    return "".join(f"{_folded(line)}\r\n" for line in [*lines, "END:VCALENDAR"])


def _event(update: FoundUpdate, availability: Availability) -> list[str]:
    if availability.year is None:
        return []
    day = date(availability.year, availability.month or 1, 1)
    return [
        "BEGIN:VEVENT",
        f"UID:{_escaped(update.id)}-{_escaped(availability.ring.replace(' ', '-'))}-{day:%Y%m}@azure-updates",
        f"DTSTAMP:{_moment(update.modified):%Y%m%dT%H%M%SZ}",
        f"DTSTART;VALUE=DATE:{day:%Y%m%d}",
        f"DTEND;VALUE=DATE:{day + timedelta(days=1):%Y%m%d}",
        f"SUMMARY:{_escaped(f'{availability.ring} ({availability.date}): {update.title}')}",
        f"DESCRIPTION:{_escaped(update.description)}",
        f"URL:{update.url}",
        f"CATEGORIES:{','.join(map(_escaped, (availability.ring, *update.product_categories)))}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)


def _folded(line: str) -> str:
    """Break a line after 75 bytes, as the format demands, and never within a character."""
    parts, length = [""], 0
    for character in line:
        size = len(character.encode())
        if length + size > _CALENDAR_LINE:
            parts.append(" ")
            length = 1
        parts[-1] += character
        length += size
    return "\r\n".join(parts)


def as_feed(found: Iterable[FoundUpdate]) -> str:
    """The newest, or whatever order was asked for, as RSS."""
    root = ET.Element("rss", version="2.0")
    channel = ET.SubElement(root, "channel")
    _add(channel, "title", "Azure updates")
    _add(channel, "link", "https://azure.microsoft.com/updates")
    _add(channel, "description", "Azure updates that match the filters in the address of this feed.")
    for update in found:
        item = ET.SubElement(channel, "item")
        _add(item, "title", update.title)
        _add(item, "link", update.url)
        _add(item, "guid", update.id, isPermaLink="false")
        _add(item, "pubDate", format_datetime(_moment(update.modified), usegmt=True))
        _add(item, "description", update.description)
        for name in (*update.tags, *update.product_categories, *update.products):
            _add(item, "category", name)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _add(parent: ET.Element, name: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, name, attributes).text = "".join(character for character in text if _is_xml(character))


def _is_xml(character: str) -> bool:
    return (
        character in "\t\n\r"
        or " " <= character <= "\ud7ff"
        or "\ue000" <= character <= "\ufffd"
        or character > "\uffff"
    )


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


# What each form is made by, and the media type of what is made.
FORMS: Final[Mapping[str, Callable[[Iterable[FoundUpdate]], tuple[str, str]]]] = {
    "csv": lambda found: (as_csv(found), "text/csv; charset=utf-8"),
    "ics": lambda found: (as_calendar(found), "text/calendar; charset=utf-8"),
    "rss": lambda found: (as_feed(found), "application/rss+xml; charset=utf-8"),
}
