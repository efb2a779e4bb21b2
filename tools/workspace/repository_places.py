"""Finds the names of a workspace's organization, project and repository, because approval rules refer to them."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote, urlsplit
from uuid import UUID

from changes.preview import Place
from workspaces.remote_repository import AZURE_REPOS

_CLOUD: Final = "dev.azure.com"
_FORMER_CLOUD: Final = ".visualstudio.com"
_DEFAULT_COLLECTION: Final = "defaultcollection"
# Path segments for clone options, which may come between `_git` and the name of the repository.
_EXTENTS: Final = re.compile(r"/_git/(?:_full|_optimized)/", re.IGNORECASE)


def places_of(url: str) -> dict[str, Place]:
    """Return the organization, project and repository in a URL. If a segment may be a project or a repository, it
    counts as both.
    """
    parts = urlsplit(url)
    path = _EXTENTS.sub(AZURE_REPOS, parts.path)
    before, marker, repository = _split(path)
    if not marker:
        return {"repository": [(url, _name(path))]}
    organization, project = _organization_and_project(parts.hostname or "", before, repository)
    return {"organization": organization, "project": project, "repository": _repository(url, repository)}


def _split(path: str) -> tuple[list[str], str, str]:
    begin = path.casefold().rfind(AZURE_REPOS)
    if begin < 0:
        return [], "", ""
    names = path[:begin].strip("/")
    return (list(map(unquote, names.split("/"))) if names else []), AZURE_REPOS, _name(path)


def _name(path: str) -> str:
    return unquote(path.rstrip("/").rpartition("/")[2]).removesuffix(".git")


def _organization_and_project(host: str, before: list[str], repository: str) -> tuple[Place, Place]:
    if host.endswith(_FORMER_CLOUD):
        return host.removesuffix(_FORMER_CLOUD), _project(before, repository)
    if host == _CLOUD:
        return (before[0] if before else None), _project(before[1:], repository)
    # On premises, a virtual folder may come before the collection, and the project may be omitted.
    return before or None, [*before, repository]


def _project(names: list[str], repository: str) -> Place:
    """Return the project in the path of a URL. If the path has no project, the project has the same name as the
    repository.
    """
    named = names[1:] if names and names[0].casefold() == _DEFAULT_COLLECTION else names
    return _name_unless_id(named[0] if named else repository)


def _repository(url: str, name: str) -> Place:
    return None if _name_unless_id(name) is None else [(url, name)]


def _name_unless_id(name: str) -> str | None:
    """Return the segment if it is a name, or None if it is an id."""
    try:
        UUID(name)
    except ValueError:
        return name
    return None
