"""Shows a team's work items in an iteration, and the remaining work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ListPage
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, many, plain, present
from tools.azure_devops.shared.iterations import ITERATIONS, IterationId, team_iteration
from tools.azure_devops.shared.parameters import Detail, MaxResults, Project, States, Team
from tools.azure_devops.shared.work_item_answers import LISTED, listed_item
from tools.azure_devops.shared.work_item_reading import items_of
from tools.azure_devops.shared.work_item_types import STATE, done_states, named_states, work_item_types
from tools.azure_devops.sprints.hierarchy import parents_of, with_parents

part = Part()

# Maps the names that measures have in a team's configuration to their names in answers. The project's process decides
# which fields contain these measures.
_MEASURES: Final = {"Effort": "points", "RemainingWork": "remainingWork"}
_MOST_COUNTED: Final = 2000
_NOBODY: Final = "nobody"


@part.tool(Access.READ, harmless=("project", "team", "iterationId"))
async def list_iteration_items(
    devops: DevOps,
    iterationId: IterationId = "current",
    project: Project = None,
    team: Team = None,
    states: States = None,
    maxResults: MaxResults = 100,
    detail: Detail = "summary",
) -> Json:
    """List a team's work items in an iteration, with totals of points and remaining work."""
    place = await team_iteration(devops, project, team, iterationId)
    links = await devops.json(DevOpsRequest(f"GET {ITERATIONS}/{{iterationId}}/workitems", place))
    whose = {name: place[name] for name in ("project", "team")}
    configuration = await devops.json(DevOpsRequest("GET /{project}/{team}/_apis/work/backlogconfiguration", whose))
    parents, named = parents_of(links["workItemRelations"]), _measured(configuration)
    fields = None if detail == "full" else list(LISTED | named)
    found = await items_of(devops, list(parents)[:_MOST_COUNTED], fields)
    items = await _in_states(devops, devops.project(project), found, states)
    shown = [_short(listed_item(item, detail, named), named) for item in items[:maxResults]]
    left = len(parents) > _MOST_COUNTED
    totals = _totals(items, named) | ({"of": f"the first {_MOST_COUNTED}"} if left else {})
    return many(ListPage(with_parents(shown, parents), left or len(items) > maxResults), dict, totals=totals)


def _measured(configuration: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields that contain the measures in the team's process, each with the name of its measure in
    answers.
    """
    known = configuration["backlogFields"]["typeFields"]
    return {known[name]: short for name, short in _MEASURES.items() if known.get(name)}


def _short(item: Json, named: Mapping[str, str]) -> Json:
    return {named.get(name, name): value for name, value in item.items()}


async def _in_states(
    devops: AzureDevOps, project: str, items: Sequence[Json], states: Sequence[str] | None
) -> Sequence[Json]:
    """Return the work items in one of these states. The value `not done` selects all states that are not completed."""
    if not states:
        return items
    named, with_open = named_states(states)
    names_of_states = {state.lower() for state in named}
    kinds = await work_item_types(devops, project) if with_open else []
    done = {(kind, state) for names, of in done_states(kinds, None) for kind in names for state in of}

    def matches(item: Json) -> bool:
        fields = item["fields"]
        is_open = with_open and (fields.get("System.WorkItemType"), fields.get(STATE)) not in done
        return is_open or str(fields.get(STATE)).lower() in names_of_states

    return [item for item in items if matches(item)]


def _totals(items: Sequence[Json], named: Mapping[str, str]) -> Json:
    """Count the work items and sum their measures: overall, by state, and by person."""
    states = Counter(str(item["fields"].get(STATE)) for item in items)
    people: dict[str, list[Json]] = {}
    for item in items:
        people.setdefault(str(plain(item["fields"].get("System.AssignedTo")) or _NOBODY), []).append(item)
    each = [{"who": who, **_sums(own, named)} for who, own in people.items()]
    return _sums(items, named) | present({"states": dict(states), "people": each})


def _sums(items: Sequence[Json], named: Mapping[str, str]) -> Json:
    sums = {short: _sum(item["fields"].get(field) for item in items) for field, short in named.items()}
    return {"items": len(items), **present(sums)}


def _sum(values: Iterable[Any]) -> float | None:
    numbers = [value for value in values if isinstance(value, int | float)]
    return round(sum(numbers), 2) if numbers else None
