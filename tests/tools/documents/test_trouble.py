"""What is away, too much or at work elsewhere is told, and nothing that was read is lost."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_bytes
from typing import Any, cast

import pytest

from clients.files import File, Files, FilesPage
from clients.folder_storage import FolderStorage
from clients.storage import Storage, StorageError
from documents.keeping.store import LARGEST_PACKED
from documents.keeping.sync import DocumentsOutcome
from documents.reading.texts import MOST_HEADINGS
from documents.sources.files import MOST_ENTRIES
from kept_index.store import POINTER
from tests.tools.documents.world import World, answer, world, written

HANDBOOK = "  handbook: {{folder: 'file://{folder}', roles: [everyone]}}\n"
LEDGER = "  ledger: {{folder: 'file://{folder}/ledger', roles: [everyone]}}\n"
AWAY = "The storage of the documents does not respond. Try again in a minute."


@dataclass
class Watched:
    """A storage that is away when the test says so."""

    storage: Storage
    away: bool = False

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def call(*given: Any) -> Any:
            if self.away:
                raise StorageError("The storage is away.")
            return await getattr(self.storage, name)(*given)

        return call


@pytest.fixture
def storage(tmp_path: Path) -> Watched:
    return Watched(FolderStorage(tmp_path / "kept"))


@pytest.fixture
async def bakery(tmp_path: Path, storage: Watched) -> AsyncIterator[World]:
    file = f"sources:\n{HANDBOOK}".format(folder=written(tmp_path / "handbook", {"oven.md": "# Oven\n\nIt bakes.\n"}))
    async with world(tmp_path, file, storage=cast("Storage", storage)) as opened:
        yield opened
        storage.away = False


async def test_where_the_storage_is_away_that_is_told_and_nothing_is_lost(bakery: World, storage: Watched) -> None:
    who = bakery.person()
    storage.away = True
    assert await who.told("docs_search", query="oven") == AWAY
    assert await who.told("read_document", file_path="handbook/oven.md") == AWAY
    assert await who.told("list_document_sources") == AWAY
    report = await bakery.read()
    assert (report.outcome, report.reason) == (DocumentsOutcome.FAILED, "The storage is away.")
    storage.away = False
    assert (await bakery.read()).read == 1
    assert (await answer(who, "docs_search", query="oven"))["total"] == 1


async def test_who_comes_while_another_process_reads_is_told_so(bakery: World, storage: Watched) -> None:
    await bakery.read()
    lease = await storage.storage.acquire(POINTER, 60)
    assert lease
    assert (await bakery.read()).outcome is DocumentsOutcome.BUSY
    await storage.storage.release(POINTER, lease)
    assert (await bakery.read()).outcome is DocumentsOutcome.DONE


async def test_nothing_is_found_of_a_source_that_is_named_no_more(tmp_path: Path) -> None:
    folder = written(tmp_path / "files", {"oven.md": "# Oven\n", "ledger/debts.md": "# Debts\n"})
    async with world(tmp_path, f"sources:\n{HANDBOOK}{LEDGER}".format(folder=folder)) as opened:
        assert (await opened.read()).documents == 3
    async with world(tmp_path, f"sources:\n{HANDBOOK}".format(folder=folder)) as opened:
        assert (await opened.read()).documents == 2
    async with world(tmp_path, f"sources:\n{LEDGER}".format(folder=folder)) as opened:
        assert (await answer(opened.person(), "docs_search", query="debts"))["total"] == 0
        assert (await opened.read()).read == 1
        assert (await answer(opened.person(), "docs_search", query="debts"))["total"] == 1


async def test_what_is_too_much_for_a_row_is_told_and_the_rest_is_read(bakery: World, tmp_path: Path) -> None:
    noise = b64encode(token_bytes(700_000)).decode()
    written(tmp_path / "handbook", {"noise.md": noise, "headings.md": "# A\n" * (MOST_HEADINGS + 1)})
    assert (await bakery.read()).documents == 1
    (source,) = (await answer(bakery.person(), "list_document_sources"))["sources"]
    assert {one["path"]: one["reason"] for one in source["problems"]} == {
        "noise.md": f"Even compressed, the document is larger than {LARGEST_PACKED} bytes.",
        "headings.md": f"The file has more than {MOST_HEADINGS} headings.",
    }


class _Container:
    """A container of a great many files, or one that is away."""

    def __init__(self, many: int) -> None:
        self._many = many

    async def page(self, _prefix: str, after: str, most: int) -> FilesPage:
        if not self._many:
            raise StorageError("The storage does not answer.")
        start = int(after or 0)
        files = [File(f"{number}.md", 1, "1", datetime.now(UTC)) for number in range(start, start + most)]
        return FilesPage(files, str(start + most) if start + most < self._many else "")

    async def read(self, *_given: Any) -> None:
        raise StorageError("The storage does not answer.")

    async def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(
    ("many", "failure"),
    [
        (0, "The storage does not answer."),
        (5_000, "The storage does not answer."),
        (25_000, f"The source has more than {MOST_ENTRIES} files. Limit the source to a folder."),
    ],
)
async def test_a_container_that_is_away_or_too_full_has_failed_in_words(
    tmp_path: Path, many: int, failure: str
) -> None:
    file = "sources: {team: {container: documents, roles: [everyone]}}"
    async with world(tmp_path, file, files={"documents": cast("Files", _Container(many))}) as opened:
        assert (await opened.read()).failed == ("team",)
        (source,) = (await answer(opened.person(), "list_document_sources"))["sources"]
        assert source["failure"] == failure
