"""Deployments of groups and subscriptions, their operations, and templates made from what is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.long_running import LongRunning, Style
from tests.fakes.azure.people import invented_id
from tests.fakes.azure.resources import shown
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route, paged

_PLACE: Final = "{scope}/providers/Microsoft.Resources/deployments"
# As `az` and older clients ask for operations.
_SHORT: Final = "{scope}/deployments/{name}/operations"
_TYPE: Final = "Microsoft.Resources/deployments"
_SCHEMA: Final = "https://schema.management.azure.com/schemas/2015-01-01/deploymentTemplate.json#"
_KEPT: Final = ("name", "type", "kind", "location", "tags", "sku", "identity", "zones")


@dataclass
class Deployments:
    estate: Estate
    access: Access
    work: LongRunning
    page_size: int = 100

    @property
    def routes(self) -> list[Route]:
        group = "/subscriptions/{subscription}/resourceGroups/{group}"
        return [
            Route(f"GET {_PLACE}", self._list, type=_TYPE),
            Route(f"GET {_PLACE}/{{name}}", self._get, type=_TYPE),
            Route(f"HEAD {_PLACE}/{{name}}", self._has, type=_TYPE),
            Route(f"PUT {_PLACE}/{{name}}", self._put, type=_TYPE),
            Route(f"GET {_PLACE}/{{name}}/operations", self._operations, type=_TYPE),
            Route(f"GET {_SHORT}", self._operations, type=_TYPE),
            Route(f"GET {_PLACE}/{{name}}/operations/{{operation}}", self._operation, type=_TYPE),
            Route(f"POST {_PLACE}/{{name}}/exportTemplate", self._template, type=_TYPE),
            Route(f"POST {_PLACE}/{{name}}/validate", self._validate, type=_TYPE),
            Route(
                f"POST {group}/exportTemplate", self._export, type="Microsoft.Resources/subscriptions/resourceGroups"
            ),
        ]

    def _list(self, asked: Asked) -> Json:
        scope = asked.places["scope"]
        self.access.demand(asked, f"{_TYPE}/read", scope)
        self._check_group(scope)
        place = f"{scope}/providers/microsoft.resources/deployments/".lower()
        found = [one for key, one in self.estate.deployments.items() if key.startswith(place)]
        return paged(asked, _wanted(found, asked.query.get("$filter", "")), self.page_size)

    def _check_group(self, scope: str) -> None:
        if len(scope.split("/")) > 3 and self.estate.group_of(scope) is None:
            raise AzureError(
                404, "ResourceGroupNotFound", f"Resource group '{scope.split('/')[4]}' could not be found."
            )

    def _deployment(self, asked: Asked, action: str) -> Json:
        scope, name = asked.places["scope"], asked.places["name"]
        self.access.demand(asked, f"{_TYPE}/{action}", scope)
        self._check_group(scope)
        found = self.estate.deployments.get(deployment_id(scope, name).lower())
        if found is None:
            raise AzureError(404, "DeploymentNotFound", f"Deployment '{name}' could not be found.")
        return found

    def _get(self, asked: Asked) -> Json:
        return self._deployment(asked, "read")

    def _has(self, asked: Asked) -> Reply:
        try:
            self._get(asked)
        except AzureError as error:
            return Reply(status=error.status)
        return Reply(status=204)

    def _operations(self, asked: Asked) -> Json:
        found = self._deployment(asked, "operations/read")
        return paged(asked, self.estate.operations.get(str(found["id"]).lower(), []), self.page_size)

    def _operation(self, asked: Asked) -> Json:
        found, name = self._deployment(asked, "operations/read"), asked.places["operation"]
        operations = self.estate.operations.get(str(found["id"]).lower(), [])
        wanted: Json | None = next((one for one in operations if one["operationId"] == name), None)
        if wanted is None:
            raise AzureError(404, "DeploymentOperationNotFound", f"Deployment operation '{name}' could not be found.")
        return wanted

    def _template(self, asked: Asked) -> Json:
        found = self._deployment(asked, "exportTemplate/action")
        return {"template": self.estate.templates.get(str(found["id"]).lower(), _template([]))}

    def _validate(self, asked: Asked) -> Json:
        self.access.demand(asked, f"{_TYPE}/validate/action", asked.places["scope"])
        return self._document(asked, "Succeeded")

    def _put(self, asked: Asked) -> Reply:
        """Resources are made as they stand in the template: its expressions are not evaluated."""
        scope = asked.places["scope"]
        self.access.demand(asked, f"{_TYPE}/write", scope)
        self._check_group(scope)
        made = self._document(asked, "Accepted")
        key = deployment_id(scope, asked.places["name"]).lower()
        is_new = key not in self.estate.deployments
        self.estate.deployments[key] = made
        self.estate.templates[key] = asked.body["properties"].get("template", {})

        def finish() -> Json:
            self._deploy(scope, made, self.estate.templates[key])
            return made

        work = self.work.begin(finish)
        headers = self.work.headers(asked, work, scope.split("/")[2], Style.ASYNC_OPERATION, "Microsoft.Resources")
        return Reply(made, 201 if is_new else 200, headers)

    def _deploy(self, scope: str, made: Json, template: Json) -> None:
        now = datetime.now(UTC)
        for one in template.get("resources", []):
            place = f"{scope}/providers/{one['type']}/{one['name']}"
            document = {**{name: one[name] for name in _KEPT if name in one}, "id": place}
            document["properties"] = {**one.get("properties", {}), "provisioningState": "Succeeded"}
            self.estate.add(Resource(document, now, now))
            made["properties"]["outputResources"].append({"id": place})
        made["properties"]["provisioningState"] = "Succeeded"

    def _document(self, asked: Asked, state: str) -> Json:
        given: Json = asked.body.get("properties", {})
        return deployment(
            asked.places["scope"],
            asked.places["name"],
            state,
            datetime.now(UTC),
            mode=given.get("mode", "Incremental"),
            parameters=given.get("parameters", {}),
            outputResources=[],
        )

    def _export(self, asked: Asked) -> Reply:
        group = f"/subscriptions/{asked.places['subscription']}/resourceGroups/{asked.places['group']}"
        self.access.demand(asked, "Microsoft.Resources/subscriptions/resourceGroups/exportTemplate/action", group)
        self._check_group(group)
        wanted = {str(one).lower() for one in asked.body.get("resources", ["*"])}
        found = [one for one in self.estate.resources_within(group) if "*" in wanted or one.id.lower() in wanted]
        work = self.work.begin(lambda: {"template": _template(found)})
        headers = self.work.headers(asked, work, asked.places["subscription"], Style.LOCATION, "Microsoft.Resources")
        return Reply(status=202, headers=headers)


def deployment_id(scope: str, name: str) -> str:
    return f"{scope}/providers/Microsoft.Resources/deployments/{name}"


def deployment(scope: str, name: str, state: str, at: datetime, **properties: Any) -> Json:
    place = deployment_id(scope, name)
    about = {
        "templateHash": str(UUID(invented_id("template", place)).int % 10**19),
        "mode": "Incremental",
        "provisioningState": state,
        "timestamp": shown(at),
        "duration": "PT48.7902S",
        "correlationId": invented_id("correlation", place),
        "providers": [],
        "dependencies": [],
        "parameters": {},
    }
    return {"id": place, "name": name, "type": _TYPE, "properties": {**about, **properties}}


def operation(place: str, target: str, state: str, at: datetime, *, error: Json | None = None) -> Json:
    """What a deployment did with one resource."""
    name = invented_id("operation", place, target).replace("-", "")[:16].upper()
    namespace, *rest = target.rpartition("/providers/")[2].split("/")
    kind, own_name = "/".join([namespace, *rest[::2]]), "/".join(rest[1::2])
    properties: Json = {
        "provisioningOperation": "Create",
        "provisioningState": state,
        "timestamp": shown(at),
        "duration": "PT35.0689S",
        "trackingId": invented_id("tracking", place, target),
        "statusCode": "Conflict" if error else "OK",
        "targetResource": {"id": target, "resourceType": kind, "resourceName": own_name},
    }
    if error:
        properties["statusMessage"] = {"status": "Failed", "error": error}
    return {"id": f"{place}/operations/{name}", "operationId": name, "properties": properties}


def _wanted(found: list[Json], text: str) -> list[Json]:
    _, equal, state = text.partition("provisioningState eq ")
    return [one for one in found if not equal or one["properties"]["provisioningState"] == state.strip(" '")]


def _template(resources: list[Resource]) -> Json:
    return {
        "$schema": _SCHEMA,
        "contentVersion": "1.0.0.0",
        "parameters": {},
        "variables": {},
        "resources": list(_exported(resources)),
    }


def _exported(resources: list[Resource]) -> Iterator[Json]:
    for resource in resources:
        kept: Json = {name: resource.document[name] for name in _KEPT if name in resource.document}
        properties = {name: value for name, value in resource.properties.items() if name != "provisioningState"}
        yield {**kept, "apiVersion": "2024-01-01", "properties": properties}
