"""Adds filters to searches and queries, so that results and their counts include only allowed items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from clients.azure_devops.confinement.bounds import OrganizationBounds
from clients.azure_devops.confinement.wiql import confined
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal

# The names of the search filters for projects.
_PROJECTS: Final = {
    "search/codesearchresults": "Project",
    "search/wikisearchresults": "Project",
    "search/workitemsearchresults": "System.TeamProject",
}
_PATHS: Final = ("System.AreaPath", "System.IterationPath")
_NOTHING: Final = "Nothing is in the allowed scope."


def narrowed(
    request: DevOpsRequest, resource: str, bounds: OrganizationBounds, *, of_a_project: bool, opens_repositories: bool
) -> DevOpsRequest:
    """Limit a search or query to the allowed scope. Raises Refusal for a project outside this scope."""
    if resource == "wit/wiql":
        return _query(request, bounds)
    if resource in _PROJECTS:
        return _search(request, _PROJECTS[resource], bounds, of_a_project=of_a_project)
    if resource == "build/definitions" and not opens_repositories and request.method == "GET":
        # Without `includeAllProperties`, the response does not contain the repositories.
        return request.asking("query", includeAllProperties="true")
    return request


def _query(request: DevOpsRequest, bounds: OrganizationBounds) -> DevOpsRequest:
    names = [one.name for one in bounds.projects.values()]
    if not names:
        raise Refusal(_NOTHING)
    if len(names) == len(bounds.known.all):
        return request
    query = confined(str(request.body["query"]), names, lambda name: bounds.project(name) is not None)
    return replace(request, body={**request.body, "query": query})


def _search(request: DevOpsRequest, name: str, bounds: OrganizationBounds, *, of_a_project: bool) -> DevOpsRequest:
    filters: Mapping[str, Any] = request.body.get("filters") or {}
    for path in (value for key in _PATHS for value in filters.get(key) or ()):
        _only(bounds, [str(path).strip("\\").partition("\\")[0]])
    chosen = filters.get(name)
    names = _only(bounds, chosen) if chosen else [one.name for one in bounds.projects.values()]
    if not names:
        raise Refusal(_NOTHING)
    if not chosen and (of_a_project or len(names) == len(bounds.known.all)):
        return request
    return replace(request, body={**request.body, "filters": {**filters, name: names}})


def _only(bounds: OrganizationBounds, names: Sequence[str]) -> list[str]:
    found = [bounds.project(name) for name in names]
    if None in found:
        raise Refusal("Project not found in the allowed scope. list_projects lists the allowed projects.")
    return [one.name for one in found if one]
