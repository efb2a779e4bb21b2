"""The tables of Resource Graph, made of what there is when a query comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.azure.access import Access, Assignment, Role
from tests.fakes.azure.estate import Change, Estate, Resource, subscription_of
from tests.fakes.azure.graph.operators import Table
from tests.fakes.azure.graph.words import QueryError
from tests.fakes.azure.people import Principal, invented_id
from tests.fakes.azure.resources import shown
from tests.fakes.azure.routes import Json

_COLUMNS: Final = (
    "id name type tenantId kind location resourceGroup subscriptionId managedBy sku plan properties tags identity zones"
    " extendedLocation systemData"
).split()
# Tables that the service has, of which the bakery has nothing.
_EMPTY: Final = frozenset(
    "alertsmanagementresources insightsresources maintenanceresources patchassessmentresources policyresources"
    " recoveryservicesresources securityresources".split()
)
_TAKEN: Final = ("kind", "managedBy", "sku", "plan", "tags", "identity", "zones")


@dataclass
class Tables:
    """What one caller sees of certain subscriptions."""

    estate: Estate
    access: Access
    caller: Principal
    subscriptions: frozenset[str]

    def named(self, name: str) -> Table:
        by_name: Mapping[str, Callable[[], Iterator[Json]]] = {
            "resources": self._resources,
            "resourcecontainers": self._containers,
            "resourcechanges": self._changes,
            "appserviceresources": self._configs,
            "resourcecontainerchanges": lambda: iter(()),
            "authorizationresources": self._authorization,
        }
        if name.lower() in by_name:
            return Table(_COLUMNS, list(by_name[name.lower()]()))
        if name.lower() in {"advisorresources", "servicehealthresources", "healthresources"}:
            return Table(_COLUMNS, list(self._kept(name.lower())))
        if name.lower() in _EMPTY:
            return Table(_COLUMNS, [])
        raise QueryError("DisallowedLogicalTableName", f"Table {name} is invalid, unsupported or disallowed.")

    def _sees(self, scope: str, action: str) -> bool:
        subscription = subscription_of(scope).lower()
        return subscription in self.subscriptions and self.access.may(self.caller, action, scope)

    def _resources(self) -> Iterator[Json]:
        for resource in self.estate.resources.values():
            if "location" in resource.document and self._sees(resource.id, f"{resource.type}/read"):
                yield self._resource(resource)

    def _resource(self, resource: Resource) -> Json:
        document, parts = resource.document, resource.id.split("/")
        return {
            **dict.fromkeys(_COLUMNS),
            **{name: document.get(name) for name in _TAKEN},
            "id": resource.listed_id or resource.id,
            "name": document["name"],
            "type": resource.type.lower(),
            "kind": document.get("kind", ""),
            "managedBy": document.get("managedBy", ""),
            "tenantId": self.estate.tenant_of(parts[2]),
            "location": str(document["location"]).lower().replace(" ", ""),
            "resourceGroup": parts[4].lower(),
            "subscriptionId": parts[2],
            "properties": document.get("properties", {}),
        }

    def _configs(self) -> Iterator[Json]:
        """What App Service keeps of its apps, whose names begin with capitals here."""
        for resource in self.estate.resources.values():
            if resource.type.lower() == "microsoft.web/sites" and self._sees(resource.id, f"{resource.type}/read"):
                config = resource.properties.get("siteConfig", {})
                own = {f"{name[0].upper()}{name[1:]}": value for name, value in config.items()}
                about = {"id": f"{resource.id}/config/web", "name": f"{resource.document['name']}/web", "kind": ""}
                yield {**self._resource(resource), **about, "type": "microsoft.web/sites/config", "properties": own}

    def _containers(self) -> Iterator[Json]:
        for subscription in self.estate.subscriptions.values():
            if self._sees(subscription["id"], "Microsoft.Resources/subscriptions/read"):
                yield self._container(subscription, subscription["displayName"], "microsoft.resources/subscriptions")
        for group in self.estate.groups.values():
            if self._sees(group["id"], "Microsoft.Resources/subscriptions/resourceGroups/read"):
                kind = "microsoft.resources/subscriptions/resourcegroups"
                yield self._container(group, group["name"], kind, resourceGroup=group["name"].lower())

    def _container(self, document: Json, name: str, kind: str, **more: Any) -> Json:
        subscription = subscription_of(document["id"])
        return {
            **dict.fromkeys(_COLUMNS),
            "id": document["id"],
            "name": name,
            "type": kind,
            "tenantId": self.estate.tenant_of(subscription),
            "location": document.get("location", ""),
            "subscriptionId": subscription,
            "resourceGroup": "",
            "tags": document.get("tags"),
            "properties": document.get("properties") or {"state": document.get("state")},
            **more,
        }

    def _changes(self) -> Iterator[Json]:
        for change in self.estate.changes:
            if self._sees(change.target, f"{change.target_type}/read"):
                yield self._row_of(change)

    def _row_of(self, change: Change) -> Json:
        name = f"0858{invented_id('change', change.target, str(change.at)).replace('-', '')[:16]}"
        subscription, target = subscription_of(change.target), _as_changes_spell(change.target)
        return {
            **dict.fromkeys(_COLUMNS),
            "id": f"{target}/providers/Microsoft.Resources/changes/{name}",
            "name": name,
            "type": "microsoft.resources/changes",
            "tenantId": self.estate.tenant_of(subscription),
            "resourceGroup": change.target.split("/")[4].lower(),
            "subscriptionId": subscription,
            "properties": {
                "targetResourceId": target,
                "targetResourceType": change.target_type,
                "changeType": change.kind,
                "changeAttributes": _attributes(change),
                "changes": {path: _values(*values) for path, values in change.changes.items()},
            },
        }

    def _authorization(self) -> Iterator[Json]:
        for one in self.access.assignments:
            if self._sees(one.scope, "Microsoft.Authorization/roleAssignments/read"):
                yield self._assignment(one)
        for role in self.access.roles:
            yield self._role(role)

    def _assignment(self, one: Assignment) -> Json:
        properties = {
            "principalId": one.principal_id,
            "principalType": one.principal_kind,
            "roleDefinitionId": f"/providers/Microsoft.Authorization/RoleDefinitions/{one.role.id}",
            "scope": one.scope,
            "createdOn": shown(one.created),
        }
        kind, subscription = "microsoft.authorization/roleassignments", subscription_of(one.scope)
        about = {"id": one.id, "name": one.name, "type": kind, "subscriptionId": subscription}
        return {**dict.fromkeys(_COLUMNS), **about, "properties": properties}

    def _role(self, role: Role) -> Json:
        place = f"/providers/Microsoft.Authorization/RoleDefinitions/{role.id}"
        properties = {"roleName": role.name, "type": role.kind, "permissions": [role.permission]}
        about = {"id": place, "name": role.id, "type": "microsoft.authorization/roledefinitions"}
        return {**dict.fromkeys(_COLUMNS), **about, "properties": properties}

    def _kept(self, table: str) -> Iterator[Json]:
        for row in self.estate.rows.get(table, []):
            target = str(row["id"]).rpartition("/providers/")[0]
            own = row["subscriptionId"].lower()
            if not own or (own in self.subscriptions and self.access.sees(self.caller, target)):
                yield {**dict.fromkeys(_COLUMNS), **row}


def _attributes(change: Change) -> Json:
    """Nothing counts as changed of what came or went."""
    return {
        "previousResourceSnapshotId": "08584889383111245807_4592b6a0" if change.kind != "Create" else None,
        "newResourceSnapshotId": "08584889383111245807_7b1f0c3d",
        "correlationId": change.correlation or invented_id("correlation", change.target),
        "changedByType": change.by_type,
        "changesCount": len(change.changes),
        "clientType": change.client,
        "changedBy": change.by,
        "operation": f"{change.target_type}/{'delete' if change.kind == 'Delete' else 'write'}",
        "timestamp": shown(change.at),
    }


def _values(before: Any, after: Any) -> Json:
    def said(value: Any) -> str:
        return "null" if value is None else str(value)

    return {"previousValue": said(before), "newValue": said(after)}


def _as_changes_spell(target: str) -> str:
    """They write the type in small letters, and the rest as it is."""
    head, _, tail = target.rpartition("/providers/")
    namespace, *rest = tail.split("/")
    return "/".join(
        [
            f"{head}/providers/{namespace.lower()}",
            *(part.lower() if at % 2 == 0 else part for at, part in enumerate(rest)),
        ]
    )
