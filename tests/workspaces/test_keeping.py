"""What is kept of workspaces, and for how long."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from clients.folder_files import FolderFiles
from workspaces.keeping import WorkspaceKeeper

# More than one listing of a storage account brings.
MANY = 1100


async def test_the_sweep_reaches_packs_that_nobody_names_however_many_there_are(tmp_path: Path) -> None:
    leave_packs(tmp_path, (datetime.now(UTC) - timedelta(days=30)).timestamp())
    await WorkspaceKeeper(FolderFiles(tmp_path), 50, 7).sweep(datetime.now(UTC))
    assert packs(tmp_path) == []


def leave_packs(folder: Path, modified: float) -> None:
    for number in range(MANY):
        pack = folder / "ada" / f"{number:04}" / "unnamed.pack"
        pack.parent.mkdir(parents=True)
        pack.write_bytes(b"PACK")
        os.utime(pack, (modified, modified))


def packs(folder: Path) -> list[Path]:
    return list(folder.rglob("*.pack"))
