"""The types of work items of a project, with the states that each can have and how it gets from one to another."""

from __future__ import annotations

from typing import Final

from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.routes import Asked, Json, Route, TroubleError, listed, route

_BIG: Final = {"New": "Proposed", "Active": "InProgress", "Resolved": "Resolved", "Closed": "Completed"}
_REMOVED: Final = {"Removed": "Removed"}
# In the order in which the service gives them.
STATES: Final = {
    "Epic": _BIG | _REMOVED,
    "Feature": _BIG | _REMOVED,
    "User Story": _BIG | _REMOVED,
    "Task": {"New": "Proposed", "Active": "InProgress", "Closed": "Completed"} | _REMOVED,
    "Bug": dict(_BIG),
    # What is done as a request is not done as a bug.
    "Request": {"Asked": "Proposed", "Active": "InProgress", "Resolved": "Completed"},
    "Test Case": {"Design": "Proposed", "Ready": "InProgress", "Closed": "Completed"},
}
_NOT_LISTED: Final = (
    "TF401320: Rule Error for field State. Error code: Required, HasValues, LimitedToValues, AllowsOldValue,"
    " InvalidListValue."
)


class WorkItemTypes:
    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        where = "/{project}/_apis/wit/workitemtypes"
        self.routes: tuple[Route, ...] = (
            route(f"GET {where}", lambda _: listed([_type(name) for name in STATES])),
            route(f"GET {where}/{{type}}", self._one),
        )

    def _one(self, asked: Asked) -> Json:
        project = self._projects.named(asked.places["project"])
        return _type(self.named(project, asked.places["type"]))

    def named(self, project: str, kind: str) -> str:
        for name in STATES:
            if kind.lower() == name.lower():
                return name
        message = (
            f"VS402323: Work item type {kind} does not exist in project {project} or you do not have permission to"
            " access it."
        )
        raise TroubleError(404, "WorkItemTypeNotFoundException", message)

    def check(self, before: Json, after: Json) -> None:
        """Refuse a state that the type does not have, or that does not come after the one before."""
        states = STATES[after["fields"]["System.WorkItemType"]]
        old, wanted = before["fields"].get("System.State"), str(after["fields"]["System.State"])
        found = next((name for name in states if name.lower() == wanted.lower()), None)
        if found is None or (before["rev"] and found not in _following(states, str(old))):
            raise TroubleError(400, "RuleValidationException", _NOT_LISTED)
        after["fields"]["System.State"] = found


def first_state(kind: str) -> str:
    return next(iter(STATES[kind]))


def _following(states: dict[str, str], state: str) -> list[str]:
    """What was removed begins anew; from anywhere else, a work item gets to every state."""
    return [state, next(iter(states))] if states.get(state) == "Removed" else list(states)


def _type(name: str) -> Json:
    states = STATES[name]
    ways = {state: [{"to": to, "actions": None} for to in _following(states, state)] for state in states}
    return {
        "name": name,
        "referenceName": f"Microsoft.VSTS.WorkItemTypes.{name.replace(' ', '')}",
        "color": "CC293D",
        "isDisabled": False,
        "fields": [{"referenceName": "System.Title", "name": "Title", "alwaysRequired": True}],
        "states": [{"name": state, "color": "b2b2b2", "category": category} for state, category in states.items()],
        "transitions": {"": [{"to": next(iter(states)), "actions": None}], **ways},
    }
