"""Syncs the stored documents with their sources.

Only one process at a time runs a sync, and that process may be killed at any point.

Each document is one row with its text and version. A sync compares the stored versions with the versions in the source.
If a process is killed, the next process reads only the missing documents. The index is built from the rows and stored
under its content hash. Only then does the server switch to the new index.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from time import monotonic
from typing import Final, Self

from clients.storage import StorageError
from documents.keeping.one_source import SourceSync, Tally
from documents.keeping.store import DocumentsStore, KeptDocument, PublishedDocuments, SourceState, digest_of
from documents.sources.declaration import Declared
from documents.sources.source import DocumentSource
from kept_index.store import Turn
from shifts import SHIFTS

logger = logging.getLogger(__name__)

_ANOTHER_IS_READING: Final = (
    "Another process is reading the documents. If that process was killed, try again in a minute."
)

# Builds the index from the documents of each source, in a stable order. The function is called in a thread.
BuildIndex = Callable[[Mapping[str, Sequence[KeptDocument]]], bytes]


class DocumentsOutcome(Enum):
    DONE = "done"
    MORE = "more"
    BUSY = "busy"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DocumentsReport:
    """The result of a sync. MORE means that the sync reached its time limit, and that the documents that were read so
    far are searchable.
    """

    outcome: DocumentsOutcome
    reason: str = ""
    read: int = 0
    removed: int = 0
    documents: int = 0
    failed: tuple[str, ...] = ()

    @classmethod
    def of(cls, tally: Tally, states: Mapping[str, SourceState]) -> Self:
        return cls(
            DocumentsOutcome.MORE if tally.is_cut else DocumentsOutcome.DONE,
            read=tally.read,
            removed=tally.removed,
            documents=sum(state.documents for state in states.values()),
            failed=tuple(name for name, state in states.items() if state.failure),
        )


@dataclass(frozen=True, slots=True)
class Sync:
    """Syncs all document sources into one store."""

    declared: Mapping[str, Declared]
    sources: Mapping[str, DocumentSource]
    store: DocumentsStore
    build_index: BuildIndex
    index_format: str

    async def run(self, seconds: float) -> DocumentsReport:
        """Sync new and changed documents for at most this many seconds. The report lists the sources that failed."""
        try:
            await self.store.prepare()
            async with self.store.turn() as turn:
                if turn is None:
                    return DocumentsReport(DocumentsOutcome.BUSY, _ANOTHER_IS_READING)
                return await self._take_turn(turn, Tally(monotonic() + seconds))
        except StorageError as error:
            logger.warning("The documents could not be read: %s", error)
            return DocumentsReport(DocumentsOutcome.FAILED, str(error))

    async def _take_turn(self, turn: Turn[PublishedDocuments], tally: Tally) -> DocumentsReport:
        known, states, kept = turn.published, dict[str, SourceState](), dict[str, Sequence[KeptDocument]]()
        for name, declared in self.declared.items():
            one = SourceSync(declared, self.sources[name], self.store, tally)
            states[name], found = await one.run(known.sources.get(name, SourceState()))
            kept[name] = [found[key] for key in sorted(found)]
        await self._forget(known.sources.keys() - self.declared.keys())
        await self._publish(turn, states, kept)
        return DocumentsReport.of(tally, states)

    async def _forget(self, names: set[str]) -> None:
        """Delete the stored documents of sources that are no longer configured."""
        for name in sorted(names):
            await self.store.remove(name, list(await self.store.kept(name)))

    async def _publish(
        self,
        turn: Turn[PublishedDocuments],
        states: Mapping[str, SourceState],
        kept: Mapping[str, Sequence[KeptDocument]],
    ) -> None:
        """Rebuild the index if the stored documents changed. Then publish the current index and sync state."""
        # The digest covers all stored documents: a killed process may have stored documents that are not in any index.
        known, index, digest = turn.published, turn.published.index, digest_of(kept)
        if index is None or known.index_format != self.index_format or known.digest != digest:
            index = await self.store.add_index(await asyncio.to_thread(SHIFTS.do, self.build_index, kept))
        await self.store.publish(turn, PublishedDocuments(index, self.index_format, states, digest))
        await self.store.remove_old_indexes(index, datetime.now(UTC))
