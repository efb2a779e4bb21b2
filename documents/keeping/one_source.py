"""Syncs the stored documents of one source: reads only changed files, and deletes the documents of removed files."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Final

from documents.keeping.store import LARGEST_PACKED, DocumentsStore, KeptDocument, Problem, SourceState, key_of, packed
from documents.reading.texts import LARGEST_DOCUMENT, UnreadableError, document_of
from documents.sources.declaration import Declared
from documents.sources.source import DocumentSource, SourceError, SourceFile
from shifts import SHIFTS

_READS_AT_ONCE: Final = 8
_READ_THEN_WRITTEN: Final = 32
_MOST_PROBLEMS: Final = 20


@dataclass(slots=True)
class Tally:
    """How many documents a sync has read and removed so far, and the sync's deadline."""

    until: float
    read: int = 0
    removed: int = 0
    is_cut: bool = False

    @property
    def has_changed(self) -> bool:
        return bool(self.read or self.removed)

    @property
    def is_late(self) -> bool:
        return monotonic() >= self.until


@dataclass(slots=True)
class _Found:
    """The result of reading some files: documents, unreadable files, and failed reads. The sync deletes the stored
    documents of unreadable files.
    """

    documents: list[KeptDocument] = field(default_factory=list)
    unreadable: list[Problem] = field(default_factory=list)
    failed: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SourceSync:
    declared: Declared
    source: DocumentSource
    store: DocumentsStore
    tally: Tally

    async def run(self, before: SourceState) -> tuple[SourceState, dict[str, KeptDocument]]:
        """Sync the source. Return the state and all stored documents of the source."""
        kept = await self.store.kept(self.declared.name)
        try:
            wanted = await self._current_files(kept)
        except SourceError as error:
            return replace(before, documents=len(kept), failure=str(error)), kept
        stays = await self._without(kept, kept.keys() - wanted.keys())
        new = [one for key, one in wanted.items() if key not in stays or stays[key].version != one.version]
        state = await self._read(new, stays)
        return replace(state, documents=len(stays)), stays

    async def _current_files(self, kept: Mapping[str, KeptDocument]) -> Mapping[str, SourceFile]:
        entries = [entry for entry in await self.source.entries() if self.declared.wants(entry)]
        if kept and not entries:
            raise SourceError("The source returned an empty list, so its previous documents are kept.")
        return {key_of(entry.path): entry for entry in entries}

    async def _read(self, new: Sequence[SourceFile], stays: dict[str, KeptDocument]) -> SourceState:
        """Read new and changed files, store them as documents, and add these documents to the result, `stays`."""
        head, problems = await self.store.head(self.declared.name), list[Problem]()
        for start in range(0, len(new), _READ_THEN_WRITTEN):
            if self.tally.is_late:
                self.tally.is_cut = True
                break
            found = await self._found(new[start : start + _READ_THEN_WRITTEN])
            head = await self.store.write(self.declared.name, head, found.documents)
            stays |= {one.key: one for one in found.documents}
            await self._without(stays, {key_of(one.path) for one in found.unreadable} & stays.keys())
            self.tally.read += len(found.documents)
            problems += found.unreadable + found.failed
            if found.failed and not found.documents:
                return self._state(problems, found.failed[0].reason)
        return self._state(problems)

    def _state(self, problems: Sequence[Problem], failure: str = "") -> SourceState:
        return SourceState(0, datetime.now(UTC), failure, len(problems), tuple(problems[:_MOST_PROBLEMS]))

    async def _without(self, kept: dict[str, KeptDocument], gone: set[str]) -> dict[str, KeptDocument]:
        await self.store.remove(self.declared.name, sorted(gone))
        for key in gone:
            del kept[key]
        self.tally.removed += len(gone)
        return kept

    async def _found(self, entries: Sequence[SourceFile]) -> _Found:
        found, turn = _Found(), asyncio.Semaphore(_READS_AT_ONCE)

        async def read(entry: SourceFile) -> None:
            async with turn:
                await self._read_into(found, entry)

        await asyncio.gather(*map(read, entries))
        return found

    async def _read_into(self, found: _Found, entry: SourceFile) -> None:
        try:
            if (kept := await self._read_document(entry)) is not None:
                found.documents.append(kept)
        except UnreadableError as error:
            found.unreadable.append(Problem(entry.path, str(error)))
        except SourceError as error:
            found.failed.append(Problem(entry.path, str(error)))

    async def _read_document(self, entry: SourceFile) -> KeptDocument | None:
        """Read a file and convert it to a stored document. Return None if the file no longer exists."""
        if (entry.size or 0) > LARGEST_DOCUMENT:
            raise UnreadableError(f"The file is larger than {LARGEST_DOCUMENT} bytes.")
        content = await self.source.read(entry, LARGEST_DOCUMENT + 1)
        if content is None:
            return None
        link = await self.source.link(entry.path)
        return await asyncio.to_thread(SHIFTS.do, _parsed, self.declared.name, entry, content, link)


def _parsed(source: str, entry: SourceFile, content: bytes, link: str) -> KeptDocument:
    kept = packed(document_of(source, entry.path, content, entry.modified, link), entry.version)
    if len(kept.packed) > LARGEST_PACKED:
        raise UnreadableError(f"Even compressed, the document is larger than {LARGEST_PACKED} bytes.")
    return kept
