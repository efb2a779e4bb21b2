"""Files in a folder and in a container, which behave alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from clients.files import Files
from clients.folder_files import FolderFiles
from clients.storage import ConflictError, StorageError
from tests.fakes import shelves

TEXT = "text/markdown"


@pytest.fixture(params=shelves.KINDS)
async def files(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Files]:
    async with shelves.empty(request.param, tmp_path / "files") as opened:
        yield opened


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_what_was_written_is_read_with_its_version(files: Files) -> None:
    written = await files.write("docs/a b.md", b"# Hi", TEXT, "")
    found = await files.read("docs/a b.md", 0, 100)
    assert found == (written, b"# Hi")
    assert await files.look("docs/a b.md") == written
    assert (written.path, written.size, bool(written.version)) == ("docs/a b.md", 4, True)


async def test_no_more_is_read_than_is_asked_for(files: Files) -> None:
    await files.write("a", b"0123456789", "", "")
    assert [(await files.read("a", start, 3) or ("", b""))[1] for start in (0, 8, 10, 99)] == [b"012", b"89", b"", b""]
    await files.write("empty", b"", "", "")
    assert (await files.read("empty", 0, 3) or ("", b"?"))[1] == b""


async def test_what_is_not_there_is_nothing(files: Files) -> None:
    assert await files.look("a") is None
    assert await files.read("a", 0, 1) is None
    assert await files.delete("a", "1-2-3") is False
    assert (await files.page("", "", 10)).files == []


async def test_what_is_there_is_written_over_by_its_version_only(files: Files) -> None:
    first = await files.write("a", b"1", "", "")
    with pytest.raises(ConflictError):
        await files.write("a", b"2", "", "")
    second = await files.write("a", b"3", "", first.version)
    with pytest.raises(ConflictError):
        await files.write("a", b"4", "", first.version)
    with pytest.raises(ConflictError):
        await files.delete("a", first.version)
    assert (await files.read("a", 0, 9) or ("", b""))[1] == b"3"
    assert await files.delete("a", second.version)
    assert await files.look("a") is None


async def test_of_many_who_write_at_once_one_wins_and_all_others_are_told(files: Files) -> None:
    first = await files.write("a", b"0", "", "")
    writing = (files.write("a", str(number).encode(), "", first.version) for number in range(8))
    ended = await asyncio.gather(*writing, return_exceptions=True)
    assert sorted(type(one).__name__ for one in ended) == [*["ConflictError"] * 7, "File"]
    making = (files.write("b", str(number).encode(), "", "") for number in range(8))
    ended = await asyncio.gather(*making, return_exceptions=True)
    assert sorted(type(one).__name__ for one in ended) == [*["ConflictError"] * 7, "File"]


async def test_files_are_listed_by_pages_and_by_how_they_begin(files: Files) -> None:
    names = ["a/1", "a/2", "a/b/3", "ab", "c"]
    for name in reversed(names):
        await files.write(name, b"x", "", "")
    seen, after = [], ""
    while True:
        page = await files.page("", after, 2)
        seen += [file.path for file in page.files]
        if not (after := page.after):
            break
    assert seen == names
    assert [file.path for file in (await files.page("a/", "", 10)).files] == names[:3]


async def test_a_container_keeps_the_media_type(tmp_path: Path) -> None:
    async with shelves.empty("azurite", tmp_path) as files:
        await files.write("a", b"x", "application/x-own", "")
        found = await files.look("a")
    assert found is not None
    assert found.media_type == "application/x-own"


async def test_no_link_is_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / "files", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("hunter2")
    (folder / "file").symlink_to(outside / "secret")
    (folder / "folder").symlink_to(outside)
    (folder / "dangling").symlink_to(outside / "new")
    files = FolderFiles(folder)
    assert (await files.page("", "", 10)).files == []
    for path in ("file", "folder/secret", "dangling"):
        with pytest.raises(StorageError):
            await files.look(path)
        with pytest.raises(StorageError):
            await files.read(path, 0, 10)
        with pytest.raises(StorageError):
            await files.write(path, b"x", "", "")
        with pytest.raises(StorageError):
            await files.delete(path, "1-2-3")
    assert names_in(outside) == ["secret"]


async def test_what_is_no_file_is_none_and_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    files = FolderFiles(tmp_path)
    assert await files.look("folder") is None
    with pytest.raises(ConflictError):
        await files.write("folder", b"x", "", "")


async def test_what_begins_with_a_dot_is_not_listed_and_nothing_half_written_stays(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("x")
    files = FolderFiles(tmp_path)
    await files.write("a", b"x", "", "")
    assert [file.path for file in (await files.page("", "", 10)).files] == ["a"]
    assert names_in(tmp_path) == [".env", ".git", "a"]
