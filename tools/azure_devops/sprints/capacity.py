"""Shows and sets the capacity of a team's members in an iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, answer, person, shape
from tools.azure_devops.shared.days import moments, span
from tools.azure_devops.shared.iterations import ITERATIONS, IterationId, team_iteration
from tools.azure_devops.shared.parameters import Project, Team
from tools.azure_devops.shared.people import id_of
from tools.azure_devops.shared.teams import team_place

part = Part()

_MEMBER: Final = shape("activities", "daysOff", member="teamMember")
_ITERATION: Final = f"{ITERATIONS}/{{iterationId}}"


@part.tool(Access.READ, harmless=("project", "team", "iterationId"))
async def get_team_capacity(
    devops: DevOps, iterationId: IterationId = "current", project: Project = None, team: Team = None
) -> Json:
    """Get each team member's hours per day and days off in an iteration."""
    place = await team_iteration(devops, project, team, iterationId)
    capacity = await devops.json(DevOpsRequest(f"GET {_ITERATION}/capacities", place))
    off = await devops.json(DevOpsRequest(f"GET {_ITERATION}/teamdaysoff", place))
    return answer(
        perDay=capacity.get("totalCapacityPerDay"),
        daysOff=off["daysOff"],
        members=[_MEMBER(member) for member in _members(capacity)],
    )


@part.change(Access.WRITE, harmless=("project", "team", "iterationId", "hoursPerDay"))
async def set_team_capacity(
    devops: DevOps,
    member: Annotated[str, Field(min_length=1, description="Email, name, id or @Me")],
    hoursPerDay: Annotated[float | None, Field(ge=0, le=24, description="For the activity")] = None,
    activity: Annotated[str | None, Field(description="Such as Development")] = None,
    daysOff: Annotated[
        list[str] | None, Field(max_length=50, description="2026-05-04 or 2026-05-04/2026-05-08; replaces all days off")
    ] = None,
    iterationId: IterationId = "current",
    project: Project = None,
    team: Team = None,
) -> Change[Json]:
    """Set a team member's hours per day and days off in an iteration."""
    if hoursPerDay is None and daysOff is None:
        raise Refusal("Nothing to change: pass hoursPerDay, daysOff or both.")
    off = None if daysOff is None else [moments(day) for day in daysOff]
    where = await team_place(devops, project, team)
    place = await team_iteration(devops, where["project"], where["team"], iterationId)
    who = await id_of(devops, member)
    planned = _members(await devops.json(DevOpsRequest(f"GET {_ITERATION}/capacities", place)))
    known: Json = next((entry for entry in planned if entry["teamMember"]["id"] == who), {})
    # The service replaces the lists of activities and days off, so unchanged entries are sent again.
    body = {
        "activities": _activities(known.get("activities") or (), hoursPerDay, activity),
        "daysOff": list(known.get("daysOff") or ()) if off is None else off,
    }

    async def preview() -> Preview:
        undo = _set_back(known, body, {"member": who, **where, "iterationId": place["iterationId"]})
        return _preview(person(known["teamMember"]) if known else member, where, _edits(known, body), undo)

    async def apply() -> Json:
        line = f"PATCH {_ITERATION}/capacities/{{teamMemberId}}"
        request = DevOpsRequest(line, place | {"teamMemberId": who}, body=body)
        return answer(**_MEMBER(await devops.json(request)))

    return PlannedChange(preview, apply)


def _preview(name: str, where: Mapping[str, Any], edits: list[Edit], undo: Undo) -> Preview:
    return Preview(
        what=f"Capacity of {name}",
        sentence=f"Set the capacity of {name} in an iteration of {where['team']}",
        edits=edits,
        affected=[name],
        places={"project": where["project"]},
        destroys=False,
        undo=undo,
    )


def _set_back(known: Json, body: Json, named: Json) -> Undo:
    """Return the call that restores a member's current hours and days off."""
    hours = {str(one.get("name") or ""): one["capacityPerDay"] for one in known.get("activities") or ()}
    changed = [
        (str(one.get("name") or ""), one["capacityPerDay"])
        for one in body["activities"]
        if hours.get(str(one.get("name") or "")) != one["capacityPerDay"]
    ]
    given: Json = dict(named)
    if changed:
        given |= {"activity": changed[0][0], "hoursPerDay": hours.get(changed[0][0], 0)}
    if body["daysOff"] != list(known.get("daysOff") or ()):
        given["daysOff"] = [span(one) for one in known.get("daysOff") or ()]
    back = by_call("set_team_capacity", **given)
    is_new = any(name not in hours for name, _ in changed)
    return back.but(f"the activity {changed[0][0]} stays, with 0 hours") if is_new else back


def _edits(known: Json, body: Json) -> list[Edit]:
    changed = {part: value for part, value in body.items() if known.get(part) != value}
    return [Edit(part, str(known.get(part) or "none"), str(value)) for part, value in changed.items()]


def _members(capacity: Json) -> list[Json]:
    # Older servers return only the list of members, without totals.
    return list(capacity["value"] if "value" in capacity else capacity["teamMembers"])


def _activities(known: Sequence[Mapping[str, Any]], hours: float | None, activity: str | None) -> list[Json]:
    """Return the member's activities, with new hours for one of them. If there is only one, its name can be omitted."""
    if hours is None:
        return [dict(entry) for entry in known]
    if activity is None and len(known) > 1:
        names = ", ".join(str(entry["name"]) for entry in known)
        raise Refusal(f"`activity` is required. Activities of this member: {names}.")
    name = activity if activity is not None else str(known[0].get("name") or "") if known else ""
    others = [dict(entry) for entry in known if str(entry.get("name") or "").lower() != name.lower()]
    return [*others, {"capacityPerDay": hours, "name": name}]
