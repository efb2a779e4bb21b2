"""Searches Azure operations in the newest index, and reads the current operations from Azure in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from azure_operations.index import OperationsIndex
from azure_operations.index_builder import build_index
from azure_operations.index_format import FORMAT
from azure_operations.keeping import OperationsOutcome, OperationsReport, OperationsStore, PublishedOperations, Reader
from azure_operations.reading import operations_of_types, provider_of
from azure_operations.record import Operation
from clients.azure.client import Azure
from clients.storage import Storage, StorageError
from kept_index.reader import Edition, IndexReader

SECONDS_BETWEEN_FIRST_READINGS: Final = 60.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReadingProgress:
    """The progress of a run in this process: the number of providers read so far, and the number of all providers."""

    done: int = 0
    of: int = 0
    since: float = 0.0

    def __str__(self) -> str:
        if not self.done:
            return "Building the index takes a minute or two."
        left = (monotonic() - self.since) / self.done * (self.of - self.done)
        return f"{self.done} of {self.of} providers have been read; about {max(round(left), 1)} s remain."


class OperationsLibrary:
    """Searches Azure operations in memory.

    Reads the operations from Azure and builds the index in the background, one run at a time.
    """

    def __init__(self, storage: Storage, azure: Azure) -> None:
        self._store = OperationsStore(storage)
        self._indexes: IndexReader[OperationsIndex, PublishedOperations] = IndexReader(
            self._store, OperationsIndex.open, FORMAT
        )
        self._reader = Reader(azure, self._store, build_index, FORMAT, self._note)
        self._progress = ReadingProgress()
        self._first: asyncio.Task[OperationsReport] | None = None
        self._first_began = 0.0

    async def edition(self) -> Edition[OperationsIndex, PublishedOperations] | None:
        """Return the newest index. If no index exists, start building one and return None."""
        try:
            edition = await self._indexes.edition()
        except StorageError as error:
            logger.warning("The index of Azure operations cannot be read: %s", error)
            return None
        if edition is None:
            self._begin()
        return edition

    def found_in(self, document: Mapping[str, Any], query: str, limit: int) -> Sequence[Operation]:
        """Search the readable resource types of one provider. This method blocks, so call it in a thread."""
        provider = provider_of(document)
        if provider is None:
            return []
        return OperationsIndex.open(build_index(operations_of_types(provider))).find(query, limit)

    async def refresh(self) -> OperationsReport:
        """Read all operations again. Do nothing if another process is already reading the operations, or has just read
        them.
        """
        self._progress = ReadingProgress(since=monotonic())
        report = await self._reader.run()
        if report.outcome in {OperationsOutcome.BUILT, OperationsOutcome.FRESH}:
            await self._look()
        return report

    @property
    def state(self) -> str:
        """Explain why no index exists yet, and estimate the time until it is built."""
        if self._indexes.failure:
            return "The storage that contains the index of all operations does not respond. Try again in a minute."
        first = self._first
        if first is None or not first.done() or first.cancelled():
            return f"The index of all operations is being built. {self._progress}"
        report = first.result()
        if report.outcome is OperationsOutcome.BUSY:
            return "Another process is building the index of all operations. This takes a minute or two."
        return f"The index of all operations could not be built: {report.reason} The server will try again."

    async def settled(self) -> None:
        """Wait until all background tasks have ended."""
        if self._first is not None:
            await asyncio.wait([self._first])

    async def end(self) -> None:
        """Cancel background tasks and close the storage."""
        if self._first is not None:
            self._first.cancel()
            await self.settled()
        await self._store.close()

    def _begin(self) -> None:
        is_over = self._first is not None and self._first.done()
        if self._first is None or (is_over and monotonic() - self._first_began > SECONDS_BETWEEN_FIRST_READINGS):
            self._first_began = monotonic()
            self._first = asyncio.create_task(self.refresh())

    def _note(self, done: int, of: int) -> None:
        self._progress = ReadingProgress(done, of, self._progress.since)

    async def _look(self) -> None:
        try:
            await self._indexes.look()
        except StorageError as error:
            logger.warning("The newest index of Azure operations could not be opened; retrying later: %s", error)
