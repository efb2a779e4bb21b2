"""Exports search results as a calendar: an all-day event for each date of each update."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final

from updates.record import MONTHS, Availability
from updates.searching.search import FoundUpdate
from updates.showing.days import day_of
from updates.showing.invented import FileHeading, title_of

MEDIA_TYPE: Final = "text/calendar; charset=utf-8"
_LINE: Final = 75
# All characters that some program treats as a line end. Text from the feed must not start a new line.
_LINE_END: Final = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f]")


def beginning(heading: FileHeading) -> str:
    name = "Azure updates (INVENTED SAMPLE)" if heading.is_sample else "Azure updates"
    described = [f"X-WR-CALDESC:{_escaped(heading.notice)}"] if heading.notice else []
    product = "PRODID:-//Azure Team MCP//Azure updates//EN"
    return _lines(["BEGIN:VCALENDAR", "VERSION:2.0", product, f"X-WR-CALNAME:{name}", *described])


def entry(found: FoundUpdate, body: Callable[[], str]) -> str:
    return "".join(_lines(_event(found, availability, body)) for availability in found.availabilities)


def ending() -> str:
    return _lines(["END:VCALENDAR"])


def _event(found: FoundUpdate, availability: Availability, body: Callable[[], str]) -> list[str]:
    if availability.year is None:
        return []
    # If only the month is known, the event is on the first day of the month, which is a safe deadline.
    known = day_of(availability, found.title, body)
    day = known or date(availability.year, availability.month or 1, 1)
    return [
        "BEGIN:VEVENT",
        f"UID:{_escaped(f'{found.id}-{availability.ring}'.replace(' ', '-'))}-{day:%Y%m}@azure-updates",
        f"DTSTAMP:{_moment(found.modified):%Y%m%dT%H%M%SZ}",
        f"DTSTART;VALUE=DATE:{day:%Y%m%d}",
        *_end(day),
        f"SUMMARY:{_escaped(f'{_when(availability, known)}: {title_of(found)}')}",
        f"DESCRIPTION:{_escaped(found.description)}",
        f"URL:{found.url}",
        f"CATEGORIES:{','.join(map(_escaped, (availability.ring, *found.product_categories)))}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _end(day: date) -> Iterator[str]:
    if day != date.max:
        yield f"DTEND;VALUE=DATE:{day + timedelta(days=1):%Y%m%d}"


def _when(availability: Availability, day: date | None) -> str:
    if day:
        return f"{availability.ring} on {day}"
    if availability.month:
        return f"{availability.ring} in {MONTHS[availability.month - 1]} {availability.year}, day not known"
    return f"{availability.ring} in {availability.year}, month not known"


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _escaped(text: str) -> str:
    # The backslash is escaped first, because the other replacements add backslashes.
    escaped = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    # Control characters and line ends are not printable. Most texts contain only printable characters, so the
    # replacement is usually skipped.
    return escaped if text.isprintable() else _LINE_END.sub(r"\\n", _CONTROL.sub("", escaped))


def _lines(lines: list[str]) -> str:
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _folded(line: str) -> str:
    """Fold a line after 75 bytes, as the format requires, but never within a character."""
    if line.isascii():
        return line if len(line) <= _LINE else _folded_between_any(line)
    content = line.encode(errors="replace")
    if len(content) <= _LINE:
        return line
    parts, start, room = [], 0, _LINE
    while start < len(content):
        end = _whole_characters(content, start, start + room)
        parts.append(content[start:end].decode(errors="replace"))
        start, room = end, _LINE - 1  # a continuation line begins with a space
    return "\r\n ".join(parts)


def _folded_between_any(line: str) -> str:
    """Fold a line in which every character takes one byte."""
    # A continuation line begins with a space.
    later = (line[start : start + _LINE - 1] for start in range(_LINE, len(line), _LINE - 1))
    return "\r\n ".join((line[:_LINE], *later))


def _whole_characters(content: bytes, start: int, end: int) -> int:
    while start < end < len(content) and content[end] & 0xC0 == 0x80:
        end -= 1
    return end
