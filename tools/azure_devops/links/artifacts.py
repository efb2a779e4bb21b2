"""Links work items to builds, code and web addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple
from urllib.parse import quote, unquote

from changes.preview import Preview
from changes.undo import Undo, by_call, by_hand
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.work_items import relation_removed
from tools.azure_devops.shared.answers import Json, answer
from tools.azure_devops.shared.git_references import REPOSITORY, place_of, ref_of, short_name
from tools.azure_devops.shared.parameters import Comment, Project, WorkItemId
from tools.azure_devops.shared.pull_request_reading import place_of_pull_request, read
from tools.azure_devops.shared.work_item_changes import add_relation, change, only_at, remove_relation
from tools.azure_devops.shared.work_item_reading import item_with_relations

part = Part()

_ARTIFACT: Final = "ArtifactLink"
_ADD: Final = "add_work_item_artifact_link"
_ADDRESS: Final = "Hyperlink"
# Each kind of link has one name in the tools and another in the service.
_BUILDS: Final = {
    "build": "Build",
    "found-in-build": "Found in build",
    "integrated-in-build": "Integrated in build",
}
_KINDS_OF_CODE: Final = {"PullRequestId": "pull-request", "Ref": "branch", "Commit": "commit"}
_OF_CODE: Final = re.compile(
    r"vstfs:///Git/(?P<tool>PullRequestId|Ref|Commit)/(?P<project>[^/]+)/(?P<repository>[^/]+)/(?P<target>.+)"
)
_WEB: Final = re.compile(r"https?://[^\s/]\S*", re.IGNORECASE)

ArtifactKind = Annotated[
    Literal["build", "found-in-build", "integrated-in-build", "commit", "branch", "pull-request", "address"],
    Field(description="Target type"),
]


class ArtifactReference(NamedTuple):
    """The target of a link, in the format of the service."""

    relation: str
    name: str | None
    url: str


def _unlinked(meant: Mapping[str, Any]) -> Undo:
    tool = "remove_work_item_artifact_link"
    if meant["kind"] == "address":
        return by_call(tool, id=meant["id"], url=meant["target"].strip())
    return by_hand(f"{tool} removes the link: pass the returned address as `url`")


@part.change(
    Access.WRITE,
    harmless=("id", "kind", "project", "repository"),
    undo=_unlinked,
)
async def add_work_item_artifact_link(
    devops: DevOps,
    id: WorkItemId,
    kind: ArtifactKind,
    target: Annotated[
        str, Field(min_length=1, max_length=2000, description="Build id, pull request id, commit, branch or URL")
    ],
    repository: Annotated[
        str | None, Field(description="Repository name or id; required for commits, branches and pull requests")
    ] = None,
    project: Project = None,
    comment: Comment = None,
) -> StatedChange[Json]:
    """Link a work item to a build, commit, branch, pull request or web address."""

    async def apply() -> Json:
        found = await _reference(devops, kind, target.strip(), repository, project)
        item = await change(devops, id, [add_relation(found.relation, found.url, name=found.name, comment=comment)])
        return answer(id=id, rev=item["rev"], linked={"type": found.name or _ADDRESS, "url": found.url})

    return StatedChange(apply)


@part.change(Access.DESTROY, harmless=("id", "type"))
async def remove_work_item_artifact_link(
    devops: DevOps,
    id: WorkItemId,
    url: Annotated[str, Field(min_length=1, description="From get_work_item")],
    type: Annotated[str | None, Field(description="Link type, such as Build; required if several links match")] = None,
) -> Change[Json]:
    """Remove a work item's link to a build, code or a web address."""
    item = await item_with_relations(devops, id)
    index, name = _link_meant(item, url, type)

    async def preview() -> Preview:
        removed = {"link": name, "address": url.strip()}
        return relation_removed(item, removed, undo=_linked_again(id, item["relations"][index]))

    async def apply() -> Json:
        # Change the work item only if it still has this revision, because any later change could have shifted the
        # index of the link.
        changed = await change(devops, id, [*only_at(item["rev"]), remove_relation(index)])
        return answer(id=id, rev=changed["rev"], removed={"type": name, "url": url.strip()})

    return PlannedChange(preview, apply)


def _link_meant(item: Json, url: str, type: str | None) -> tuple[int, str]:
    """Find a link among the relations of a work item, and return the link's index and name."""
    found = {
        index: _type(relation)
        for index, relation in enumerate(item.get("relations") or ())
        if relation["rel"] in {_ARTIFACT, _ADDRESS} and relation["url"].lower() == url.strip().lower()
    }
    meant = [index for index, name in found.items() if type is None or name.lower() == type.strip().lower()]
    if len(meant) > 1:
        raise Refusal(f"Several links have this target: {', '.join(found.values())}. Pass `type`.")
    if not meant:
        raise Refusal(f"Link not found on work item {item['id']}. get_work_item shows its links.")
    return meant[0], found[meant[0]]


def _linked_again(id: int, relation: Json) -> Undo:
    """Return the call that adds the removed link again."""
    comment = (relation.get("attributes") or {}).get("comment")
    if relation["rel"] == _ADDRESS:
        return by_call(_ADD, id=id, kind="address", target=relation["url"], comment=comment)
    kinds = {name: kind for kind, name in _BUILDS.items()}
    build = relation["url"].removeprefix("vstfs:///Build/Build/")
    if _type(relation) in kinds and build.isdecimal():
        return by_call(_ADD, id=id, kind=kinds[_type(relation)], target=build, comment=comment)
    code = _OF_CODE.fullmatch(unquote(relation["url"]))
    return _code_linked_again(id, code, comment) if code else by_hand(f"{_ADD} can add the link again")


def _code_linked_again(id: int, code: re.Match[str], comment: str | None) -> Undo:
    kind = _KINDS_OF_CODE[code["tool"]]
    target = code["target"].removeprefix("GB") if kind == "branch" else code["target"]
    place = {"repository": code["repository"], "project": code["project"]}
    return by_call(_ADD, id=id, kind=kind, target=target, **place, comment=comment)


def _type(relation: Json) -> str:
    return str((relation.get("attributes") or {}).get("name") or relation["rel"])


async def _reference(
    devops: AzureDevOps, kind: str, target: str, repository: str | None, project: str | None
) -> ArtifactReference:
    """Return the target of a link, which must exist."""
    if kind == "address":
        return _address(target)
    if kind in _BUILDS:
        return await _build(devops, project, kind, target)
    if not repository:
        raise Refusal(f"`repository` is required for a {kind}. list_repositories lists the repositories.")
    if kind == "pull-request":
        return await _pull_request(devops, project, repository, _number(target))
    return await _code(devops, place_of(devops, project, repository), kind, target)


async def _build(devops: AzureDevOps, project: str | None, kind: str, target: str) -> ArtifactReference:
    place = {"project": devops.project(project), "buildId": _number(target)}
    build = await devops.json(DevOpsRequest("GET /{project}/_apis/build/builds/{buildId}", place))
    return ArtifactReference(_ARTIFACT, _BUILDS[kind], f"vstfs:///Build/Build/{build['id']}")


def _address(url: str) -> ArtifactReference:
    if not _WEB.fullmatch(url) or not url.isprintable():
        raise Refusal("target must be a web address that starts with https:// or http:// and has no spaces.")
    return ArtifactReference(_ADDRESS, None, url)


async def _pull_request(devops: AzureDevOps, project: str | None, repository: str, number: int) -> ArtifactReference:
    found = (await read(devops, place_of_pull_request(devops, project, repository, number)))["repository"]
    return _in_repository("PullRequestId", "Pull Request", found, str(number))


async def _code(devops: AzureDevOps, place: Json, kind: str, target: str) -> ArtifactReference:
    found = await devops.json(DevOpsRequest(f"GET {REPOSITORY}", place))
    if kind == "branch":
        name = short_name((await ref_of(devops, place, target))["name"])
        if name.startswith("refs/"):
            raise Refusal(f"Branch {target!r} not found. list_branches lists the branches.")
        return _in_repository("Ref", "Branch", found, f"GB{name}")
    commit = await devops.json(DevOpsRequest(f"GET {REPOSITORY}/commits/{{commitId}}", place | {"commitId": target}))
    return _in_repository("Commit", "Fixed in Commit", found, commit["commitId"])


def _in_repository(tool: str, name: str, repository: Json, what: str) -> ArtifactReference:
    # The service itself writes the target as one segment with encoded slashes.
    parts = quote(f"{repository['project']['id']}/{repository['id']}/{what}", safe="")
    return ArtifactReference(_ARTIFACT, name, f"vstfs:///Git/{tool}/{parts}")


def _number(target: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,9}", target):
        raise Refusal(f"{target!r} is not an id: pass the number of the build or pull request.")
    return int(target)
