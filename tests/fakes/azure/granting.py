"""Microsoft.Authorization as it is written to: roles given, for good or for a while, taken away, and made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any, Final
from uuid import UUID

from tests.fakes.azure.access import Access, Assignment, Role, called_by
from tests.fakes.azure.authorization import shown_assignment, shown_role
from tests.fakes.azure.estate import Estate, locked_scope
from tests.fakes.azure.people import AUDITORS, People
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route

_NAMESPACE: Final = "Microsoft.Authorization"
_HERE: Final = f"{{scope}}/providers/{_NAMESPACE}"


@dataclass
class Granting:
    """`replicating` are ids of principals that the directory does not have everywhere yet."""

    estate: Estate
    access: Access
    people: People
    replicating: set[str] = field(default_factory=set)
    requests: dict[str, Json] = field(default_factory=dict)
    # For how long policies let a role be given.
    most_days: int = 365
    # Whether a policy shortens a longer request instead of refusing it.
    shortens: bool = False

    @property
    def routes(self) -> list[Route]:
        requests = f"{_HERE}/roleAssignmentScheduleRequests/{{name}}"
        assignments, roles = f"{_HERE}/roleAssignments/{{name}}", f"{_HERE}/roleDefinitions/{{name}}"
        of_assignments, of_roles = f"{_NAMESPACE}/roleAssignments", f"{_NAMESPACE}/roleDefinitions"
        return [
            Route(f"PUT {assignments}", self._assign, type=of_assignments),
            Route(f"DELETE {assignments}", self._remove, type=of_assignments),
            Route(f"PUT {roles}", self._define, type=of_roles),
            Route(f"DELETE {roles}", self._undefine, type=of_roles),
            Route(f"GET {_HERE}/roleAssignmentScheduleInstances", self._instances),
            Route(f"GET {_HERE}/roleManagementPolicyAssignments", self._policies),
            Route(f"GET {requests}", self._request),
            Route(f"PUT {requests}", self._schedule),
        ]

    def _assign(self, asked: Asked) -> Reply:
        scope, given = asked.places["scope"], _properties(asked)
        self.access.demand(asked, "Microsoft.Authorization/roleAssignments/write", scope)
        self._refuse_locked(scope, "write", ("ReadOnly",))
        made = self._made(asked, given)
        same_name = next((one for one in self.access.assignments if one.name == made.name), None)
        if same_name and _key(same_name) != _key(made):
            message = "Tenant ID, application ID, principal ID, and scope are not allowed to be updated."
            raise AzureError(400, "RoleAssignmentUpdateNotPermitted", message)
        self._refuse_same(made)
        if same_name:
            self.access.assignments.remove(same_name)
        self.access.assignments.append(made)
        return Reply(shown_assignment(made), 200 if same_name else 201)

    def _made(self, asked: Asked, given: Mapping[str, str]) -> Assignment:
        name = asked.places["name"].lower()
        if not _is_guid(name):
            raise AzureError(400, "InvalidRoleAssignmentId", "The role assignment ID must be a GUID.")
        role = self._role(str(given.get("roleDefinitionId")))
        principal, kind = str(given.get("principalId")).lower(), given.get("principalType")
        known = self._kind_of(principal)
        if known is None or (principal in self.replicating and not kind):
            message = (
                f"Principal {principal.replace('-', '')} does not exist in the directory. Check that you have the"
                " correct principal ID. If you are creating this principal and then immediately assigning a role, this"
                " error might be related to a replication delay."
            )
            raise AzureError(400, "PrincipalNotFound", message)
        if kind and kind != known:
            message = f"The PrincipalId '{principal}' has type '{known}' , which is different from specified '{kind}'."
            raise AzureError(400, "UnmatchedPrincipalType", message)
        who, scope = called_by(asked).id, asked.places["scope"]
        return Assignment(role, principal, known, scope, datetime.now(UTC), who, given.get("condition"), name)

    def _refuse_same(self, made: Assignment) -> None:
        """No two assignments are of the same role for the same principal at the same scope."""
        for one in self.access.assignments:
            if _key(one) == _key(made) and one.name != made.name:
                plain = one.name.replace("-", "")
                message = f"The role assignment already exists. The ID of the existing role assignment is {plain}."
                raise AzureError(409, "RoleAssignmentExists", message)

    def _remove(self, asked: Asked) -> Reply:
        scope, name = asked.places["scope"], asked.places["name"].lower()
        self.access.demand(asked, "Microsoft.Authorization/roleAssignments/delete", scope)
        self._refuse_locked(scope, "delete", ("ReadOnly", "CanNotDelete"))
        found = [one for one in self.access.assignments if one.name == name and one.scope.lower() == scope.lower()]
        for one in found:
            self.access.assignments.remove(one)
            return Reply(shown_assignment(one))
        return Reply(status=204)

    def _define(self, asked: Asked) -> Reply:
        name, given = asked.places["name"].lower(), _properties(asked)
        scopes = tuple(given.get("assignableScopes") or ())
        if not scopes:
            raise AzureError(400, "MissingAssignableScopes", "The role definition has no assignable scopes.")
        before = next((one for one in self.access.roles if one.id == name), None)
        if before and before.kind != "CustomRole":
            raise AzureError(403, "RoleDefinitionIsBuiltIn", "Built-in role definitions cannot be changed.")
        for scope in (*scopes, *(before.scopes if before else ())):
            self.access.demand(asked, "Microsoft.Authorization/roleDefinitions/write", scope)
        title = str(given.get("roleName"))
        if any(one.name.lower() == title.lower() and one.id != name for one in self.access.roles):
            message = f"A role definition cannot be updated with a name that already exists: '{title}'."
            raise AzureError(409, "RoleDefinitionWithSameNameExists", message)
        made = _role_of(name, title, given, scopes)
        self.access.roles[:] = [*(one for one in self.access.roles if one.id != name), made]
        self.access.assignments[:] = [_renewed(one, made) for one in self.access.assignments]
        return Reply(shown_role(made, asked.places["scope"]), 201)

    def _undefine(self, asked: Asked) -> Reply:
        name = asked.places["name"].lower()
        found = next((one for one in self.access.roles if one.id == name), None)
        if found is None:
            return Reply(status=204)
        for scope in found.scopes or (asked.places["scope"],):
            self.access.demand(asked, "Microsoft.Authorization/roleDefinitions/delete", scope)
        if any(one.role.id == name for one in self.access.assignments):
            message = "There are existing role assignments referencing role (code: RoleDefinitionHasAssignments)."
            raise AzureError(400, "RoleDefinitionHasAssignments", message)
        self.access.roles.remove(found)
        return Reply(shown_role(found, asked.places["scope"]))

    # For a while, by Privileged Identity Management

    def _instances(self, asked: Asked) -> Json:
        self.access.demand_license()
        return {"value": []}

    def _request(self, asked: Asked) -> Json:
        self.access.demand_license()
        found = self.requests.get(asked.path.lower())
        if found is None:
            raise AzureError(404, "RoleAssignmentScheduleRequestNotFound", "The schedule request is not found.")
        return found

    def _schedule(self, asked: Asked) -> Reply:
        scope, given = asked.places["scope"], _properties(asked)
        self.access.demand_license()
        self.access.demand(asked, "Microsoft.Authorization/roleAssignmentScheduleRequests/write", scope)
        if given.get("requestType") != "AdminAssign":
            raise AzureError(400, "InvalidRoleAssignmentRequestType", "The request type is not supported.")
        self._refuse_rules(given)
        made = self._made(asked, given)
        self._refuse_same(made)
        if any(_key(one) == _key(made) for one in self.access.assignments):
            raise AzureError(400, "RoleAssignmentExists", "The Role assignment already exists.")
        self.access.assignments.append(made)
        shown = {
            **self._shortened(given),
            "scope": scope,
            "status": "Provisioned",
            "principalType": made.principal_kind,
        }
        record = {"id": asked.path, "name": made.name, "properties": shown}
        record["type"] = f"{_NAMESPACE}/roleAssignmentScheduleRequests"
        self.requests[asked.path.lower()] = record
        return Reply(record, 201)

    def _shortened(self, given: Json) -> Json:
        schedule = given["scheduleInfo"]
        longest = datetime.now(UTC) + timedelta(days=self.most_days)
        if datetime.fromisoformat(schedule["expiration"]["endDateTime"]) <= longest:
            return given
        expiration = {"type": "AfterDateTime", "endDateTime": longest.isoformat()}
        return {**given, "scheduleInfo": {**schedule, "expiration": expiration}}

    def _refuse_rules(self, given: Mapping[str, Json]) -> None:
        """What the settings of the role for Privileged Identity Management demand."""
        schedule = given.get("scheduleInfo", {})
        if not schedule.get("startDateTime"):
            raise AzureError(400, "InvalidRoleAssignmentRequestSchedule", "The start of the schedule is missing.")
        ends = schedule.get("expiration", {})
        until = datetime.fromisoformat(str(ends.get("endDateTime")))
        days = (until - datetime.now(UTC)).total_seconds() / 86_400
        most = inf if self.shortens else self.most_days
        failed = [
            *(["ExpirationRule"] if ends.get("type") != "AfterDateTime" or not 0 < days <= most else []),
            *(["JustificationRule"] if not given.get("justification") else []),
        ]
        if failed:
            message = f"The following policy rules failed: {failed}"
            raise AzureError(400, "RoleAssignmentRequestPolicyValidationFailed", message)

    def _policies(self, asked: Asked) -> Json:
        self.access.demand(asked, "Microsoft.Authorization/roleManagementPolicyAssignments/read", asked.places["scope"])
        rule = {"id": "Expiration_Admin_Assignment", "isExpirationRequired": True}
        return {"value": [{"properties": {"effectiveRules": [{**rule, "maximumDuration": f"P{self.most_days}D"}]}}]}

    def _kind_of(self, principal: str) -> str | None:
        groups = {AUDITORS.id, *(group.id for group in self.people.groups())}
        known = {one.id: one.kind for one in self.people.principals} | dict.fromkeys(groups, "Group")
        return known.get(principal)

    def _role(self, role_id: str) -> Role:
        key = role_id.rpartition("/")[2].lower()
        found = next((one for one in self.access.roles if one.id == key), None)
        if found is None:
            message = f"The specified role definition with ID '{key}' does not exist."
            raise AzureError(404, "RoleDefinitionDoesNotExist", message)
        return found

    def _refuse_locked(self, scope: str, verb: str, levels: Iterable[str]) -> None:
        held = [one for one in self.estate.locks_on(scope) if one["properties"]["level"] in levels]
        if held:
            message = (
                f"The scope '{scope}' cannot perform {verb} operation because following scope(s) are locked:"
                f" '{locked_scope(held[0])}'. Please remove the lock and try again."
            )
            raise AzureError(409, "ScopeLocked", message)


def _properties(asked: Asked) -> Json:
    found = asked.body.get("properties") if isinstance(asked.body, dict) else None
    if not isinstance(found, dict):
        raise AzureError(400, "InvalidRequestContent", "The request has no properties.")
    return found


def _key(one: Assignment) -> tuple[str, str, str]:
    return one.role.id, one.principal_id, one.scope.lower()


def _renewed(one: Assignment, role: Role) -> Assignment:
    return replace(one, role=role) if one.role.id == role.id else one


def _role_of(name: str, title: str, given: Mapping[str, Any], scopes: tuple[str, ...]) -> Role:
    permission: Json = next(iter(given.get("permissions") or ()), {})
    names = ("actions", "notActions", "dataActions", "notDataActions")
    actions, but, data, data_but = (tuple(permission.get(one) or ()) for one in names)
    for one in (*actions, *but, *data, *data_but):
        if "/" not in one and one != "*":
            message = f"'{one}' does not match any of the actions supported by the providers."
            raise AzureError(400, "InvalidActionOrNotAction", message)
    return Role(name, title, str(given.get("description") or ""), actions, but, data, "CustomRole", data_but, scopes)


def _is_guid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
