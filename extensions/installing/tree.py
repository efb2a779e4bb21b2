"""Checks the size and the links of installed files, and computes a digest of all files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from refusal import Refusal

MOST_FILES: Final = 60_000
MOST_BYTES: Final = 1024**3
_PIECE: Final = 1024 * 1024


def refuse_too_much(folder: Path, most_bytes: int = MOST_BYTES) -> None:
    """Raise Refusal if the files in a folder exceed the limits."""
    size = 0
    for count, path in enumerate(_files(folder)):
        try:
            size += path.lstat().st_size
        except FileNotFoundError:
            continue  # the file is still being written
        if count >= MOST_FILES or size > most_bytes:
            raise Refusal(f"The installation exceeds the limit of {MOST_FILES} files or {most_bytes} bytes.")


def digest_of(folder: Path) -> str:
    """Return a digest of all files in a folder: names, contents and executable bits.

    Raises:
        Refusal: A link in the folder points to a target outside the folder.
    """
    digest = hashlib.sha256()
    for path in sorted(_files(folder)):
        digest.update(f"{path.relative_to(folder)}\0{_of_one(path, folder)}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _of_one(path: Path, folder: Path) -> str:
    if path.is_symlink():
        if not path.resolve().is_relative_to(folder.resolve()):
            raise Refusal(f"{path.relative_to(folder)} points outside the installation.")
        return f"to {path.readlink()}"
    if not path.is_file():
        raise Refusal(f"{path.relative_to(folder)} is not a regular file.")
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return f"{'runs' if os.access(path, os.X_OK) else 'file'} {digest.hexdigest()}"


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        for name in (*files, *(one for one in folders if Path(place, one).is_symlink())):
            yield Path(place, name)
