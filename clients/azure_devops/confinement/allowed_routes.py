"""For each REST resource, the requests that can be limited to the allowed scope."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clients.azure_devops.confinement.repository_routes import tells_repositories_apart
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal

_API: Final = "/_apis/"
_PLACE: Final = re.compile(r"\{\w+\}")
_BEFORE: Final = frozenset({"", "/{project}", "/{project}/{team}"})
_REPOSITORY: Final = re.compile(r"/repositories/\{(\w+)\}", re.IGNORECASE)

# Organization-wide REST resources that contain no data of projects, or whose entries can be filtered.
_ORGANIZATION_WIDE: Final = frozenset(
    {
        "connectiondata",
        "identities",
        "projects",
        "git/repositories",
        "git/pullrequests",
        "git/pullrequests/*",
        "wiki/wikis",
        "packaging/feeds",
        "packaging/feeds/*",
        "notification/subscriptions",
        "security/permissionevaluationbatch",
        "search/codesearchresults",
        "search/wikisearchresults",
        "search/workitemsearchresults",
        "wit/workitems/*",
        "wit/workitems/*/updates",
        "wit/workitemsbatch",
        "wit/wiql",
        "wit/artifacturiquery",
        "wit/attachments",
        "wit/attachments/*",
    }
)
# REST resources of work items. The IDs of work items are unique across all projects, so a request is not limited
# by the project in its path.
_OF_WORK_ITEMS: Final = _ORGANIZATION_WIDE | {
    "wit/workitems/$*",
    "wit/workitems/*/comments",
    "wit/workitems/*/comments/*",
    "wit/wiql/*",
    "wit/queries",
    "wit/queries/*",
    "wit/classificationnodes",
    "wit/classificationnodes/*",
    "wit/classificationnodes/*/*",
    "wit/workitemtypes",
    "wit/workitemtypes/*",
    "wit/workitemtypes/*/states",
    "wit/workitemtypes/*/fields",
    "wit/workitemtypes/*/fields/*",
    "wit/workitemtypecategories",
    "wit/workitemtypecategories/*",
    "wit/fields",
    "wit/fields/*",
    "wit/tags",
}
# Some REST resources do not show their project or repository. This pattern finds the path of a parent that
# shows the project or the repository.
_WHOLE: Final = re.compile(
    r"((?:build/builds|build/definitions|release/releases|wiki/wikis|packaging/feeds|testplan/plans|test/runs"
    r"|git/repositories/\{\w+\}/pullrequests)/\{\w+\})(/?)",
    re.IGNORECASE,
)
_PIPELINE: Final = re.compile(r"pipelines/\{(\w+)\}", re.IGNORECASE)
_DEFINITION: Final = "GET /{project}/_apis/build/definitions/{definitionId}"
_BUILD: Final = "GET /{project}/_apis/build/builds/{buildId}"
_APPROVAL: Final = "GET /{project}/_apis/pipelines/approvals/{approvalId}"
_PULL_REQUEST: Final = "GET /{project}/_apis/git/pullrequests/{pullRequestId}"
_EVALUATIONS: Final = "policy/evaluations"
# The changes between two builds.
_BETWEEN: Final = frozenset({"build/changes", "build/workitems"})
_ENDS: Final = ("fromBuildId", "toBuildId")
_MISSING: Final = "missing"


def resource_of(request: DevOpsRequest) -> str:
    """The REST resource of a request, for example `git/repositories/*/refs`.

    Raises:
        Refusal: The request line is invalid.
    """
    before, api, path = request.present_line.partition(" ")[2].partition(_API)
    if not api or before not in _BEFORE or ".." in path:
        raise Refusal(f"{request.line} cannot be limited to the allowed scope.")
    return _PLACE.sub("*", path).lower()


def refuse_unconfined(request: DevOpsRequest, resource: str, *, of_a_project: bool, opens_repositories: bool) -> None:
    """Reject a request unless it is listed: only listed requests can be limited to the allowed scope."""
    if not of_a_project and not _is_declared(resource):
        raise Refusal(
            f"Access is restricted to some projects, and {_spoken(resource)} cannot be limited to them. Pass the"
            " project."
        )
    if resource.startswith(("wit/", "search/", "git/pullrequests")) and resource not in _OF_WORK_ITEMS:
        raise Refusal(f"Access is restricted to some projects, and {_spoken(resource)} cannot be limited to them.")
    if not opens_repositories and not tells_repositories_apart(request.method, resource):
        raise Refusal(f"Access is restricted to some repositories, and {_spoken(resource)} cannot be limited to them.")


def place_of_repository(request: DevOpsRequest) -> str | None:
    """The name of the path parameter that contains the repository."""
    found = _REPOSITORY.search(request.present_line)
    return found[1] if found else None


def wholes_of(request: DevOpsRequest) -> Iterator[DevOpsRequest]:
    """If the response does not show the project or repository, build requests that read the resource's parents."""
    path = request.present_line.partition(_API)[2]
    place = {"project": request.values.get("project")}
    if definition := _definition_of(request, path):
        yield DevOpsRequest(_DEFINITION, place | {"definitionId": definition})
        return
    if path.lower() in _BETWEEN:
        yield from (DevOpsRequest(_BUILD, place | {"buildId": request.query.get(name) or _MISSING}) for name in _ENDS)
    if path.lower() == "pipelines/approvals" and not request.is_repeatable:
        decided = [decision.get("approvalId") or _MISSING for decision in request.body] or [_MISSING]
        yield from (DevOpsRequest(_APPROVAL, place | {"approvalId": approval}) for approval in decided)
    yield from _whole_in_path(request)


def pull_request_of(request: DevOpsRequest) -> DevOpsRequest | None:
    """If the request is for the policies of a pull request, build the request that reads this pull request."""
    if request.present_line.partition(_API)[2].lower() != _EVALUATIONS:
        return None
    number = str(request.query.get("artifactId") or "").rpartition("/")[2] or _MISSING
    return DevOpsRequest(_PULL_REQUEST, {"project": request.values.get("project"), "pullRequestId": number})


def _whole_in_path(request: DevOpsRequest) -> Iterator[DevOpsRequest]:
    before, api, path = request.present_line.partition(_API)
    found = _WHOLE.match(path)
    if found and (found[2] or not request.is_repeatable):
        line = f"GET {before.partition(' ')[2]}{api}{found[1]}"
        values = {name: value for name, value in request.present_values.items() if f"{{{name}}}" in line}
        yield DevOpsRequest(line, values, host=request.host, version=request.version)


def _definition_of(request: DevOpsRequest, path: str) -> object:
    """The pipeline ID in the path or the body of a request."""
    if found := _PIPELINE.match(path):
        return request.values.get(found[1])
    if path.lower() == "build/builds" and not request.is_repeatable:
        return ((request.body or {}).get("definition") or {}).get("id") or _MISSING
    return None


def _is_declared(resource: str) -> bool:
    return resource in _ORGANIZATION_WIDE or resource.startswith("git/repositories/*")


def _spoken(resource: str) -> str:
    return repr(resource.replace("/*", ""))
