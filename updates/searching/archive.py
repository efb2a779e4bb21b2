"""A folder as one sequence of bytes, the same for the same files."""

from __future__ import annotations

import tarfile
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile


def pack_folder(folder: Path) -> bytes:
    with TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                entry = tarfile.TarInfo(file.relative_to(folder).as_posix())
                entry.size = file.stat().st_size
                with file.open("rb") as content:
                    tar.addfile(entry, content)
        packed.seek(0)
        return packed.read()


def unpack_folder(packed: bytes, folder: Path) -> None:
    with tarfile.open(fileobj=BytesIO(packed)) as tar:
        tar.extractall(folder, filter="data")
