"""Proposes entries for retirements that are missing from retirements/products.yaml, and resource types for missing
products.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from retirements.announcements import RING, TAG
from retirements.mapping import products
from tools.azure_updates.settings import UpdatesSettings
from updates.reading.feed import UpdatesFeed
from updates.record import MalformedRecordError, Update
from updates.report import watch_nothing

_LEAD: Final = re.compile(r"^\s*retirement\s*:\s*", re.IGNORECASE)
# Matches the end of a title. Only this end differs between announcements of the same kind.
_TAIL: Final = re.compile(
    r"\s*([-\u2013\u2014,:(]|\b(is|are|will|to|on|by|ends?|now|support ends)\b|\b(retir|deprecat|end of)\w*).*$",
    re.IGNORECASE,
)
_HEADING: Final = "# Entries: check type and title, add `where`, `do` and `code`."
_FEWEST_WORDS: Final = 2
_UNKNOWN: Final = "microsoft.UNKNOWN/UNKNOWN"


def records_in(file: str) -> list[Update]:
    """Return the updates in a saved feed. The file may be compressed."""
    content = Path(file).read_bytes()
    text = gzip.decompress(content) if file.endswith(".gz") else content
    return list(_readable(json.loads(text)["value"]))


async def records_of_feed() -> list[Update]:
    crawl = await UpdatesFeed(UpdatesSettings().url).read(watch_nothing)
    return [stored.update for stored in crawl.updates.values()]


def _readable(raw: Iterable[Any]) -> Iterator[Update]:
    for one in raw:
        try:
            yield Update.from_api(one)
        except MalformedRecordError:
            continue


def proposals(updates: Iterable[Update]) -> str:
    """Return YAML with proposed entries. Guesses are marked so that a person reviews them."""
    retirements = [one for one in updates if _retires(one)]
    unmapped = [one for one in retirements if products().entry_of(one.title, one.products) is None]
    unknown = sorted({name for one in retirements for name in one.products} - products().types.keys())
    parts = [
        f"# {len(retirements)} retirements, {len(unmapped)} without an entry.",
        *(["# Products without types:", _written(dict.fromkeys(unknown, _UNKNOWN))] if unknown else []),
        *([_HEADING, *map(_entry, unmapped)] if unmapped else []),
    ]
    return "\n".join(parts)


def _retires(update: Update) -> bool:
    return TAG in update.tags or any(one.ring == RING for one in update.availabilities)


def _entry(update: Update) -> str:
    types = [one.type for one in products().of_products(update.products)]
    entry = {"title": title_of(update.title), "of": types or [_UNKNOWN], "sure": "possible", "do": "TODO."}
    return f"# {update.id}: {update.title}\n{_written([entry])}"


def title_of(title: str) -> str:
    """Return a pattern for the name of the retired product or feature. The date and words such as "retired" are left
    out.
    """
    plain = _LEAD.sub("", title).strip()
    name = _TAIL.sub("", plain)
    return re.escape(name if len(name.split()) >= _FEWEST_WORDS else plain).replace("\\ ", " ").replace("\\-", "-")


def _written(value: Any) -> str:
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110)).rstrip()
