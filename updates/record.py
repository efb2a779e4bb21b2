"""Parses the records of the feed into Azure updates."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import MAXYEAR, MINYEAR, datetime
from typing import Any, Final, Self
from urllib.parse import quote

from invisible import INVISIBLE

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

# A lone surrogate, which is possible in JSON but cannot be written to files.
_HALF: Final = re.compile("[\ud800-\udfff]")


class MalformedRecordError(ValueError):
    """A feed record that cannot be read. Syncs skip and report the record, and never guess its values."""


@dataclass(frozen=True, slots=True)
class Availability:
    """A ring, such as General Availability or Retirement, and the date when an update reaches this ring. The month may
    be unknown.
    """

    ring: str
    year: int | None
    month: int | None

    @property
    def date(self) -> str | None:
        """The date as `YYYY-MM`, as `YYYY` if the month is unknown, or None."""
        if self.year is None:
            return None
        return f"{self.year:04}" if self.month is None else f"{self.year:04}-{self.month:02}"

    def __str__(self) -> str:
        return f"{self.ring} {self.date or ''}".rstrip()


@dataclass(frozen=True, slots=True)
class Update:
    """An Azure update. Texts are trimmed; the description is the HTML of the feed."""

    id: str
    title: str
    description: str
    status: str | None
    tags: tuple[str, ...]
    product_categories: tuple[str, ...]
    products: tuple[str, ...]
    availabilities: tuple[Availability, ...]
    created: str
    modified: str

    @property
    def url(self) -> str:
        return url_of(self.id)

    @property
    def content_hash(self) -> str:
        """A digest of the content, because `modified` does not reliably reflect edits."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @classmethod
    def from_api(cls, raw: object) -> Self:
        """Parse a record of the feed.

        Raises:
            MalformedRecordError: A required field is missing, or a field has the wrong type.
        """
        if not isinstance(raw, Mapping):
            raise MalformedRecordError("the record is not an object")
        return cls(
            id=_required_text(raw, "id"),
            title=_required_text(raw, "title"),
            description=_text(raw, "description") or "",
            status=_text(raw, "status"),
            tags=_texts(raw, "tags"),
            product_categories=_texts(raw, "productCategories"),
            products=_texts(raw, "products"),
            availabilities=tuple(_availability(entry) for entry in _list(raw, "availabilities")),
            created=_timestamp(raw, "created"),
            modified=_timestamp(raw, "modified"),
        )


# The prefix of the ids of sample updates.
INVENTED: Final = "invented-"


def url_of(update_id: str, *, is_invented: bool = False) -> str:
    """Return the URL of an update's page. Sample updates must not link to Microsoft."""
    page = "https://example.com/invented-update" if is_invented else "https://azure.microsoft.com/updates"
    return f"{page}?id={quote(update_id, safe='')}"


def readable_id(raw: object) -> str | None:
    """Return the id of a record, even if the rest of the record is malformed."""
    try:
        return _text(raw, "id") if isinstance(raw, Mapping) else None
    except MalformedRecordError:
        return None


def _text(raw: Mapping[str, Any], name: str) -> str | None:
    value = raw.get(name)
    if value is not None and not isinstance(value, str):
        raise MalformedRecordError(f"{name} is not a string")
    return (_visible(value).strip() or None) if value else None


def _visible(text: str) -> str:
    if text.isascii():
        return text
    return _whole(INVISIBLE.sub("", text)).replace("\u00a0", " ")


def _whole(text: str) -> str:
    try:
        text.encode()  # ten times as fast as searching for lone surrogates, which are rare
    except UnicodeEncodeError:
        return _HALF.sub("\ufffd", text)
    return text


def _required_text(raw: Mapping[str, Any], name: str) -> str:
    value = _text(raw, name)
    if value is None:
        raise MalformedRecordError(f"{name} is missing")
    return value


def _list(raw: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = raw.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise MalformedRecordError(f"{name} is not a list")
    return value


def _texts(raw: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = _list(raw, name)
    if not all(isinstance(value, str) for value in values):
        raise MalformedRecordError(f"{name} is not a list of strings")
    return tuple(dict.fromkeys(text for value in values if (text := _visible(value).strip())))


def _availability(raw: object) -> Availability:
    if not isinstance(raw, Mapping):
        raise MalformedRecordError("an availability is not an object")
    year, month = raw.get("year"), _text(raw, "month")
    if year is not None and (not isinstance(year, int) or isinstance(year, bool)):
        raise MalformedRecordError("the year of an availability is not a number")
    if year is not None and not MINYEAR <= year <= MAXYEAR:
        raise MalformedRecordError("the year of an availability is out of range")
    if month is not None and month not in MONTHS:
        raise MalformedRecordError(f"{month!r} is not a month")
    return Availability(_required_text(raw, "ring"), year, MONTHS.index(month) + 1 if month else None)


def _timestamp(raw: Mapping[str, Any], name: str) -> str:
    """Return a timestamp as text, because its seven fractional digits do not fit into a datetime."""
    text = _required_text(raw, name)
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise MalformedRecordError(f"{name} is not a timestamp") from None
    return text
