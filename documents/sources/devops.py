"""Reads documents from Azure DevOps repositories and wikis. Wiki pages are repository files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import OCTETS, DevOpsRequest
from clients.azure_devops.records import records
from documents.sources.declaration import Declared, SourceKind
from documents.sources.files import MOST_ENTRIES
from documents.sources.source import SourceError, SourceFile
from refusal import Refusal

_WIKI: Final = "/{project}/_apis/wiki/wikis/{wikiId}"
_ITEMS: Final = "/{project}/_apis/git/repositories/{repositoryId}/items"
_SUFFIX: Final = ".md"

OpenClient = Callable[[], Awaitable[AzureDevOps]]


@dataclass(frozen=True, slots=True)
class RepositoryFolder:
    """A folder of an Azure DevOps repository on one branch. An empty branch means the default branch."""

    project: str
    repository: str
    folder: str = ""
    branch: str = ""
    address: str = ""

    @property
    def place(self) -> dict[str, str]:
        return {"project": self.project, "repositoryId": self.repository}

    @property
    def version(self) -> dict[str, str]:
        return (
            {"versionDescriptor.version": self.branch, "versionDescriptor.versionType": "branch"} if self.branch else {}
        )


@dataclass(slots=True)
class DevOpsSource:
    """Reads documents with the server's own permissions. Callers' permissions are checked separately."""

    declared: Declared
    devops: OpenClient
    _tree: RepositoryFolder | None = None

    async def entries(self) -> Sequence[SourceFile]:
        self._tree = None  # makes the next read look up the wiki's folder again, because the folder may have moved
        tree = await self._folder()
        query = {"scopePath": f"/{tree.folder}", "recursionLevel": "full", **tree.version}
        answered = await _json(self.devops, DevOpsRequest(f"GET {_ITEMS}", tree.place, query))
        found = list(_files(records(answered["value"]), tree.folder))
        if len(found) > MOST_ENTRIES:
            raise SourceError(f"The source has more than {MOST_ENTRIES} files. Limit the source to a folder.")
        return found

    async def read(self, entry: SourceFile, most: int) -> bytes | None:
        tree = await self._folder()
        path = "/".join(filter(None, ("", tree.folder, entry.path)))
        query = {"path": f"/{path.lstrip('/')}", **tree.version}
        request = DevOpsRequest(f"GET {_ITEMS}", tree.place, query, accept=OCTETS)
        try:
            return (await (await self.devops()).send(request, most)).content
        except Refusal as refusal:
            raise SourceError(str(refusal)) from refusal

    async def link(self, path: str) -> str:
        tree = await self._folder()
        if self.declared.kind is SourceKind.WIKI:
            page = unquote(path.removesuffix(_SUFFIX).replace("-", " ").replace("%2D", "-").replace("%2d", "-"))
            return f"{tree.address}?pagePath={quote('/' + page)}" if tree.address else ""
        whole = "/".join(filter(None, (tree.folder, path)))
        branch = f"&version=GB{quote(tree.branch, safe='')}" if tree.branch else ""
        return f"{tree.address}?path={quote('/' + whole)}{branch}"

    async def _folder(self) -> RepositoryFolder:
        if self._tree is None:
            is_wiki = self.declared.kind is SourceKind.WIKI
            self._tree = (
                await wiki_tree(self.devops, self.declared)
                if is_wiki
                else repository_tree(await self.devops(), self.declared)
            )
        return self._tree


def root_of(declared: Declared) -> DevOpsRequest:
    """Return an Azure DevOps request that succeeds only if the user can read the source."""
    project, name = declared.place.split("/", 1)
    if declared.kind is SourceKind.WIKI:
        place = {"project": project, "wikiId": name}
        return DevOpsRequest(f"GET {_WIKI}/pages", place, {"path": "/", "recursionLevel": "none"})
    place = {"project": project, "repositoryId": name}
    return DevOpsRequest(f"GET {_ITEMS}", place, {"scopePath": "/", "recursionLevel": "none"})


def repository_tree(devops: AzureDevOps, declared: Declared) -> RepositoryFolder:
    project, name = declared.place.split("/", 1)
    address = f"{devops.organization.base}/{quote(project)}/_git/{quote(name)}"
    return RepositoryFolder(project, name, declared.below.strip("/"), declared.branch, address)


async def wiki_tree(devops: OpenClient, declared: Declared) -> RepositoryFolder:
    project, name = declared.place.split("/", 1)
    wiki = await _json(devops, DevOpsRequest(f"GET {_WIKI}", {"project": project, "wikiId": name}))
    mapped = str(wiki.get("mappedPath") or "").strip("/")
    folder = "/".join(filter(None, (mapped, declared.below.strip("/"))))
    versions = wiki.get("versions") or [{}]
    branch = declared.branch or str(versions[0].get("version") or "")
    return RepositoryFolder(project, str(wiki["repositoryId"]), folder, branch, str(wiki.get("remoteUrl") or ""))


async def _json(devops: OpenClient, request: DevOpsRequest) -> Any:
    try:
        return await (await devops()).json(request)
    except Refusal as refusal:
        raise SourceError(str(refusal)) from refusal


def _files(items: Sequence[Any], folder: str) -> Iterator[SourceFile]:
    start = f"/{folder}/" if folder else "/"
    for item in items:
        is_file = not item.get("isFolder") and not item.get("isSymLink") and item.get("gitObjectType", "blob") == "blob"
        path = str(item["path"])
        if is_file and path.startswith(start):
            yield SourceFile(path.removeprefix(start), str(item["objectId"]))
