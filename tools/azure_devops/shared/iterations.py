"""Which iteration is meant: one by its path, or the current, the next or the previous one of a team."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal
from tools.azure_devops.shared.answers import Json, at
from tools.azure_devops.shared.identifiers import is_id

ITERATIONS: Final = "/{project}/{team}/_apis/work/teamsettings/iterations"

IterationId = Annotated[str, Field(min_length=1, description="Id, name, path; current, next, previous")]

# A team cannot have a backslash in its name, and a path that has none is a project.
_RELATIVE: Final = re.compile(r"@?(current|next|previous)(?:iteration)?(?:\s+of\s+([^\\]+))?", re.IGNORECASE)
_MOST_NAMED: Final = 30


async def iterations_of(
    devops: AzureDevOps, project: str | None, team: str | None, query: dict[str, str] | None = None
) -> list[Json]:
    """The iterations by which a team works; without a team, the project's own is meant."""
    place = {"project": devops.project(project), "team": team or None}
    return list((await devops.json(DevOpsRequest(f"GET {ITERATIONS}", place, query or {})))["value"])


async def iteration_path(devops: AzureDevOps, project: str | None, named: str | None) -> str | None:
    """The path of an iteration: as it was given, or the one that is meant by `current`, or by `next of` a team."""
    found = _RELATIVE.fullmatch(named.strip()) if named else None
    if not found:
        return named
    known = await iterations_of(devops, project, found[2])
    return str(_relative(known, found[1].lower())["path"])


async def team_iteration(
    devops: AzureDevOps, project: str | None, team: str | None, named: str
) -> dict[str, str | None]:
    """The place of an iteration of a team: it is named by its id, name or path, or by what it is to now.

    Raises:
        Refusal: The team has no such iteration, or several; it names those that it has.
    """
    found = _RELATIVE.fullmatch(named.strip())
    whose = (found and found[2]) or team or None
    place = {"project": devops.project(project), "team": whose}
    if is_id(named):
        return place | {"iterationId": named}
    known = await iterations_of(devops, project, whose)
    meant = _relative(known, found[1].lower()) if found else _called(known, named)
    return place | {"iterationId": str(meant["id"])}


def _called(known: Sequence[Json], named: str) -> Json:
    wanted = named.strip().lower()
    meant = [entry for entry in known if wanted in {str(entry["name"]).lower(), str(entry["path"]).lower()}]
    if len(meant) == 1:
        return meant[0]
    what = "is the name of several: give the path" if meant else "is no iteration of this team"
    raise Refusal(f"{named!r} {what}. {_named(known)}")


def _relative(known: Sequence[Json], which: str) -> Json:
    frame, place = {"current": ("current", 0), "next": ("future", 0), "previous": ("past", -1)}[which]
    # The service gives those without dates last, as we do here.
    ordered = sorted(known, key=lambda entry: str(at(entry, "attributes.startDate") or "9"))
    found = [entry for entry in ordered if at(entry, "attributes.timeFrame") == frame]
    if not found:
        raise Refusal(f"The team has no {which} iteration. {_named(known)}")
    return found[place]


def _named(known: Sequence[Any]) -> str:
    if not known:
        return "It has none: create_iteration makes one for a team."
    names = ", ".join(f"{entry['path']} ({at(entry, 'attributes.timeFrame')})" for entry in known[-_MOST_NAMED:])
    return f"Its iterations are: {names}."
