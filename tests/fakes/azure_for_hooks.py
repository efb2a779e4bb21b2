"""Azure Resource Manager, Microsoft Graph and a deployed app, as far as hooks ask them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from tests.fakes.azd import HOME_TENANT
from tests.fakes.billed_resources import BilledResources
from tests.fakes.deployed_app import LOGS_HOST, STORAGE_HOST, VAULT_HOST, DeployedApp
from tests.fakes.https import Asked, Certified, Told, certify, proxied

SUBSCRIPTION: Final = "5e1f0000-0000-4000-8000-000000000001"
GROUP: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg"
VAULT: Final = f"{GROUP}/providers/Microsoft.KeyVault/vaults/kv"
FUNCTION: Final = f"{GROUP}/providers/Microsoft.Web/sites/func"
PROVIDER: Final = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.App"
BUDGET: Final = "/resourceGroups/rg-team/providers/Microsoft.Consumption/budgets/azure-team-mcp-team"
MANAGER: Final = "management.azure.com"
GRAPH: Final = "graph.microsoft.com"
APP: Final = "func.azurewebsites.net"
REFERENCES: Final = f"{FUNCTION}/config/configreferences/appsettings"
APPLICATION_INSIGHTS: Final = "f5c26e74-f226-4ae8-85f0-b4af0080ac9e"
DATA_READ: Final = "c6d30a22-009b-43ce-a9e9-3ca625e7a3d4"
MASTER_KEY: Final = "master-key"
_TOKEN: Final = re.compile(r"Bearer token-(\d+)-for-([\w.]+)-of-(.+)")
_FILTER: Final = re.compile(
    r"(?:tags/any\(tag:startswith\(tag,'(?P<tag>.*)'\)\)|startswith\(displayName,'(?P<name>.*)'\))"
)


def error(status: int, code: str, message: str = "", **headers: str) -> Told:
    """An error as Azure tells it. It asks to be asked again at once, so that no test has to wait."""
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    return Told(
        status, body, {"Retry-After": "0", **{name.replace("_", "-"): value for name, value in headers.items()}}
    )


@dataclass
class Registered:
    """An application in Entra ID. Deleted, it keeps its name for 30 days."""

    id: str
    name: str
    tags: list[str] = field(default_factory=list)
    deleted: str | None = None

    def fits(self, filtered: str) -> bool:
        found = _FILTER.fullmatch(filtered)
        assert found, filtered
        if found["name"] is not None:
            return self.name.startswith(found["name"])
        return any(tag.startswith(found["tag"]) for tag in self.tags)


@dataclass
class AzureForHooks:
    tenant: str = HOME_TENANT
    # What its registration is when it is asked for, one time after the other; the last stays.
    provider: list[str] = field(default_factory=lambda: ["Registered"])
    secrets: dict[str, str] = field(default_factory=dict)
    # Resources of somebody else, by id, as they are answered.
    resources: dict[str, dict[str, Any]] = field(default_factory=dict)
    # What may be done on something, by its id; everything where nothing is said.
    permitted: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    app: DeployedApp = field(default_factory=lambda: DeployedApp(f"https://{APP}", MASTER_KEY))
    # What /health answers instead.
    health: bytes = b""
    regions: list[str] = field(default_factory=lambda: ["West Europe", "North Europe"])
    # Those that offer several zones.
    zoned: list[str] = field(default_factory=lambda: ["West Europe"])
    deleted_vaults: list[dict[str, Any]] = field(default_factory=list)
    # How many entries of a list one answer has.
    page: int = 100
    # The apps of the subscription, by their ids.
    sites: dict[str, dict[str, Any]] = field(default_factory=dict)
    budget_began: str = ""
    # What the references of the app to its vault are, by setting, and after how many refreshes they resolve.
    references: dict[str, str] = field(default_factory=dict)
    refreshes_needed: int = 0
    billed: BilledResources = field(default_factory=BilledResources)
    # Permissions of services, by the id of their application; nothing where the tenant lacks one.
    services: dict[str, dict[str, str]] = field(
        default_factory=lambda: {APPLICATION_INSIGHTS: {"Data.Read": DATA_READ}}
    )
    registrations: list[Registered] = field(default_factory=list)
    # The number of the oldest token that has not expired.
    oldest_token: int = 1
    asked: list[Asked] = field(default_factory=list)
    _faults: list[tuple[str, str, list[Told]]] = field(default_factory=list)

    def fail(self, method: str, part: str, *told: Told) -> None:
        """Tell this, in turn, whoever asks for an address with this part, before all is well."""
        self._faults.append((method, part, list(told)))

    def calls(self, method: str, part: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.method == method and part in asked.path]

    @contextmanager
    def serving(self, folder: Path) -> Iterator[dict[str, str]]:
        with proxied(_certified(folder), self._answer) as variables:
            yield variables

    def _answer(self, asked: Asked) -> Told:
        self.asked.append(asked)
        for method, part, told in self._faults:
            if told and asked.method == method and part in asked.path:
                return told.pop(0)
        if asked.host in (LOGS_HOST, STORAGE_HOST, VAULT_HOST):
            return self.app.elsewhere(asked)
        return self._answer_of_app(asked) if asked.host == APP else self._answer_of_service(asked)

    def _answer_of_app(self, asked: Asked) -> Told:
        if (asked.method, asked.path) == ("GET", "/health") and self.health:
            return Told(200, self.health)
        if (asked.method, asked.path) == ("POST", "/admin/functions/sync_updates_delta"):
            return Told(202 if asked.headers.get("x-functions-key") == MASTER_KEY else 401)
        return self.app(asked)

    def _answer_of_service(self, asked: Asked) -> Told:
        token = _TOKEN.fullmatch(asked.headers.get("authorization", ""))
        if token is None or token[2] != asked.host or token[3] != self.tenant:
            return self._challenge("InvalidAuthenticationTokenTenant", "The access token is from the wrong issuer.")
        if int(token[1]) < self.oldest_token:
            return self._challenge(
                "ExpiredAuthenticationToken", "The access token expiry UTC time is earlier than now."
            )
        path, _, query = asked.path.partition("?")
        given = dict(parse_qsl(query))
        if asked.host == GRAPH:
            return self._answer_of_graph(asked, path, given)
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", given.pop("api-version", "")):
            return error(400, "MissingApiVersionParameter")
        return self._answer_of_resource(asked, path, given)

    def _challenge(self, code: str, message: str) -> Told:
        challenge = f'Bearer authorization_uri="https://login.windows.net/{self.tenant}", error="invalid_token"'
        return error(401, code, message, WWW_Authenticate=challenge)

    def _answer_of_resource(self, asked: Asked, path: str, query: dict[str, str]) -> Told:
        if path.startswith(f"{VAULT}/secrets/"):
            return self._answer_of_vault(asked, path.rpartition("/")[2])
        if asked.method == "GET" and path in self.resources:
            return _json(self.resources[path])
        scope, _, rest = path.partition("/providers/Microsoft.Authorization/")
        if asked.method == "GET" and rest == "permissions":
            return _json({"value": self.permitted.get(scope, [{"actions": ["*"], "notActions": []}])})
        begin = int(query.pop("$skiptoken", 0))
        listed = self._lists.get((path, tuple(query.items())))
        if listed is not None and asked.method == "GET":
            return self._page(f"https://{MANAGER}{asked.path.partition('&$skiptoken')[0]}", listed, begin)
        answers: dict[str, Callable[[], Told]] = {
            f"GET /subscriptions/{SUBSCRIPTION}": lambda: _json({"tenantId": self.tenant}),
            f"GET {PROVIDER}": lambda: _json({"registrationState": self._registration()}),
            f"POST {PROVIDER}/register": lambda: _json({"registrationState": "Registering"}),
            f"POST {REFERENCES}/refresh": self._refreshed,
            f"GET {REFERENCES}": lambda: _json({"value": [_reference(*one) for one in self.references.items()]}),
            f"POST {FUNCTION}/host/default/listkeys": lambda: _json({"masterKey": MASTER_KEY, "functionKeys": {}}),
            f"GET /subscriptions/{SUBSCRIPTION}/resourceGroups/rg-team/resources": lambda: _json({"value": []}),
            f"GET {GROUP}/resources": lambda: _json({"value": []}),
            **self._billed(),
            **self.app.of_azure(FUNCTION, GROUP),
            **{f"GET {site}": partial(_json, described) for site, described in self.sites.items()},
        }
        told = answers.get(f"{asked.method} {path}")
        if self.budget_began and path.endswith(BUDGET):
            return _json({"properties": {"timePeriod": {"startDate": self.budget_began}}})
        return told() if told else error(404, "SubscriptionNotFound" if path.count("/") == 2 else "ResourceNotFound")

    def _billed(self) -> dict[str, Callable[[], Told]]:
        """By method and path: the resources of the group, and how each is read and deleted."""
        answers: dict[str, Callable[[], Told]] = {}
        for resource, found in self.billed.all.items():
            group = resource.partition("/providers/")[0]
            parent, _, kind = resource.rpartition("/")[0].rpartition("/")
            answers |= {
                f"GET {resource}": partial(_json, found),
                f"DELETE {resource}": partial(self._delete, resource),
                f"GET {group}/resources": partial(_json, {"value": list(self.billed.all.values())}),
                f"GET {parent}/{kind}": partial(_json, {"value": self.billed.below(parent)}),
            }
        return answers

    def _delete(self, resource: str) -> Told:
        user = self.billed.delete(resource)
        return error(400, "InUse", f"{resource} is in use by {user}") if user else Told(202)

    def _refreshed(self) -> Told:
        self.refreshes_needed -= 1
        if self.refreshes_needed <= 0:
            self.references = dict.fromkeys(self.references, "Resolved")
        return Told(204)

    def _page(self, address: str, listed: list[dict[str, Any]], begin: int) -> Told:
        end = begin + self.page
        following = {"nextLink": f"{address}&$skiptoken={end}"} if end < len(listed) else {}
        return _json({"value": listed[begin:end], **following})

    @property
    def _lists(self) -> dict[tuple[str, tuple[tuple[str, str], ...]], list[dict[str, Any]]]:
        """By the path after the subscription, and the query."""
        providers = f"/subscriptions/{SUBSCRIPTION}/providers"
        regions = [{"name": name, "properties": {"orgDomain": self._domains(name)}} for name in self.regions]
        return {
            (f"{providers}/Microsoft.Web/geoRegions", (("sku", "FlexConsumption"),)): regions,
            (f"{providers}/Microsoft.KeyVault/deletedVaults", ()): self.deleted_vaults,
            (f"{providers}/Microsoft.Web/sites", ()): list(self.sites.values()),
        }

    def _domains(self, region: str) -> str:
        return "PUBLIC;FLEXCONSUMPTION;FCZONEREDUNDANCY" if region in self.zoned else "PUBLIC;FLEXCONSUMPTION"

    def _answer_of_graph(self, asked: Asked, path: str, query: dict[str, str]) -> Told:
        if service := re.fullmatch(r"/v1\.0/servicePrincipals\(appId='(.+)'\)", path):
            return self._answer_of_service_principal(service[1])
        if asked.method == "GET":
            assert (asked.headers["consistencylevel"], query["$count"]) == ("eventual", "true")
            is_deleted = path == "/v1.0/directory/deletedItems/microsoft.graph.application"
            assert is_deleted or path == "/v1.0/applications"
            found = [one for one in self.registrations if (one.deleted is not None) == is_deleted]
            return _json({"value": [_shown(one) for one in found if one.fits(query["$filter"])]})
        return self._change_of_registration(asked.method, path)

    def _answer_of_service_principal(self, application: str) -> Told:
        if application not in self.services:
            return error(404, "Request_ResourceNotFound")
        permissions = self.services[application].items()
        return _json({"oauth2PermissionScopes": [{"id": one, "value": name} for name, one in permissions]})

    def _change_of_registration(self, method: str, path: str) -> Told:
        parts = path.removesuffix("/restore").split("/")
        one = next((one for one in self.registrations if one.id == parts[-1]), None)
        if one is None or (one.deleted is None) == ("deletedItems" in parts):
            return error(404, "Request_ResourceNotFound")
        if method == "POST" and path.endswith("/restore"):
            one.deleted = None
        elif "deletedItems" in parts:
            self.registrations.remove(one)
        else:
            one.deleted = "2026-11-21T08:00:00Z"
        return Told(200 if method == "POST" else 204, b"{}" if method == "POST" else b"")

    def _answer_of_vault(self, asked: Asked, name: str) -> Told:
        if asked.method == "PUT":
            self.secrets[name] = json.loads(asked.body)["properties"]["value"]
        return _json({"name": name}) if name in self.secrets else error(404, "SecretNotFound")

    def _registration(self) -> str:
        return self.provider.pop(0) if len(self.provider) > 1 else self.provider[0]


@cache
def _certified(folder: Path) -> Certified:
    return certify(folder / "certificate.pem", MANAGER, GRAPH, APP, STORAGE_HOST, VAULT_HOST, LOGS_HOST)


def _shown(one: Registered) -> dict[str, Any]:
    return {"id": one.id, "displayName": one.name, "tags": one.tags, "deletedDateTime": one.deleted}


def _reference(name: str, status: str) -> dict[str, Any]:
    return {"name": name, "properties": {"status": status, "secretName": name.lower().replace("_", "-")}}


def _json(content: dict[str, Any]) -> Told:
    return Told(200, json.dumps(content).encode(), {"Content-Type": "application/json"})
