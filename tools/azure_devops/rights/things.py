"""The resources to which permissions apply, each with its token in a security namespace and its display name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.finding import Unnamed
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.records import records
from refusal import Refusal
from tools.azure_devops.releases.records import environment_request, release_request
from tools.azure_devops.shared.answers import Json, at
from tools.azure_devops.shared.build_records import BUILD, definition_request
from tools.azure_devops.shared.git_references import REPOSITORY, full_name, place_of, short_name

_PROJECT: Final = "$PROJECT:vstfs:///Classification/TeamProject"
_NODE: Final = "vstfs:///Classification/Node"
_HEADS: Final = "refs/heads/"
_DEEPEST: Final = 14


@dataclass(frozen=True, slots=True)
class Thing:
    token: str
    # The display name of the resource, and the project whose groups have permissions on it.
    name: str
    project: str


async def project_of(devops: AzureDevOps, named: str) -> Thing:
    found = await devops.json(DevOpsRequest("GET /_apis/projects/{project}", {"project": named}))
    return Thing(f"{_PROJECT}/{found['id']}", f"the project {found['name']}", str(found["name"]))


async def repository_of(devops: AzureDevOps, project: str | None, repository: str) -> Thing:
    found = await devops.json(DevOpsRequest(f"GET {REPOSITORY}", place_of(devops, project, repository)))
    return Thing(
        f"repoV2/{_required_part(found, 'project.id')}/{found['id']}",
        f"the repository {found.get('name')}",
        str(at(found, "project.name")),
    )


def branch_in(repository: Thing, branch: str) -> Thing:
    """Return a branch, even if it does not exist yet. If the ref is not a branch, return the repository."""
    ref = full_name(branch)
    if not ref.startswith(_HEADS):
        return repository
    # Branch names are case-sensitive, but tokens are not, so each segment of a name is encoded as character codes.
    parts = [part.encode("utf-16-le", errors="replace").hex() for part in short_name(ref).split("/")]
    name = f"the branch {short_name(ref)} of {repository.name.removeprefix('the repository ')}"
    return Thing(f"{repository.token}/{_HEADS}{'/'.join(parts)}", name, repository.project)


async def wiki_of(devops: AzureDevOps, project: str, wiki: str, branch: str | None) -> Thing:
    """Return the branch that contains the pages of a wiki."""
    found = await devops.json(
        DevOpsRequest("GET /{project}/_apis/wiki/wikis/{wikiId}", {"project": project, "wikiId": wiki})
    )
    name = f"the repository of the wiki {found.get('name')}"
    whose = found["projectId"] if isinstance(project, Unnamed) else project
    repository = Thing(f"repoV2/{found['projectId']}/{found['repositoryId']}", name, str(whose))
    versions = found.get("versions") or [{}]
    usual = branch or (at(versions[0], "version") if len(versions) == 1 else None)
    return branch_in(repository, str(usual)) if usual else repository


async def pipeline_of(devops: AzureDevOps, project: str, pipeline: int) -> Thing:
    return pipeline_in(await devops.json(definition_request(project, pipeline)))


def pipeline_in(definition: Json) -> Thing:
    folders = _names(_required_part(definition, "path"))
    token = "/".join([_required_part(definition, "project.id"), *folders, _required_part(definition, "id")])
    return Thing(token, f"the pipeline {definition.get('name')}", str(at(definition, "project.name")))


async def run_of(devops: AzureDevOps, project: str, run: int) -> tuple[Thing, set[str]]:
    """Return the pipeline of a run, and the ids of the users who requested the run."""
    found = await devops.json(DevOpsRequest(BUILD, {"project": project, "buildId": run}))
    pipeline = await pipeline_of(devops, project, _number(found, "definition.id"))
    people = {str(at(found, f"{who}.id") or "").lower() for who in ("requestedFor", "requestedBy")}
    return pipeline, people - {""}


async def release_pipeline_of(devops: AzureDevOps, project: str, definition: int) -> Thing:
    line = "GET /{project}/_apis/release/definitions/{definitionId}"
    found, whole = await devops.all_of(
        release_request(line, project, definitionId=definition),
        DevOpsRequest("GET /_apis/projects/{project}", {"project": project}),
    )
    token = "/".join([str(whole["id"]), *_names(_required_part(found, "path")), str(found["id"])])
    return Thing(token, f"the release pipeline {found.get('name')}", str(whole["name"]))


async def stage_of(devops: AzureDevOps, project: str, release: int, environment: int) -> Thing:
    found = await devops.json(environment_request(project, release, environment))
    pipeline = await release_pipeline_of(devops, project, _number(found, "releaseDefinition.id"))
    token = f"{pipeline.token}/Environment/{_required_part(found, 'definitionEnvironmentId')}"
    return Thing(token, f"the stage {found.get('name')} of {pipeline.name.removeprefix('the ')}", pipeline.project)


async def area_of(devops: AzureDevOps, path: str) -> Thing:
    """Return the area at a path that starts with the project."""
    if not (names := _names(path)):
        raise Refusal("The path of an area must start with its project.")
    return await _node(devops, "areas", names[0], path)


async def iteration_of(devops: AzureDevOps, project: str, path: str) -> Thing:
    return await _node(devops, "iterations", project, path)


async def _node(devops: AzureDevOps, group: str, project: str, path: str) -> Thing:
    """Return an area or iteration of a project, with a security token that also contains its ancestors."""
    names = _names(path)
    place = {"project": project, "group": group}
    line = "GET /{project}/_apis/wit/classificationnodes/{group}"
    root = await devops.json(DevOpsRequest(line, place, {"$depth": min(len(names), _DEEPEST)}))
    whole = str(root["name"])
    below = names[1:] if names and names[0].lower() == whole.lower() else names
    nodes: list[Json] = [root]
    for name in below:
        nodes.append(_child(nodes[-1], name))
    token = ":".join(f"{_NODE}/{_required_part(node, 'identifier')}" for node in nodes)
    return Thing(token, f"the {group.removesuffix('s')} " + "\\".join([whole, *below]), whole)


def _child(node: Json, name: str) -> Json:
    for child in records(node.get("children")):
        if str(child.get("name")).lower() == name.lower():
            return dict(child)
    raise Refusal(f"{name!r} not found below {node.get('name')!r}.")


def _names(path: str) -> Sequence[str]:
    return [name for name in path.replace("/", "\\").split("\\") if name]


def _required_part(found: Json, name: str) -> str:
    """Return a value that a security token must contain. Without this value, the token would identify another resource.

    Raises:
        Refusal: The service did not return this value.
    """
    value: Any = at(found, name)
    if value is None or value == "":
        raise Refusal(f"The response from Azure DevOps has no {name}.")
    return str(value)


def _number(found: Json, name: str) -> int:
    value: Any = at(found, name)
    if not isinstance(value, int):
        raise Refusal(f"The response from Azure DevOps has no {name}.")
    return value
