"""Creates iterations and adds them to teams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

from changes.undo import by_hand
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, answer, at
from tools.azure_devops.shared.days import day, moment
from tools.azure_devops.shared.identifiers import is_id
from tools.azure_devops.shared.iterations import ITERATIONS, iterations_of
from tools.azure_devops.shared.parameters import Project

part = Part()

_TREE: Final = "/{project}/_apis/wit/classificationnodes/{group}"
_DEEPEST: Final = 14
_MOST_NAMED: Final = 30

IterationTeam = Annotated[str, Field(min_length=1, description="Name or id")]


@part.change(
    Access.WRITE,
    harmless=("project", "startDate", "finishDate", "team"),
    undo=by_hand("delete it in the project settings on the web"),
)
async def create_iteration(
    devops: DevOps,
    name: Annotated[str, Field(min_length=1, max_length=255, description="Such as Sprint 4")],
    startDate: Annotated[str | None, Field(description="First day, such as 2026-05-25")] = None,
    finishDate: Annotated[str | None, Field(description="Last day")] = None,
    parent: Annotated[str | None, Field(description="Parent path; default: the root")] = None,
    team: Annotated[str | None, Field(description="Team to add the iteration to")] = None,
    project: Project = None,
) -> StatedChange[Json]:
    """Create an iteration (sprint) with its dates, and add it to a team."""

    async def apply() -> Json:
        dates = _dates(startDate, finishDate)
        where = devops.project(project)
        if team:
            # A missing team is rejected before anything is created.
            await iterations_of(devops, where, team)
        root = await _root(devops, where)
        above = _named(root, parent) if parent else []
        _refuse_twin(root, above, name)
        made = await devops.json(_creation(where, above, {"name": name} | ({"attributes": dates} if dates else {})))
        shown = {
            "id": made["identifier"],
            "name": made["name"],
            "path": "\\".join([root["name"], *above, made["name"]]),
        }
        joined = await _joined_or_why_not(devops, where, team, made["identifier"]) if team else {}
        return answer(**shown, start=dates.get("startDate"), finish=dates.get("finishDate"), **joined)

    return StatedChange(apply)


@part.change(
    Access.WRITE,
    harmless=("project", "team"),
    undo=by_hand("remove it from the team in the project settings on the web"),
)
async def add_iteration_to_team(
    devops: DevOps,
    iteration: Annotated[str, Field(min_length=1, description="Path or id")],
    team: IterationTeam,
    project: Project = None,
) -> StatedChange[Json]:
    """Add an existing iteration (sprint) to a team."""

    async def apply() -> Json:
        where = devops.project(project)
        identifier = iteration
        if not is_id(iteration):
            root = await _root(devops, where)
            identifier = str(_node(root, _named(root, iteration))["identifier"])
        joined = await _join(devops, where, team, identifier)
        return answer(id=joined["id"], path=joined["path"], team=team)

    return StatedChange(apply)


def _dates(start: str | None, finish: str | None) -> dict[str, str]:
    if start is None and finish is None:
        return {}
    if start is None or finish is None:
        raise Refusal("Pass both startDate and finishDate, or neither.")
    first, last = day(start), day(finish)
    if last < first:
        raise Refusal(f"finishDate ({last}) must not be before startDate ({first}).")
    return {"startDate": moment(first), "finishDate": moment(last)}


async def _root(devops: AzureDevOps, project: str) -> Json:
    place = {"project": project, "group": "iterations"}
    return await devops.json(DevOpsRequest(f"GET {_TREE}", place, {"$depth": _DEEPEST}))


def _named(root: Json, path: str) -> list[str]:
    """Return the names on the path of an iteration, in the service's spelling. For the root, the list is empty.

    Raises:
        Refusal: The path does not exist. The message lists some existing paths.
    """
    given = [name for name in path.replace("/", "\\").split("\\") if name]
    if given and given[0].lower() == str(root["name"]).lower():
        given = given[1:]
    found: list[str] = []
    node: Json = root
    for name in given:
        children = {str(child["name"]).lower(): child for child in node.get("children") or ()}
        if name.lower() not in children:
            known = ", ".join(list(_paths(root, ""))[:_MOST_NAMED])
            raise Refusal(f"Iteration {path!r} not found. Iterations: {known}.")
        node = children[name.lower()]
        found.append(str(node["name"]))
    return found


def _node(root: Json, names: Sequence[str]) -> Json:
    node = root
    for name in names:
        node = next(child for child in node["children"] if child["name"] == name)
    return node


def _paths(node: Mapping[str, Any], above: str) -> Iterator[str]:
    path = f"{above}\\{node['name']}" if above else str(node["name"])
    yield path
    for child in node.get("children") or ():
        yield from _paths(child, path)


def _refuse_twin(root: Json, above: Sequence[str], name: str) -> None:
    for child in _node(root, above).get("children") or ():
        if str(child["name"]).lower() == name.strip().lower():
            begins, ends = (str(at(child, f"attributes.{key}") or "")[:10] for key in ("startDate", "finishDate"))
            dates = f", from {begins} to {ends}" if begins else ", without dates"
            path = "\\".join([root["name"], *above, child["name"]])
            raise Refusal(
                f"Iteration {path} already exists{dates}. add_iteration_to_team adds the iteration to a team."
            )


def _creation(project: str, above: Sequence[str], body: Json) -> DevOpsRequest:
    place = {"project": project, "group": "iterations"}
    if not above:
        return DevOpsRequest(f"POST {_TREE}", place, body=body)
    # The service expects the path as one segment, with the names separated by backslashes.
    return DevOpsRequest(f"POST {_TREE}/{{path}}", place | {"path": "\\".join(["", *above])}, body=body)


async def _join(devops: AzureDevOps, project: str, team: str, identifier: str) -> Json:
    place = {"project": project, "team": team}
    return await devops.json(DevOpsRequest(f"POST {ITERATIONS}", place, body={"id": identifier}))


async def _joined_or_why_not(devops: AzureDevOps, project: str, team: str, identifier: str) -> Json:
    """Add an iteration to a team. The iteration was already created, so an error is returned and not raised."""
    try:
        await _join(devops, project, team, identifier)
    except Refusal as refused:
        return {"notAdded": f"{refused} The iteration was created; add_iteration_to_team adds it to a team."}
    return {"team": team}
