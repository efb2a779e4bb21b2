"""Git workspaces: which servers they are cloned from, how one signs in there, and where they are kept."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from identity.caller import Caller, CallerKind
from identity.seals import fingerprint
from refusal import Refusal
from settings import Settings, setting
from settings.forms import count, names
from tools.azure_devops.provider import SCOPE
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from identity.upstream import Upstream
    from workspaces.remote_repository import RemoteRepository
    from workspaces.workspaces import Desk, Workspaces

CONTAINER: Final = "git-workspaces"
AZURE_REPOS: Final = "dev.azure.com"
_PLACE: Final = re.compile(r"[a-z0-9.-]{1,253}(?:/[A-Za-z0-9 ._%-]{1,200}){0,4}", re.ASCII)
_TOKEN: Final = re.compile(
    r"(?P<host>[a-z0-9.-]{1,253})=(?:(?P<user>[\w.@-]{1,100}):)?(?P<token>[!-~]{1,500})", re.ASCII
)
_USUAL_USER: Final = "git"
_PROTECTED: Final = ("main", "master", "release/*")


def places(text: str) -> tuple[str, ...]:
    if not all(map(_PLACE.fullmatch, found := names(text))):
        raise ValueError("each entry is a host such as github.com, or with how paths there begin: dev.azure.com/acme")
    return tuple(entry.rstrip("/") for entry in found)


def tokens(text: str) -> str:
    if not all(map(_TOKEN.fullmatch, names(text))):
        raise ValueError("each entry is host=token or host=user:token, separated by commas")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspacesSettings:
    """Git workspaces: from where, and how large."""

    places: tuple[str, ...] = setting(
        "GIT_HOSTS",
        places,
        (),
        "The hosts whose repositories may be worked with, separated by commas, each also with how paths there have to"
        " begin, as in `dev.azure.com/acme,github.com/acme`. Without it there are no workspaces.",
    )
    tokens: str = setting(
        "GIT_TOKENS",
        tokens,
        "",
        "Tokens for hosts, as `github.com=token` or `host=user:token`, separated by commas. At dev.azure.com the user"
        " who signed in is represented, unless there is a token.",
        secret=True,
    )
    protected: tuple[str, ...] = setting(
        "GIT_PROTECTED_BRANCHES",
        names,
        _PROTECTED,
        "Branches to which nothing is pushed from workspaces, with `*` for any text.",
    )
    folder: str = setting("GIT_WORKSPACES_FOLDER", str, "", "Where they are kept on a laptop, in place of a container.")
    days: int = setting("GIT_WORKSPACE_DAYS", count, 7, "After how many days without a change a workspace goes.")
    megabytes: int = setting("GIT_WORKSPACE_MB", count, 200, "How large a workspace may be.")

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(place.partition("/")[0] for place in self.places))


def lacks(settings: WorkspacesSettings, of_the_app: Settings) -> str:
    if not settings.places:
        return "There are no git workspaces here. An operator has to set GIT_HOSTS."
    if settings.folder and of_the_app.place.is_on_azure:
        return "GIT_WORKSPACES_FOLDER is for a laptop. An operator has to leave it out."
    if settings.folder or of_the_app.storage.account or of_the_app.storage.connection:
        return ""
    return "Git workspaces need a storage account. On a laptop, set GIT_WORKSPACES_FOLDER instead."


def check(settings: WorkspacesSettings) -> None:
    if settings.tokens and (missing := sorted(set(_signed_in(settings)) - set(settings.hosts))):
        raise Refusal(f"GIT_TOKENS has a token for {', '.join(missing)}, which GIT_HOSTS does not name.")
    if settings.places and not (settings.days and settings.megabytes):
        raise Refusal("GIT_WORKSPACE_DAYS and GIT_WORKSPACE_MB are 1 or more.")


def _signed_in(settings: WorkspacesSettings) -> dict[str, str]:
    """The header that signs in at each host for which there is a token."""
    found = filter(None, map(_TOKEN.fullmatch, names(settings.tokens)))
    return {one["host"]: _basic(one["user"] or _USUAL_USER, one["token"]) for one in found}


def _basic(user: str, token: str) -> str:
    return f"Basic {b64encode(f'{user}:{token}'.encode()).decode()}"


@dataclass(frozen=True)
class WorkspacesAccess:
    workspaces: Workspaces
    settings: WorkspacesSettings
    upstream: Upstream | None
    _headers: dict[str, str] = field(repr=False)

    def desk(self, caller: Caller, *, reaches_everything: bool) -> Desk:
        """The workspaces of a caller."""
        from workspaces.workspaces import Desk

        if caller.kind is CallerKind.ANONYMOUS and not self.settings.folder:
            raise Refusal("Git workspaces belong to whoever signs in: nobody has.")

        async def sign_in(url: str) -> RemoteRepository:
            return await self._place(url, caller, reaches_everything=reaches_everything)

        return Desk(self.workspaces, fingerprint(*caller.person), sign_in)

    async def _place(self, url: str, caller: Caller, *, reaches_everything: bool) -> RemoteRepository:
        from workspaces.remote_repository import RemoteRepository, checked_url

        checked = checked_url(url, self.settings.hosts)
        host, path = urlsplit(checked).hostname or "", urlsplit(checked).path
        if not any(_begins(f"{host}{path}", place) for place in self.settings.places):
            named = ", ".join(self.settings.places)
            raise Refusal(f"Repositories at {host}{path[:200]} are not worked with here, only at: {named}.")
        if host in self._headers:
            return RemoteRepository(checked, self._headers[host])
        if host != AZURE_REPOS or self.upstream is None:
            return RemoteRepository(checked)
        if not reaches_everything:
            raise Refusal("Your roles reach some projects only, which workspaces cannot tell apart. Use devops-git.")
        return RemoteRepository(checked, await self.upstream.authorization(caller, SCOPE))


def _begins(address: str, place: str) -> bool:
    return f"{address}/".casefold().startswith(f"{place}/".casefold())


@asynccontextmanager
async def open_workspaces(settings: WorkspacesSettings, supplies: Supplies) -> AsyncIterator[WorkspacesAccess]:
    """Open where they are kept. What knows of git is imported here."""
    from clients.folder_files import FolderFiles
    from workspaces.keeping import WorkspaceKeeper
    from workspaces.workspaces import Workspaces

    files = FolderFiles(Path(settings.folder)) if settings.folder else supplies.files(CONTAINER)
    workspaces = Workspaces(WorkspaceKeeper(files, settings.megabytes, settings.days), settings.protected)
    upstream = supplies.upstream if AZURE_REPOS in settings.hosts else None
    try:
        yield WorkspacesAccess(workspaces, settings, upstream, _signed_in(settings))
    finally:
        await files.close()


HINTS: Final = {"workspaces": "git_workspaces lists yours."}

provider: Final = Provider(
    name="workspaces", settings=WorkspacesSettings, open=open_workspaces, lacks=lacks, check=check, hints=HINTS
)
