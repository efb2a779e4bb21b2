"""Provides git workspaces: the allowed servers, the sign-in, and the storage."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from refusal import Refusal
from settings import Settings
from tools.provider import Provider, Supplies
from tools.workspace.access import AZURE_REPOS, WORKSPACES, WorkspacesAccess
from tools.workspace.settings import HINTS, WorkspacesSettings, signed_in

CONTAINER: Final = "git-workspaces"


def lacks(settings: WorkspacesSettings, of_the_app: Settings) -> str:
    if not settings.places:
        return "Git workspaces are not configured. Ask an operator to set GIT_HOSTS."
    if settings.folder and of_the_app.place.is_on_azure:
        return "GIT_WORKSPACES_FOLDER is only for a laptop. Ask an operator to remove this setting."
    if settings.folder or of_the_app.storage.account or of_the_app.storage.connection:
        return ""
    return "Git workspaces need a storage account. On a laptop, set GIT_WORKSPACES_FOLDER instead."


def check(settings: WorkspacesSettings) -> None:
    if settings.tokens and (missing := sorted(set(signed_in(settings)) - set(settings.hosts))):
        raise Refusal(f"GIT_TOKENS has a token for {', '.join(missing)}, which is not in GIT_HOSTS.")


@asynccontextmanager
async def open_workspaces(settings: WorkspacesSettings, supplies: Supplies) -> AsyncIterator[WorkspacesAccess]:
    """Open the storage of workspaces. Opening the storage imports the git library, which is slow."""
    from clients.folder_files import FolderFiles
    from workspaces.keeping import WorkspaceKeeper
    from workspaces.workspaces import Workspaces

    files = FolderFiles(Path(settings.folder)) if settings.folder else supplies.files(CONTAINER)
    workspaces = Workspaces(WorkspaceKeeper(files, settings.megabytes, settings.days), settings.protected)
    upstream = supplies.upstream if AZURE_REPOS in settings.hosts else None
    try:
        yield WorkspacesAccess(workspaces, settings, upstream, signed_in(settings))
    finally:
        await files.close()


provider: Final = Provider(
    key=WORKSPACES, settings=WorkspacesSettings, open=open_workspaces, lacks=lacks, check=check, hints=HINTS
)
