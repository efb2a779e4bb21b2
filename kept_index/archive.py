"""Packs a folder into one byte string. Identical files produce an identical byte string."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import weakref
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def pack_folder(folder: Path) -> bytes:
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                entry = tarfile.TarInfo(file.relative_to(folder).as_posix())
                entry.size = file.stat().st_size
                with file.open("rb") as content:
                    tar.addfile(entry, content)
        packed.seek(0)
        return packed.read()


def opened(packed: bytes, open_folder: Callable[[Path], T], prefix: str) -> T:
    """Unpack a folder to the local disk and open it. The files are deleted when the result is no longer in use."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        _unpack(packed, folder)
        found = open_folder(folder)
    except BaseException:
        shutil.rmtree(folder)
        raise
    # Running searches keep a reference to the index, so the index files are deleted after the last search has ended.
    weakref.finalize(found, shutil.rmtree, folder, ignore_errors=True)
    return found


def _unpack(packed: bytes, folder: Path) -> None:
    with tarfile.open(fileobj=BytesIO(packed)) as tar:
        tar.extractall(folder, filter="data")
