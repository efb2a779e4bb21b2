"""Microsoft.Authorization: who has which role, which roles there are, what one may do, and which operations exist."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tests.fakes.azure.access import Access, Assignment, Role, called_by
from tests.fakes.azure.estate import Estate, is_within, subscription_of
from tests.fakes.azure.people import People, invented_id
from tests.fakes.azure.provider_list import PROVIDERS, namespace_named
from tests.fakes.azure.routes import Asked, AzureError, Json, Route, paged

_NAMESPACE: Final = "Microsoft.Authorization"
_HERE: Final = f"{{scope}}/providers/{_NAMESPACE}"
# What is done with what a resource holds.
_DATA: Final = {
    "Microsoft.KeyVault/vaults": ("secrets/getSecret/action", "secrets/readMetadata/action"),
    "Microsoft.Storage/storageAccounts/blobServices": ("containers/blobs/read", "containers/blobs/delete"),
}
_ACTIONS: Final = {
    "Microsoft.Web/sites": ("restart/action", "start/action", "stop/action"),
    "Microsoft.Storage/storageAccounts": ("listKeys/action",),
}
_VERBS: Final = {"read": "Gets", "write": "Creates or updates", "delete": "Deletes"}


@dataclass
class Authorization:
    estate: Estate
    access: Access
    people: People
    page_size: int = 500

    @property
    def routes(self) -> list[Route]:
        return [
            Route(
                "GET /providers/Microsoft.Authorization/providerOperations",
                self._all_operations,
                type=f"{_NAMESPACE}/providerOperations",
            ),
            Route(
                "GET /providers/Microsoft.Authorization/providerOperations/{namespace}",
                self._operations,
                type=f"{_NAMESPACE}/providerOperations",
            ),
            Route(f"GET {_HERE}/permissions", self._permissions, type=f"{_NAMESPACE}/permissions"),
            Route(f"GET {_HERE}/roleAssignments", self._list_assignments, type=f"{_NAMESPACE}/roleAssignments"),
            Route(f"GET {_HERE}/roleAssignments/{{name}}", self._get_assignment, type=f"{_NAMESPACE}/roleAssignments"),
            Route(f"GET {_HERE}/roleDefinitions", self._list_roles, type=f"{_NAMESPACE}/roleDefinitions"),
            Route(f"GET {_HERE}/roleDefinitions/{{name}}", self._get_role, type=f"{_NAMESPACE}/roleDefinitions"),
            Route(f"GET {_HERE}/roleEligibilityScheduleInstances", self._list_eligibilities),
            Route(f"GET {_HERE}/denyAssignments", self._list_denials, type=f"{_NAMESPACE}/denyAssignments"),
        ]

    def _list_eligibilities(self, asked: Asked) -> Json:
        scope, text = asked.places["scope"], asked.query.get("$filter", "")
        self.access.demand_license()
        self.access.demand(asked, "Microsoft.Authorization/roleAssignments/read", scope)
        mine = f"assignedTo('{called_by(asked).id}')"
        wanted = _Wanted.of(mine if text.lower() == "astarget()" else text, self.people)
        return {"value": [_eligibility(one) for one in self.access.eligible if wanted.takes(one, scope)]}

    def _permissions(self, asked: Asked) -> Json:
        roles = self.access.held(called_by(asked).identities, asked.places["scope"])
        return {"value": [role.permission for role in roles]}

    def _list_assignments(self, asked: Asked) -> Json:
        scope = asked.places["scope"]
        self.access.demand(asked, "Microsoft.Authorization/roleAssignments/read", scope)
        wanted = _Wanted.of(asked.query.get("$filter", ""), self.people)
        found = [one for one in self.access.assignments if wanted.takes(one, scope)]
        return paged(asked, [shown_assignment(one) for one in found], self.page_size)

    def _get_assignment(self, asked: Asked) -> Json:
        scope, name = asked.places["scope"], asked.places["name"]
        self.access.demand(asked, "Microsoft.Authorization/roleAssignments/read", scope)
        found = next((one for one in self.access.assignments if one.name == name.lower()), None)
        if found is None:
            raise AzureError(404, "RoleAssignmentNotFound", f"The role assignment '{name}' is not found.")
        return shown_assignment(found)

    def _list_roles(self, asked: Asked) -> Json:
        scope = asked.places["scope"]
        self.access.demand(asked, "Microsoft.Authorization/roleDefinitions/read", scope)
        wanted = re.findall(r"(roleName|type) eq '([^']*)'", asked.query.get("$filter", ""), re.IGNORECASE)
        said = {name.lower(): value.lower() for name, value in wanted}
        found = [
            role
            for role in self.access.roles
            if said.get("rolename", role.name.lower()) == role.name.lower()
            and said.get("type", role.kind.lower()) == role.kind.lower()
        ]
        return paged(asked, [shown_role(role, scope) for role in found], self.page_size)

    def _get_role(self, asked: Asked) -> Json:
        scope, name = asked.places["scope"], asked.places["name"]
        found = next((role for role in self.access.roles if role.id == name.lower()), None)
        if found is None:
            message = f"The specified role definition with ID '{name}' does not exist."
            raise AzureError(404, "RoleDefinitionDoesNotExist", message)
        return shown_role(found, scope)

    def _list_denials(self, asked: Asked) -> Json:
        scope = asked.places["scope"]
        self.access.demand(asked, "Microsoft.Authorization/denyAssignments/read", scope)
        return {"value": [one for one in self.access.denials if is_within(scope, one["properties"]["scope"])]}

    def _all_operations(self, asked: Asked) -> Json:
        return {"value": [_operations(namespace, _expands(asked)) for namespace in PROVIDERS]}

    def _operations(self, asked: Asked) -> Json:
        namespace = namespace_named(asked.places["namespace"])
        if namespace is None:
            raise AzureError(404, "ProviderNotFound", f"Provider '{asked.places['namespace']}' not found.")
        return _operations(namespace, _expands(asked))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a filter asks for: `atScope()`, and whose assignments."""

    only_here: bool
    principals: frozenset[str] | None

    @classmethod
    def of(cls, text: str, people: People) -> _Wanted:
        principals: frozenset[str] | None = None
        rest = [part.strip() for part in re.split(r"\s+and\s+", text, flags=re.IGNORECASE) if part.strip()]
        for part in list(rest):
            if found := re.fullmatch(r"assignedTo\('([^']+)'\)", part, re.IGNORECASE):
                principals = people.identities(found[1].lower())
            elif found := re.fullmatch(r"principalId eq '([^']+)'", part, re.IGNORECASE):
                principals = frozenset([found[1].lower()])
            elif part.lower() != "atscope()":
                raise AzureError(400, "UnsupportedQuery", "The filter is not supported.")
        return cls(any(part.lower() == "atscope()" for part in rest), principals)

    def takes(self, assignment: Assignment, scope: str) -> bool:
        above = is_within(scope, assignment.scope)
        below = is_within(assignment.scope, scope) and not self.only_here
        return (above or below) and (self.principals is None or assignment.principal_id in self.principals)


def shown_assignment(one: Assignment) -> Json:
    subscription = subscription_of(one.scope)
    prefix = f"/subscriptions/{subscription}" if subscription else ""
    at = one.created.isoformat().replace("+00:00", "Z")
    return {
        "properties": {
            "roleDefinitionId": f"{prefix}/providers/Microsoft.Authorization/roleDefinitions/{one.role.id}",
            "principalId": one.principal_id,
            "principalType": one.principal_kind,
            "scope": one.scope,
            "condition": one.condition,
            "conditionVersion": "2.0" if one.condition else None,
            "createdOn": at,
            "updatedOn": at,
            "createdBy": one.by,
            "updatedBy": one.by,
            "delegatedManagedIdentityResourceId": None,
            "description": None,
        },
        "id": one.id,
        "type": "Microsoft.Authorization/roleAssignments",
        "name": one.name,
    }


def _eligibility(one: Assignment) -> Json:
    record = shown_assignment(one)
    name = f"roleEligibilityScheduleInstances/{one.name}"
    role = {"id": record["properties"]["roleDefinitionId"], "displayName": one.role.name, "type": one.role.kind}
    more = {"status": "Provisioned", "memberType": "Direct", "endDateTime": "2027-06-30T00:00:00Z"}
    return {
        "id": f"{one.scope}/providers/{_NAMESPACE}/{name}",
        "name": one.name,
        "type": f"{_NAMESPACE}/roleEligibilityScheduleInstances",
        "properties": {**record["properties"], **more, "expandedProperties": {"roleDefinition": role}},
    }


def denial(name: str, scope: str, actions: Iterable[str], but: Iterable[str] = ()) -> Json:
    """What a managed application keeps from everybody but some, by their object ids."""
    everybody = {"id": "00000000-0000-0000-0000-000000000000", "type": "SystemDefined"}
    permission = {"actions": list(actions), "notActions": ["*/read"], "dataActions": [], "notDataActions": []}
    return {
        "id": f"{scope}/providers/{_NAMESPACE}/denyAssignments/{invented_id('denial', name)}",
        "name": invented_id("denial", name),
        "type": f"{_NAMESPACE}/denyAssignments",
        "properties": {
            "denyAssignmentName": name,
            "description": "Keeps what is in it as it is.",
            "permissions": [permission],
            "scope": scope,
            "doNotApplyToChildScopes": False,
            "principals": [everybody],
            "excludePrincipals": [{"id": one, "type": "User"} for one in but],
            "isSystemProtected": True,
        },
    }


def shown_role(role: Role, scope: str) -> Json:
    subscription = subscription_of(scope)
    prefix = f"/subscriptions/{subscription}" if subscription else ""
    return {
        "properties": {
            "roleName": role.name,
            "type": role.kind,
            "description": role.description,
            "assignableScopes": ["/"] if role.kind == "BuiltInRole" else [*role.scopes] or [prefix or "/"],
            "permissions": [role.permission],
            "createdOn": "2015-02-02T21:55:09.8806423Z",
            "updatedOn": "2021-11-11T20:13:52.3712391Z",
            "createdBy": None,
            "updatedBy": None,
        },
        "id": f"{prefix}/providers/Microsoft.Authorization/roleDefinitions/{role.id}",
        "type": "Microsoft.Authorization/roleDefinitions",
        "name": role.id,
    }


def _expands(asked: Asked) -> bool:
    return asked.query.get("$expand", "").lower() == "resourcetypes"


def _operations(namespace: str, expands: bool) -> Json:
    title = namespace.replace(".", " ")
    types = [_operations_of(namespace, one.name) for one in PROVIDERS[namespace]] if expands else []
    return {
        "displayName": title,
        "operations": [_operation(f"{namespace}/register/action", "Registers the provider", title)],
        "resourceTypes": types,
        "id": f"/providers/Microsoft.Authorization/providerOperations/{namespace}",
        "type": "Microsoft.Authorization/providerOperations",
        "name": namespace,
    }


def _operations_of(namespace: str, name: str) -> Json:
    title = _words(name.rpartition("/")[2])
    made: Iterable[Json] = (
        _operation(f"{namespace}/{name}/{verb}", f"{says} {title}", f"{says} {title}.") for verb, says in _VERBS.items()
    )
    data = _DATA.get(f"{namespace}/{name}", ())
    with_data = [{**_operation(f"{namespace}/{name}/{one}", one, one), "isDataAction": True} for one in data]
    actions = [_operation(f"{namespace}/{name}/{one}", one, one) for one in _ACTIONS.get(f"{namespace}/{name}", ())]
    return {"name": name, "displayName": title.capitalize(), "operations": [*made, *actions, *with_data]}


def _operation(name: str, title: str, description: str) -> Json:
    return {
        "name": name,
        "displayName": title,
        "description": description,
        "origin": None,
        "properties": None,
        "isDataAction": False,
    }


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
