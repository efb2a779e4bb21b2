"""Gives tools access to the caller's git workspaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from identity.caller import Caller, CallerKind
from identity.seals import fingerprint
from refusal import Refusal
from tools.azure_devops.settings import SCOPE
from tools.key import Key
from tools.workspace.settings import WorkspacesSettings

if TYPE_CHECKING:
    from identity.upstream import Upstream
    from workspaces.remote_repository import RemoteRepository
    from workspaces.workspaces import Desk, Workspaces

WORKSPACES: Final[Key[WorkspacesAccess]] = Key("workspaces")


AZURE_REPOS: Final = "dev.azure.com"
_ONLY_SOME_PROJECTS: Final = (
    "Your roles allow only some projects, and workspaces cannot be limited to projects. Use the toolset devops-git."
)


@dataclass(frozen=True)
class WorkspacesAccess:
    workspaces: Workspaces
    settings: WorkspacesSettings
    upstream: Upstream | None
    _headers: dict[str, str] = field(repr=False)

    def desk(self, caller: Caller, *, reaches_everything: bool) -> Desk:
        """Return the workspaces of a caller."""
        from workspaces.workspaces import Desk

        if caller.kind is CallerKind.ANONYMOUS and not self.settings.folder:
            raise Refusal("Git workspaces require a signed-in user. Sign in first.")

        async def sign_in(url: str) -> RemoteRepository:
            return await self._place(url, caller, reaches_everything=reaches_everything)

        return Desk(self.workspaces, fingerprint(*caller.person), sign_in)

    async def _place(self, url: str, caller: Caller, *, reaches_everything: bool) -> RemoteRepository:
        from workspaces.remote_repository import RemoteRepository, checked_url

        checked = checked_url(url, self.settings.hosts)
        host = urlsplit(checked).hostname or ""
        self._refuse_other_places(host, urlsplit(checked).path)
        if host in self._headers:
            return RemoteRepository(checked, self._headers[host])
        if host != AZURE_REPOS or self.upstream is None:
            return RemoteRepository(checked)
        if not reaches_everything:
            raise Refusal(_ONLY_SOME_PROJECTS)
        return RemoteRepository(checked, await self.upstream.authorization(caller, SCOPE))

    def _refuse_other_places(self, host: str, path: str) -> None:
        if not any(_begins(f"{host}{path}", place) for place in self.settings.places):
            named = ", ".join(self.settings.places)
            raise Refusal(f"The repository {host}{path[:200]} is not allowed. Allowed: {named}.")


def _begins(address: str, place: str) -> bool:
    return f"{address}/".casefold().startswith(f"{place}/".casefold())
