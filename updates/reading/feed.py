"""Reads the feed of Azure updates page by page from the configured host."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl

from clients.addresses import checked_base_url
from shifts import SHIFTS, give_way
from updates.changes import StoredUpdate
from updates.packed import STORED_UPDATE, PackedValues, compressed
from updates.record import MalformedRecordError, Update, readable_id
from updates.report import Malformed, Tell

if TYPE_CHECKING:
    from clients.rest import RestClient, Transport

PAGE = 100
# The maximum size of a record, so that two records fit into a row of the change log. Real records are far smaller.
LARGEST_RECORD = 256 * 1024
LONGEST_ID = 400
QUESTION = {"$filter", "$search", "$select", "$orderby", "$top", "$count"}
LONGEST_REASON = 200

T = TypeVar("T")
Query = dict[str, str | int]


class FeedError(Exception):
    """The feed could not be read completely, so the updates that were read must not be used."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """The reason why updates may be missing from what was read: a stable code, and a text."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Crawl:
    """The updates that were read from the feed, and their modification times.

    If `doubt` is set, updates may be missing, so a missing update does not count as withdrawn.
    """

    updates: PackedValues[StoredUpdate]
    modified: Collection[str]
    malformed: tuple[Malformed, ...]
    received: int
    doubt: Doubt | None

    @property
    def present(self) -> set[str]:
        """All ids in the feed, including those of malformed records."""
        return {*self.updates, *(record.id for record in self.malformed if record.id)}


class UpdatesFeed:
    """Reads the feed at a URL. Retries a failing page for up to `patience` seconds.

    Raises:
        Refusal: The URL is neither https nor http on localhost.
    """

    def __init__(self, url: str, *, patience: float = 120.0, transport: Callable[[], Transport] | None = None) -> None:
        self._url = checked_base_url(url)
        self._patience = patience
        self._transport = transport

    async def read(self, tell: Tell, since: datetime | None = None) -> Crawl:
        """Read all updates, or the updates modified since a given time.

        Raises:
            FeedError: A page could not be read in time, or is invalid.
        """
        async with self._client() as client:
            return await _read_until_sure(client, _selection(since), tell)

    async def lacking(self, update_ids: Iterable[str]) -> list[str]:
        """Query the feed for each of these IDs, and return the IDs that are not in the feed.

        These queries are necessary, because a full read misses updates that move to another page during the read.

        Raises:
            FeedError: The feed does not respond in time.
        """
        async with self._client() as client:
            return [update_id for update_id in update_ids if await _count(client, _only(update_id)) == 0]

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[RestClient]:
        # Imported here, because processes that only search do not need these modules.
        from azure.core.exceptions import AzureError  # noqa: PLC0415

        from clients.rest import RestClient  # noqa: PLC0415

        transport = self._transport() if self._transport else None
        try:
            async with RestClient(self._url, patience=self._patience, transport=transport) as client:
                yield client
        except AzureError as error:
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise FeedError(f"The feed cannot be read: {reason}") from error


@dataclass(slots=True)
class _Reading:
    """The records of one pass over all pages, and the feed's record counts before and after this pass."""

    counted_before: int
    counted_after: int = 0
    received: int = 0
    updates: PackedValues[StoredUpdate] = field(default_factory=lambda: PackedValues(STORED_UPDATE))
    modified: set[str] = field(default_factory=set)
    malformed: list[Malformed] = field(default_factory=list)

    def add(self, records: Iterable[Any]) -> None:
        for raw in records:
            give_way()
            self.received += 1
            try:
                self._keep(_update(raw))
            except MalformedRecordError as error:
                self.malformed.append(_malformed(raw, str(error)))

    def _keep(self, update: Update) -> None:
        stored = StoredUpdate(update)
        content = STORED_UPDATE.as_json(stored)
        if (size := len(content)) > LARGEST_RECORD:
            raise MalformedRecordError(f"it is {size} bytes long; the maximum is {LARGEST_RECORD}")
        self.updates.put(update.id, compressed(content))
        self.modified.add(update.modified)

    def result(self, earlier: _Reading | None = None) -> Crawl:
        return Crawl(self.updates, self.modified, tuple(self.malformed), self.received, self._doubt(earlier))

    def _doubt(self, earlier: _Reading | None) -> Doubt | None:
        if None in self.ids():
            return Doubt("without-id", "a record has no readable id")
        if self.counted_before != self.counted_after:
            counted = f"{self.counted_before} records before it was read, and {self.counted_after} afterwards"
            return Doubt("moved", f"the feed counted {counted}")
        if self.received < self.counted_after:
            return Doubt("incomplete", f"the feed returned only {self.received} of {self.counted_after} records")
        # A record that the feed permanently contains twice is duplicated in both passes. A record that moved between
        # pages is duplicated in only one pass.
        if len(self.ids()) != self.counted_after and not (earlier and earlier.ids() == self.ids()):
            return Doubt("repeated", f"the feed returned {self.received} records, with {len(self.ids())} different ids")
        return None

    def ids(self) -> set[str | None]:
        return {*self.updates, *(record.id for record in self.malformed)}


async def _read_until_sure(client: RestClient, selection: Query, tell: Tell) -> Crawl:
    first = await _read_once(client, selection, tell)
    crawl = first.result()
    if crawl.doubt:
        crawl = (await _read_once(client, selection, tell)).result(earlier=first)
    return crawl


async def _read_once(client: RestClient, selection: Query, tell: Tell) -> _Reading:
    reading = _Reading(counted_before=await _count(client, selection))
    async for records in _pages(client, selection, reading.counted_before):
        await asyncio.to_thread(SHIFTS.do, reading.add, records)
        tell("Reading the feed", reading.received, reading.counted_before)
    reading.counted_after = await _count(client, selection)
    return reading


async def _pages(client: RestClient, selection: Query, count: int) -> AsyncIterator[list[Any]]:
    asked: Query = {**selection, "$orderby": "id asc", "$top": PAGE, "$count": True}
    position: Mapping[str, str | int] | None = {}
    followed: list[Mapping[str, str | int]] = []
    received = 0
    while position is not None:
        if position in followed:
            raise FeedError("The feed loops: it continues at an earlier position.")
        followed.append(position)
        answer = await client.get("", {**position, **asked})
        records = _part(answer, "value", list)
        received += len(records)
        yield records
        position = _next_position(answer, {"$skip": received} if records and received < count else None)


async def _count(client: RestClient, selection: Query) -> int:
    return _part(await client.get("", {**selection, "$top": 1, "$count": True}), "@odata.count", int)


def _next_position(answer: Any, otherwise: Mapping[str, str | int] | None) -> Mapping[str, str | int] | None:
    link = answer.get("@odata.nextLink")
    if not link:
        return otherwise
    # Use only the position from the link. Its host must not be contacted, and its query may differ from ours.
    query = parse_qsl(str(link).partition("?")[2])
    return {name: value for name, value in query if name not in QUESTION}


def _part(answer: Any, name: str, shape: type[T]) -> T:
    part = answer.get(name) if isinstance(answer, Mapping) else None
    if not isinstance(part, shape):
        raise FeedError(f"The feed did not return a page of records: {name} is missing.")
    return part


def _selection(since: datetime | None) -> Query:
    return {"$filter": f"modified ge {since:%Y-%m-%dT%H:%M:%SZ}"} if since else {}


def _only(update_id: str) -> Query:
    quoted = update_id.replace("'", "''")
    return {"$filter": f"id eq '{quoted}'"}


def _update(raw: Any) -> Update:
    update = Update.from_api(raw)
    if len(update.id) > LONGEST_ID:
        raise MalformedRecordError(f"its id is longer than {LONGEST_ID} characters")
    return update


def _malformed(raw: Any, reason: str) -> Malformed:
    update_id = readable_id(raw)
    return Malformed(update_id and update_id[:LONGEST_ID], reason[:LONGEST_REASON])
