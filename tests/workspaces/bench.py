"""Workspaces in a folder, for somebody, at a server of the tests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from clients.folder_files import FolderFiles
from workspaces.author import Author
from workspaces.keeping import WorkspaceKeeper
from workspaces.remote_repository import RemoteRepository, checked_url
from workspaces.workspaces import Desk, Workspaces

ADA = Author("Ada", "ada@example.net")


@dataclass
class Bench:
    folder: Path
    authorization: str = ""
    protected: tuple[str, ...] = ("main", "release/*")
    megabytes: int = 50
    seconds: float = 45
    now: datetime = datetime(2026, 11, 23, 9, tzinfo=UTC)

    @property
    def workspaces(self) -> Workspaces:
        """Another instance: nothing of what an earlier one remembered is there."""
        keeper = WorkspaceKeeper(FolderFiles(self.folder), self.megabytes, 7)
        return Workspaces(keeper, self.protected, self._clock)

    def desk(self, owner: str = "ada") -> Desk:
        return Desk(self.workspaces, owner, self._sign_in)

    def _clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    async def _sign_in(self, url: str) -> RemoteRepository:
        return RemoteRepository(checked_url(url, ["127.0.0.1", "localhost"]), self.authorization, self.seconds)
