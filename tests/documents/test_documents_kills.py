"""Processes killed at every point of reading documents, and what the next one makes of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from clients.folder_files import FolderFiles
from clients.folder_storage import FolderStorage
from clients.storage import Storage
from documents.keeping.store import DocumentsStore
from documents.keeping.sync import DocumentsOutcome, Sync
from documents.searching.builder import build_index
from documents.searching.index import DocumentSearch, DocumentsIndex
from documents.searching.index_format import FORMAT
from documents.sources.files import FilesSource
from documents.sources_file import sources_in
from tests.fakes.mortality import KilledError, Life
from tests.fakes.storages import Clock

PAGES = 40
KILLS = int(os.environ.get("KILLS_OF_READINGS", "8"))


def _sync(storage: Storage, folder: Path) -> Sync:
    declared = sources_in(f"sources: {{pages: {{folder: 'file://{folder}', roles: [everyone]}}}}", "documents.yaml")
    sources = {"pages": FilesSource(FolderFiles(folder), folder=folder)}
    return Sync(declared, sources, DocumentsStore(storage), build_index, FORMAT)


async def _stored(storage: Storage) -> Any:
    """All that anybody can see of a store, but for when it was."""
    store = DocumentsStore(storage)
    published = await store.published()
    content = await store.index(published.index) if published.index else None
    found = (
        DocumentsIndex.open(content).search(DocumentSearch(query="page", sources=["pages"], limit=100))
        if content
        else None
    )
    kept = {key: (one.version, one.document) for key, one in (await store.kept("pages")).items()}
    return found, kept, published.sources["pages"].documents if published.sources else None


@pytest.fixture
async def pages(tmp_path: Path) -> Path:
    """A folder that was read, and then changed: some of it is new, edited, and gone."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(PAGES):
        (folder / f"{number}.md").write_text(f"# Page {number}\n\nText.\n")
    await _sync(FolderStorage(tmp_path / "before", Clock()), folder).run(60)
    for number in range(PAGES):
        if number % 4 == 0:
            (folder / f"{number}.md").unlink()
        (folder / f"new{number}.md").write_text("# New page\n")
        (folder / f"{number + 1}.md").write_text(f"# Edited page {number}\n")
    return folder


async def test_wherever_a_reading_is_killed_the_next_one_reaches_the_same(tmp_path: Path, pages: Path) -> None:
    clock, place = Clock(), tmp_path / "try"

    def fresh() -> FolderStorage:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(tmp_path / "before", place)
        return FolderStorage(place, clock)

    life, storage = Life(), fresh()
    assert (await _sync(life.of(storage), pages).run(60)).outcome is DocumentsOutcome.DONE
    expected, before = await _stored(storage), await _stored(FolderStorage(tmp_path / "before", clock))
    assert expected[0] != before[0]
    for last_step in range(1, life.steps + 1, max(1, life.steps // KILLS)):
        storage = fresh()
        with pytest.raises(KilledError):
            await _sync(Life(last_step).of(storage), pages).run(60)
        assert (await _stored(storage))[0] in (before[0], expected[0])
        clock.now += 61
        assert (await _sync(storage, pages).run(60)).outcome is DocumentsOutcome.DONE
        assert await _stored(storage) == expected, f"killed at step {last_step}"


async def test_what_is_cut_short_is_gone_on_with(tmp_path: Path, pages: Path) -> None:
    storage = FolderStorage(tmp_path / "cut", Clock())
    report = await _sync(storage, pages).run(0)
    assert (report.outcome, report.documents) == (DocumentsOutcome.MORE, 0)
    report = await _sync(storage, pages).run(60)
    assert (report.outcome, report.documents) == (DocumentsOutcome.DONE, report.read)
