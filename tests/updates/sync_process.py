"""A process that syncs the folder and the feed it is told, and says before each step that it takes it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from clients.folder_storage import FolderStorage
from tests.fakes.mortality import Life
from tests.fakes.updates.api import UpdatesApi
from tests.updates.syncing import World


class SpokenLife(Life):
    def step(self, what: str) -> None:
        super().step(what)
        print(self.steps, flush=True)  # noqa: T201 - its parent waits for this line


if __name__ == "__main__":
    folder, url = sys.argv[1:]
    world = World(FolderStorage(Path(folder)), UpdatesApi(), url)
    report = asyncio.run(world.sync(SpokenLife()).reconcile())
    print(report)  # noqa: T201 - what it would say, if it lived
