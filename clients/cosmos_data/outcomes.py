"""If the response to a change was lost, finds out whether the change was made. This module reads the record, and does
not repeat the change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum, auto
from typing import Any, Final

from clients.cosmos_data.documents import own
from clients.cosmos_data.failures import MissingRecordError, UnknownOutcomeError
from refusal import Refusal

Json = dict[str, Any]
# The record is read twice, because the change may become visible only after the first read.
_PAUSES: Final = (0.0, 0.5)
AFTER_ALL: Final = "The response from Cosmos DB was lost, but the record now matches this change."
_NOT_DONE: Final = "The record was checked twice and has not changed. You can safely repeat the call:"
_UNCLEAR: Final = (
    "The current record may result from this change, from someone else's change, or from both: the outcome is unknown."
)
_NOT_SEEN: Final = "The outcome of the change could not be checked."


class RecordSeen(Enum):
    DONE = auto()
    NOT_DONE = auto()
    UNCLEAR = auto()


Judge = Callable[[Json | None], RecordSeen]


async def found_out(
    lost: UnknownOutcomeError, look: Callable[[], Awaitable[Json]], judge: Judge, again: str, hint: str
) -> Json:
    """Return the record if the change was made. `again`: why repeating is safe. `hint`: how to read the record."""
    for pause in _PAUSES:
        await asyncio.sleep(pause)
        found = await _read_record(lost, look, hint)
        seen = judge(found)
        if seen is RecordSeen.DONE:
            return found or {}
        if seen is RecordSeen.UNCLEAR:
            raise Refusal(f"{lost} {_UNCLEAR} {hint}".strip())
    raise Refusal(f"{lost} {_NOT_DONE} {again}")


async def _read_record(lost: UnknownOutcomeError, look: Callable[[], Awaitable[Json]], hint: str) -> Json | None:
    try:
        return await look()
    except MissingRecordError:
        return None
    except Refusal:
        raise Refusal(f"{lost} {_NOT_SEEN} {hint}".strip()) from None


def made(document: Mapping[str, Any]) -> Judge:
    """Return a function that checks whether the record was created."""

    def judge(found: Json | None) -> RecordSeen:
        if found is None:
            return RecordSeen.NOT_DONE
        return RecordSeen.DONE if own(found) == own(document) else RecordSeen.UNCLEAR

    return judge


def replaced(etag: str, document: Mapping[str, Any]) -> Judge:
    """Return a function that checks whether the document replaced the record with this ETag."""
    of_another = changed(etag)

    def judge(found: Json | None) -> RecordSeen:
        is_there = found is not None and found.get("_etag") != etag and own(found) == own(document)
        return RecordSeen.DONE if is_there else of_another(found)

    return judge


def changed(etag: str) -> Judge:
    """Return a function that checks whether the record still has this ETag.

    If the record has a different ETag, either this change or another change modified the record.
    """

    def judge(found: Json | None) -> RecordSeen:
        return RecordSeen.NOT_DONE if found is not None and found.get("_etag") == etag else RecordSeen.UNCLEAR

    return judge


def gone(etag: str) -> Judge:
    """Return a function that checks whether the record was deleted."""
    of_another = changed(etag)

    def judge(found: Json | None) -> RecordSeen:
        return RecordSeen.DONE if found is None else of_another(found)

    return judge
