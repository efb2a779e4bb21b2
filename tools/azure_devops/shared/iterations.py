"""Finds an iteration by its path, or the current, next or previous iteration of a team."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure_devops.shared.answers import Json, at
from tools.azure_devops.shared.identifiers import is_id

ITERATIONS: Final = "/{project}/{team}/_apis/work/teamsettings/iterations"

IterationId = Annotated[str, Field(min_length=1, description="Id, name, path, or current, next, previous")]

# This pattern never matches an iteration path below the root, because such a path contains a backslash.
_RELATIVE: Final = re.compile(r"@?(current|next|previous)(?:iteration)?(?:\s+of\s+([^\\]+))?", re.IGNORECASE)
_MOST_NAMED: Final = 30


async def iterations_of(
    devops: AzureDevOps, project: str | None, team: str | None, query: dict[str, str] | None = None
) -> list[Json]:
    """Return the iterations of a team. Without a team, use the project's default team."""
    place = {"project": devops.project(project), "team": team or None}
    return list((await devops.json(DevOpsRequest(f"GET {ITERATIONS}", place, query or {})))["value"])


async def iteration_path(devops: AzureDevOps, project: str | None, named: str | None) -> str | None:
    """Return the path of an iteration. Values such as `current` and `next of Crew` are resolved."""
    found = _RELATIVE.fullmatch(named.strip()) if named else None
    if not found:
        return named
    known = await iterations_of(devops, project, found[2])
    return str(_relative(known, found[1].lower())["path"])


async def team_iteration(
    devops: AzureDevOps, project: str | None, team: str | None, named: str
) -> dict[str, str | None]:
    """Find a team's iteration by id, name or path, or by one of the words `current`, `next` and `previous`."""
    found = _RELATIVE.fullmatch(named.strip())
    whose = (found and found[2]) or team or None
    place = {"project": devops.project(project), "team": whose}
    if is_id(named):
        return place | {"iterationId": named}
    known = await iterations_of(devops, project, whose)
    meant = _relative(known, found[1].lower()) if found else _called(known, named)
    return place | {"iterationId": str(meant["id"])}


def _called(known: Sequence[Json], named: str) -> Json:
    wanted_name = named.strip().lower()
    meant = [entry for entry in known if wanted_name in {str(entry["name"]).lower(), str(entry["path"]).lower()}]
    if len(meant) == 1:
        return meant[0]
    what = "matches several iterations: pass the path" if meant else "is not an iteration of this team"
    raise Refusal(f"{named!r} {what}. {_named(known)}")


def _relative(known: Sequence[Json], which: str) -> Json:
    frame, place = {"current": ("current", 0), "next": ("future", 0), "previous": ("past", -1)}[which]
    # Iterations without dates come last, as in the service.
    ordered = sorted(known, key=lambda entry: str(at(entry, "attributes.startDate") or "9"))
    found = [entry for entry in ordered if at(entry, "attributes.timeFrame") == frame]
    if not found:
        raise Refusal(f"The team has no {which} iteration. {_named(known)}")
    return found[place]


def _named(known: Sequence[Any]) -> str:
    if not known:
        return "The team has no iterations. create_iteration creates an iteration for a team."
    names = ", ".join(f"{entry['path']} ({at(entry, 'attributes.timeFrame')})" for entry in known[-_MOST_NAMED:])
    return f"Its iterations: {names}."
