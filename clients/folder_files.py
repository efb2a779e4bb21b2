"""Files in a local folder that only one server uses.

Symbolic links are not followed, so all files are inside the folder.
"""

from __future__ import annotations

import asyncio
import os
import stat
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar
from uuid import uuid4

from clients.files import File, FilesPage
from clients.storage import ConflictError, StorageError

T = TypeVar("T")

MOST_FILES: Final = 20_000
# The name prefix of files that are hidden from users: settings of programs, and temporary files.
HIDDEN: Final = "."


class FolderFiles:
    def __init__(self, folder: Path) -> None:
        self._root = folder.resolve()
        # While this lock is held, no other write can happen between the check of a version and the replacement of the
        # file.
        self._writing = Lock()

    async def page(self, prefix: str, after: str, most: int) -> FilesPage:
        return await _in_a_thread(lambda: self._page(prefix, after, most))

    async def look(self, path: str) -> File | None:
        return await _in_a_thread(lambda: self._look(path))

    async def read(self, path: str, start: int, most: int) -> tuple[File, bytes] | None:
        return await _in_a_thread(lambda: self._read(path, start, most))

    async def write(self, path: str, content: bytes, media_type: str, version: str) -> File:  # noqa: ARG002 - passed by name
        return await _in_a_thread(lambda: self._write(path, content, version))

    async def delete(self, path: str, version: str) -> bool:
        return await _in_a_thread(lambda: self._delete(path, version))

    async def close(self) -> None:
        """Do nothing, because nothing stays open between calls."""

    def _page(self, prefix: str, after: str, most: int) -> FilesPage:
        paths = sorted(path for path in self._paths(self._root) if path.startswith(prefix))
        start = bisect_right(paths, after)
        files = [file for path in paths[start : start + most] if (file := self._look(path))]
        return FilesPage(files, paths[start + most - 1] if start + most < len(paths) else "")

    def _paths(self, root: Path) -> Iterator[str]:
        folders, seen = [root] if root.is_dir() else [], 0
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if seen > MOST_FILES:
                        raise StorageError(f"The folder has more than {MOST_FILES} files.")
                    if entry.name.startswith(HIDDEN):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    elif entry.is_file(follow_symlinks=False):
                        yield Path(entry.path).relative_to(root).as_posix()

    def _look(self, path: str) -> File | None:
        try:
            found = self._place(path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return _file(path, found) if stat.S_ISREG(found.st_mode) else None

    def _read(self, path: str, start: int, most: int) -> tuple[File, bytes] | None:
        if self._look(path) is None:
            return None
        opened = os.open(self._place(path), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(opened, "rb") as file:
            found = _file(path, os.fstat(opened))
            file.seek(min(start, found.size))
            return found, file.read(most)

    def _write(self, path: str, content: bytes, version: str) -> File:
        place = self._place(path)
        with self._writing, _beside(place) as part:
            self._check(path, version)
            part.write_bytes(content)
            part.replace(place)
            return _file(path, place.lstat())

    def _delete(self, path: str, version: str) -> bool:
        with self._writing:
            if self._look(path) is None:
                return False
            self._check(path, version)
            self._place(path).unlink()
            return True

    def _check(self, path: str, version: str) -> None:
        now = self._look(path)
        if version != (now.version if now else ""):
            raise ConflictError("The file has changed in the meantime.")
        if now is None and self._place(path).exists():
            raise ConflictError("This path is not a file.")

    def _place(self, path: str) -> Path:
        place = self._root.joinpath(*path.split("/"))
        if place.resolve() != place:
            raise StorageError("This path contains a link, and links are not followed.")
        return place


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    """A temporary file in the folder of `place`. The complete file replaces `place`, so nobody reads a partial file."""
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f"{HIDDEN}{uuid4().hex}.part")
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def _file(path: str, found: os.stat_result) -> File:
    version = f"{found.st_mtime_ns:x}-{found.st_ino:x}-{found.st_size:x}"
    return File(path, found.st_size, version, datetime.fromtimestamp(found.st_mtime, UTC))


async def _in_a_thread(work: Callable[[], T]) -> T:
    try:
        return await asyncio.to_thread(work)
    except OSError as error:
        raise StorageError(f"Cannot use the folder ({type(error).__name__}).") from error
