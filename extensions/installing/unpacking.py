"""Unpacks an untrusted archive. Rejects an archive that exceeds the limits, or contains anything except files and
folders below the target folder.

This file runs as a separate program, `python unpacking.py ARCHIVE FOLDER PROGRAM BYTES ENTRIES`, and imports no module
of this project. A malicious archive can harm only this process, whose memory and time are limited. The last line of
output contains the error. Only the program in the archive becomes executable.
"""

from __future__ import annotations

import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

if sys.platform != "win32":
    import resource

_PIECE: Final = 1024 * 1024
_LONGEST_NAME: Final = 500
_LONGEST_PART: Final = 200
_DEEPEST: Final = 20
_MOST_MEMORY: Final = 256 * 1024**2
_MOST_SECONDS: Final = 120
_PLAIN: Final = {tarfile.REGTYPE, tarfile.AREGTYPE}
_METHODS: Final = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED: Final = 1
_UNREADABLE: Final = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError),
    *(ValueError, ArithmeticError, LookupError, RecursionError, MemoryError, NotImplementedError),
)


class NotUnpackedError(Exception):
    """The archive was not unpacked. The message contains the reason in one sentence."""


@dataclass
class UnpackTarget:
    """The folder to unpack into, with the limits on bytes and entries."""

    folder: Path
    most_bytes: int
    most_entries: int
    size: int = 0
    folders: set[Path] = field(default_factory=set)
    entries: int = 0

    def add_folder(self, name: str) -> None:
        self._count()  # repeated entries also count toward the limit
        self._make(self.folder.joinpath(*parts_of(name)))

    def add_file(self, name: str, content: IO[bytes]) -> None:
        path = self.folder.joinpath(*parts_of(name))
        if path == self.folder:
            raise NotUnpackedError(f"{shown(name)} is not a valid file name.")
        self._make(path.parent)
        self._count()
        try:
            file = path.open("xb")
        except FileExistsError:
            raise NotUnpackedError(f"{shown(name)} appears twice.") from None
        with file:
            self._copy(content, file)

    def _copy(self, content: IO[bytes], file: IO[bytes]) -> None:
        while piece := content.read(_PIECE):
            self.size += len(piece)
            if self.size > self.most_bytes:
                raise NotUnpackedError(f"The archive is larger than {self.most_bytes} bytes.")
            file.write(piece)

    def let_run(self, program: str) -> None:
        path = self.folder.joinpath(*parts_of(program))
        if not path.is_file():
            raise NotUnpackedError(f"The archive does not contain its program {shown(program)}.")
        path.chmod(0o755)

    def _make(self, folder: Path) -> None:
        """Create a folder and its parents within the target."""
        if folder == self.folder or folder in self.folders:
            return
        self._make(folder.parent)
        self._count()
        try:
            folder.mkdir()
        except FileExistsError:
            raise NotUnpackedError(f"{shown(folder.name)} is both a file and a folder.") from None
        self.folders.add(folder)

    def _count(self) -> None:
        self.entries += 1
        if self.entries > self.most_entries:
            raise NotUnpackedError(f"The archive has more than {self.most_entries} files and folders.")


def parts_of(name: str) -> list[str]:
    parts = [part for part in name.split("/") if part not in {"", "."}]
    is_odd = not name.isprintable() or "\\" in name or len(name) > _LONGEST_NAME or len(parts) > _DEEPEST
    if is_odd or any(len(part.encode()) > _LONGEST_PART for part in parts):
        raise NotUnpackedError(f"{shown(name)} is not a valid file name.")
    if name.startswith("/") or ".." in parts:
        raise NotUnpackedError(f"{shown(name)} points outside its folder.")
    return parts


def shown(name: str) -> str:
    return ascii(name[:100])


def unpack(archive: Path, target: UnpackTarget, program: str) -> None:
    """Unpack an archive.

    Raises:
        NotUnpackedError: The archive cannot be read completely, or contains an entry that is not allowed.
    """
    try:
        target.folder.mkdir()
        _unpack(archive, target)
        target.let_run(program)
    except _UNREADABLE as failure:
        raise NotUnpackedError(f"The archive cannot be read completely ({type(failure).__name__}).") from None


def _unpack(archive: Path, target: UnpackTarget) -> None:
    with archive.open("rb") as file:
        begin = file.read(4)
    if begin.startswith(b"\x1f\x8b"):
        _unpack_tar(archive, target)
    elif begin.startswith(b"PK"):
        _unpack_zip(archive, target)
    else:
        raise NotUnpackedError("The archive is not a zip or tar.gz file.")


def _unpack_tar(archive: Path, target: UnpackTarget) -> None:
    """Unpack a tar archive in one pass, so that the compressed data is read only once."""
    with tarfile.open(archive, "r|gz") as tar:
        for member in tar:
            content = tar.extractfile(member) if member.type in _PLAIN and not member.issparse() else None
            if content:
                target.add_file(member.name, content)
            elif member.isdir():
                target.add_folder(member.name)
            else:
                raise NotUnpackedError(f"{shown(member.name)} is not a file or folder.")


def _unpack_zip(archive: Path, target: UnpackTarget) -> None:
    with zipfile.ZipFile(archive) as packed:
        for entry in _plain_entries(packed):
            if entry.is_dir():
                target.add_folder(entry.orig_filename)
            else:
                with packed.open(entry) as content:
                    target.add_file(entry.orig_filename, content)


def _plain_entries(packed: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    for entry in packed.infolist():
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in {0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG}:
            raise NotUnpackedError(f"{shown(entry.orig_filename)} is not a file or folder.")
        if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _METHODS:
            raise NotUnpackedError(f"{shown(entry.orig_filename)} uses an unsupported compression method.")
        yield entry


def _hold_back() -> None:
    """Limit the memory and time of this process. If the operating system does not support these limits, the limits
    on bytes and entries still apply.
    """
    if sys.platform == "win32":
        return
    for limit, most in ((resource.RLIMIT_CPU, _MOST_SECONDS), (resource.RLIMIT_AS, _MOST_MEMORY)):
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))


def main() -> None:
    archive, folder, program, most_bytes, most_entries = sys.argv[1:]
    _hold_back()
    target = UnpackTarget(Path(folder), int(most_bytes), int(most_entries))
    try:
        unpack(Path(archive), target, program)
    except NotUnpackedError as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
