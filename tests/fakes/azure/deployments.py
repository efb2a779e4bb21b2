"""Deployments of groups and subscriptions, their operations, and templates made from what is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.long_running import LongRunning, Style, Work
from tests.fakes.azure.people import invented_id
from tests.fakes.azure.resources import shown
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route, paged
from tests.fakes.azure.templates import Template, Wanted
from tests.fakes.azure.what_ifs import WhatIfs

_PLACE: Final = "{scope}/providers/Microsoft.Resources/deployments"
# As `az` and older clients ask for operations.
_SHORT: Final = "{scope}/deployments/{name}/operations"
_TYPE: Final = "Microsoft.Resources/deployments"
_SCHEMA: Final = "https://schema.management.azure.com/schemas/2015-01-01/deploymentTemplate.json#"
_ACTIVE: Final = frozenset({"Accepted", "Running", "Validating"})
_KEPT: Final = ("name", "type", "kind", "location", "tags", "sku", "identity", "zones")


@dataclass
class Deployments:
    estate: Estate
    access: Access
    work: LongRunning
    page_size: int = 100
    # How what of these types is deployed fails.
    failing: dict[str, Json] = field(default_factory=dict)
    # The names under which something was deployed, one after the other.
    puts: list[str] = field(default_factory=list)
    _works: dict[str, Work] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.what_ifs = WhatIfs(self.estate)

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
            Route(f"POST {_PLACE}/{{name}}/whatIf", self._what_if, type=_TYPE),
            Route(f"POST {_PLACE}/{{name}}/cancel", self._cancel, type=_TYPE),
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
        template = self._checked(asked)
        self._demand_writes(asked, template)
        return self._document(asked, template, "Succeeded")

    def _what_if(self, asked: Asked) -> Reply:
        scope = asked.places["scope"]
        self.access.demand(asked, f"{_TYPE}/whatIf/action", scope)
        self._check_group(scope)
        properties: Json = asked.body["properties"]
        try:
            template = self._checked(asked)
            if properties.get("validationLevel", "Provider") == "Provider":
                self._demand_writes(asked, template)
        except AzureError as error:
            failed = {"status": "Failed", "error": error.reply.document["error"]}
            return self._later(asked, lambda: failed)
        return self._later(asked, lambda: self.what_ifs.of(template, properties.get("mode", "Incremental")))

    def _later(self, asked: Asked, finish: Callable[[], Json]) -> Reply:
        work = self.work.begin(finish)
        subscription = asked.places["scope"].split("/")[2]
        return Reply(
            status=202, headers=self.work.headers(asked, work, subscription, Style.LOCATION, "Microsoft.Resources")
        )

    def _checked(self, asked: Asked) -> Template:
        """The template, if the service finds nothing wrong with it by itself."""
        scope, given = asked.places["scope"], asked.body.get("properties", {})
        self._check_group(scope)
        if not re.fullmatch(r"[-\w.()]{1,64}", asked.places["name"]):
            raise AzureError(400, "InvalidDeploymentName", f"The deployment name '{asked.places['name']}' is invalid.")
        if len(scope.split("/")) == 3 and not asked.body.get("location"):
            raise AzureError(400, "LocationRequired", "The location property is required for this definition.")
        template = Template(scope, given.get("template") or {}, given.get("parameters") or {})
        template.check()
        return template

    def _demand_writes(self, asked: Asked, template: Template) -> None:
        for one in template.wanted(is_secret_known=True):
            self.access.demand(asked, f"{one.type}/write", one.id)

    def _put(self, asked: Asked) -> Reply:
        """Resources are made as they stand in the template, when the work on it is over."""
        scope = asked.places["scope"]
        self.access.demand(asked, f"{_TYPE}/write", scope)
        template = self._checked(asked)
        self._demand_writes(asked, template)
        key = deployment_id(scope, asked.places["name"]).lower()
        known = self.estate.deployments.get(key)
        self._refuse_known(known, asked)
        made = self._document(asked, template, "Running")
        self.estate.deployments[key], self.estate.operations[key] = made, []
        self.estate.templates[key] = asked.body["properties"].get("template", {})
        self.puts.append(asked.places["name"])
        work = self.work.begin(lambda: self._deploy(made, template))
        self._works[key] = work
        headers = self.work.headers(asked, work, scope.split("/")[2], Style.ASYNC_OPERATION, "Microsoft.Resources")
        return Reply(made, 200 if known else 201, headers)

    def _refuse_known(self, known: Json | None, asked: Asked) -> None:
        if known is None:
            return
        if known["properties"]["provisioningState"] in _ACTIVE:
            message = (
                f"Unable to edit or replace deployment '{known['name']}': previous deployment from '1/1/2026 8:00:00"
                " AM' is still active (expiration time is '1/8/2026 8:00:00 AM'). Please see"
                " https://aka.ms/arm-deploy for usage details."
            )
            raise AzureError(409, "DeploymentActive", message)
        if known.get("location", "") != asked.body.get("location", ""):
            message = f"Invalid deployment location '{asked.body.get('location')}'. It was '{known.get('location')}'."
            raise AzureError(400, "InvalidDeploymentLocation", message)

    def _deploy(self, made: Json, template: Template) -> Json:
        """Make what it wants, one after the other: what was made before one fails stays."""
        if made["properties"]["provisioningState"] not in _ACTIVE:
            return made
        for wanted in template.wanted(is_secret_known=True):
            error = self.failing.get(wanted.type) or self._lock_on(wanted.id)
            self._note(made, wanted.id, error)
            if error:
                return self._failed(made, error)
            self._make(wanted)
            made["properties"]["outputResources"].append({"id": wanted.id})
        if made["properties"]["mode"] == "Complete":
            named = {one.id.lower() for one in template.wanted(is_secret_known=True)}
            for one in [*self.estate.resources_within(template.scope)]:
                if not any(one.id.lower() == name or one.id.lower().startswith(f"{name}/") for name in named):
                    self.estate.remove(one.id)
        made["properties"] |= {"provisioningState": "Succeeded", "outputs": template.outputs}
        return made

    def _make(self, wanted: Wanted) -> None:
        now = datetime.now(UTC)
        key = wanted.id.lower()
        if wanted.type.lower() == "microsoft.resources/resourcegroups":
            self.estate.groups[key] = {
                **wanted.document,
                "id": wanted.id,
                "properties": {"provisioningState": "Succeeded"},
            }
            return
        known = self.estate.resources.get(key)
        before: Json = known.document if known else {}
        properties = {**before.get("properties", {}), **wanted.document.get("properties", {})}
        document = {**before, **wanted.document, "id": before.get("id", wanted.id)}
        document["name"] = wanted.id.rpartition("/")[2]
        document.pop("apiVersion", None)
        document["properties"] = {**properties, "provisioningState": "Succeeded"}
        self.estate.add(Resource(document, known.created if known else now, now))

    def _lock_on(self, scope: str) -> Json | None:
        held = [one for one in self.estate.locks_on(scope) if one["properties"]["level"] == "ReadOnly"]
        if not held:
            return None
        message = (
            f"The scope '{scope}' cannot perform write operation because following scope(s) are locked: '{scope}'."
        )
        return {"code": "ScopeLocked", "message": message}

    def _note(self, made: Json, target: str, error: Json | None) -> None:
        state = "Failed" if error else "Succeeded"
        entry = operation(made["id"], target, state, datetime.now(UTC), error=error)
        self.estate.operations[made["id"].lower()].append(entry)

    def _failed(self, made: Json, error: Json) -> Json:
        whole = {
            "code": "DeploymentFailed",
            "message": "At least one resource deployment operation failed. Please list deployment operations.",
            "details": [error],
        }
        made["properties"] |= {"provisioningState": "Failed", "error": whole}
        work = self._works[made["id"].lower()]
        work.error = whole
        return made

    def _cancel(self, asked: Asked) -> Reply:
        found = self._deployment(asked, "cancel/action")
        if found["properties"]["provisioningState"] not in _ACTIVE:
            message = f"The deployment '{found['name']}' cannot be cancelled, because it has ended."
            raise AzureError(409, "DeploymentCannotBeCancelled", message)
        found["properties"]["provisioningState"] = "Canceled"
        return Reply(status=204)

    def end(self) -> None:
        """Let all that is deployed come to its end."""
        for work in self._works.values():
            work.polls_left = 0
            work.poll()

    def _document(self, asked: Asked, template: Template, state: str) -> Json:
        given: Json = asked.body.get("properties", {})
        made = deployment(
            asked.places["scope"],
            asked.places["name"],
            state,
            datetime.now(UTC),
            mode=given.get("mode", "Incremental"),
            parameters=template.told_parameters,
            outputResources=[],
            providers=_providers(template),
        )
        more = {name: asked.body[name] for name in ("location", "tags") if name in asked.body}
        return {**made, **more}

    def _export(self, asked: Asked) -> Reply:
        group = f"/subscriptions/{asked.places['subscription']}/resourceGroups/{asked.places['group']}"
        self.access.demand(asked, "Microsoft.Resources/subscriptions/resourceGroups/exportTemplate/action", group)
        self._check_group(group)
        wanted = {str(one).lower() for one in asked.body.get("resources", ["*"])}
        found = [one for one in self.estate.resources_within(group) if "*" in wanted or one.id.lower() in wanted]
        work = self.work.begin(lambda: {"template": _template(found)})
        headers = self.work.headers(asked, work, asked.places["subscription"], Style.LOCATION, "Microsoft.Resources")
        return Reply(status=202, headers=headers)


def _providers(template: Template) -> list[Json]:
    """The types that the template itself names, nested deployments among them."""
    found = template.document["resources"]
    kinds: dict[str, list[Json]] = {}
    for one in found.values() if isinstance(found, dict) else found:
        namespace, _, kind = one["type"].partition("/")
        kinds.setdefault(namespace, []).append({"resourceType": kind, "locations": [None]})
    return [{"namespace": namespace, "resourceTypes": types} for namespace, types in kinds.items()]


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
