"""Serves documents from the newest index in a worker process, and syncs them in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from time import monotonic
from typing import Final

from clients.storage import StorageError
from documents.document import Document
from documents.keeping.store import DocumentsStore, PublishedDocuments
from documents.keeping.sync import DocumentsOutcome, DocumentsReport, Sync
from documents.searching.index import DocumentSearch, DocumentsIndex, Results
from documents.sources.declaration import Declared
from kept_index.reader import Edition, IndexReader
from refusal import Refusal

SECONDS_OF_A_READING: Final = 300.0
_SECONDS_BETWEEN_FIRST_READINGS: Final = 60.0
_UNDER_WAY: Final = "The documents are being read for the first time. Try again in a minute."

logger = logging.getLogger(__name__)


class DocumentsLibrary:
    """Searches documents in memory. Permissions are not checked here, so callers must pass only sources that the user
    is allowed to read.
    """

    def __init__(
        self,
        declared: Mapping[str, Declared],
        store: DocumentsStore,
        sync: Sync,
        reader: IndexReader[DocumentsIndex, PublishedDocuments],
    ) -> None:
        self.declared = declared
        self._store = store
        self._sync = sync
        self._reader = reader
        self._first: asyncio.Task[DocumentsReport] | None = None
        self._first_began = 0.0

    async def search(self, request: DocumentSearch) -> Results:
        """Search passages in the given sources.

        Raises:
            Refusal: No index exists yet, or the query has no search terms.
        """
        edition = await self._edition()
        if edition is None:
            self._begin()
            raise Refusal(_UNDER_WAY)
        return await asyncio.to_thread(edition.index.search, request)

    async def document(self, source: str, path: str) -> Document | None:
        """Return a document with the content that the last sync stored.

        Raises:
            Refusal: The storage is not responding.
        """
        try:
            return await self._store.document(source, path)
        except StorageError as error:
            raise _storage_refusal() from error

    async def published(self) -> PublishedDocuments:
        """Return the result of the last sync for each source.

        Raises:
            Refusal: The storage is not responding.
        """
        try:
            return await self._store.published()
        except StorageError as error:
            raise _storage_refusal() from error

    async def refresh(self, seconds: float = SECONDS_OF_A_READING) -> DocumentsReport:
        """Sync changed documents if no other process is syncing, and load the updated index."""
        report = await self._sync.run(seconds)
        if report.outcome in {DocumentsOutcome.DONE, DocumentsOutcome.MORE}:
            await self._look()
        return report

    async def end(self) -> None:
        """Cancel background tasks and close the storage."""
        if self._first is not None:
            self._first.cancel()
            await asyncio.wait([self._first])
        await self._store.close()

    def _begin(self) -> None:
        is_over = self._first is not None and self._first.done()
        if self._first is None or (is_over and monotonic() - self._first_began > _SECONDS_BETWEEN_FIRST_READINGS):
            self._first_began = monotonic()
            self._first = asyncio.create_task(self.refresh())

    async def _edition(self) -> Edition[DocumentsIndex, PublishedDocuments] | None:
        try:
            return await self._reader.edition()
        except StorageError as error:
            raise _storage_refusal() from error

    async def _look(self) -> None:
        try:
            await self._reader.look()
        except StorageError as error:
            logger.warning("The newest index of documents could not be opened; retrying later: %s", error)


def _storage_refusal() -> Refusal:
    return Refusal("The storage of the documents does not respond. Try again in a minute.")
