"""If a request does not name a project, finds the only project that has an item with the requested name or ID."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN, ListPage, ListPaging
from clients.azure_devops.reach import folded
from clients.azure_devops.records import DevOpsRecord
from clients.kept import Kept
from refusal import Refusal

_WHICH: Final = "`project` is required: there is no default."
_MOST_NAMED: Final = 30
# The maximum number of projects that are searched, because each project requires a request.
_MOST_ASKED: Final = 10
_LISTS: Final = {
    "repository": DevOpsRequest("GET /_apis/git/repositories"),
    "wiki": DevOpsRequest("GET /_apis/wiki/wikis"),
}
_PLACES: Final = {"repositoryId": "repository", "repository": "repository", "wikiId": "wiki"}
_BUILD: Final = "GET /{project}/_apis/build/builds/{id}"
_PIPELINE: Final = "GET /{project}/_apis/build/definitions/{id}"
_NUMBERED: Final = {"buildId": _BUILD, "runId": _BUILD, "pipelineId": _PIPELINE, "definitionId": _PIPELINE}
_OF_BUILDS: Final = ("/_apis/build/", "/_apis/pipelines/")


class Unnamed(str):
    """A placeholder for a project that is not known yet."""

    __slots__ = ()


UNNAMED: Final = Unnamed("(no project)")


@dataclass
class DevOpsFinder:
    """Finds the project that the requests of a tool call need. All lookups use the caller's permissions.

    `caller` separates the caches of callers who can see different projects.
    """

    json: Callable[[DevOpsRequest], Awaitable[DevOpsRecord]]
    page: Callable[[DevOpsRequest, ListPaging, int], Awaitable[ListPage]]
    kept: Kept = field(default_factory=Kept)
    caller: Hashable = None
    hint: str = ""
    # Whether the call requires a project but does not name one.
    is_sought: bool = False
    _found: str = ""

    async def placed(self, request: DevOpsRequest) -> DevOpsRequest:
        """Fill in the project of a request.

        Raises:
            Refusal: The project cannot be determined. The error message lists the projects.
        """
        if not isinstance(request.values.get("project"), Unnamed):
            await self._refuse_elsewhere(request)
            return request
        self._found = self._found or await self._project(request)
        return replace_project(request, self._found)

    async def _refuse_elsewhere(self, request: DevOpsRequest) -> None:
        """Reject requests that contain the placeholder in the query or body. Only a placeholder in the path is
        replaced.
        """
        if self.is_sought and any(UNNAMED in str(part) for part in (request.query, request.body)):
            raise Refusal(await self._which())

    async def _project(self, request: DevOpsRequest) -> str:
        for place, kind in _PLACES.items():
            if value := request.values.get(place):
                return await self._only_one(kind, str(value), await self._owners(kind, str(value)))
        numbered = _numbered(request)
        if numbered is None:
            raise Refusal(await self._which())
        return await self._of_numbered(numbered)

    async def _owners(self, kind: str, name: str) -> list[str]:
        """The projects that have an item with this name or ID."""
        read = partial(self.json, _LISTS[kind])
        known = (await self.kept.get(("finding", self.caller, kind), read))["value"]
        return [_owner(entry) for entry in known if name.lower() == entry["id"].lower() or _same(name, entry["name"])]

    async def _only_one(self, kind: str, name: str, owners: list[str]) -> str:
        if len(owners) == 1:
            return owners[0]
        if not owners:
            raise Refusal(f"{kind.capitalize()} {name!r} not found in any project you can access. {_LISTED[kind]}")
        names = {entry["id"]: entry["name"] for entry in (await self._projects()).items}
        owners_named = ", ".join(names.get(owner, owner) for owner in owners)
        raise Refusal(f"Several projects have a {kind} {name!r}: {owners_named}. Pass `project`.")

    async def _of_numbered(self, asked: DevOpsRequest) -> str:
        """The only project that has an item with this number.

        The request is repeated for each project, because each project returns only its own items.
        """
        projects = await self._projects()
        if len(projects.items) > _MOST_ASKED or projects.has_more:
            raise Refusal(await self._which())
        answers = await asyncio.gather(*(self._if_there(asked, entry) for entry in projects.items))
        owners = [entry for entry in answers if entry]
        if len(owners) != 1:
            raise Refusal(await self._which())
        return str(owners[0]["id"])

    async def _if_there(self, asked: DevOpsRequest, project: Mapping[str, Any]) -> dict[str, Any] | None:
        try:
            await self.json(replace_project(asked, project["id"]))
        except Refusal:
            return None
        return dict(project)

    async def _which(self) -> str:
        try:
            projects = await self._projects()
        except Refusal:
            return f"{_WHICH} {self.hint}".strip()
        if not projects.items:
            return f"{_WHICH} You cannot access any project."
        more = ", and more" if projects.has_more else ""
        return f"{_WHICH} Projects: {_names(projects.items)}{more}. {self.hint}".rstrip()

    async def _projects(self) -> ListPage:
        request = DevOpsRequest("GET /_apis/projects", query={"stateFilter": "wellFormed"})
        return await self.kept.get(
            ("finding", self.caller, "projects"), partial(self.page, request, HEADER_TOKEN, _MOST_NAMED)
        )


_LISTED: Final = {
    "repository": "list_repositories lists the repositories of all projects.",
    "wiki": "list_wikis lists the wikis of a project.",
}


def replace_project(request: DevOpsRequest, project: str) -> DevOpsRequest:
    return replace(request, values={**request.values, "project": project})


def _numbered(request: DevOpsRequest) -> DevOpsRequest | None:
    if not any(part in request.line for part in _OF_BUILDS):
        return None
    for place, line in _NUMBERED.items():
        if value := request.values.get(place):
            return DevOpsRequest(line, {"project": "", "id": value})
    if value := request.query.get("definitions"):
        return DevOpsRequest(_PIPELINE, {"project": "", "id": value})
    return None


def _same(one: str, other: str) -> bool:
    return folded(one) == folded(other)


def _owner(entry: Mapping[str, Any]) -> str:
    return str(entry.get("projectId") or entry["project"]["id"])


def _names(projects: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(str(entry["name"]) for entry in projects)
