"""The invented bakery: what it runs on Azure, who may do what there, what was deployed, and what changed lately."""

from __future__ import annotations

import pickle
import re
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.fakes.azure import access, people
from tests.fakes.azure.access import Access, Assignment
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.people import HOME, PARTNER, invented_id
from tests.fakes.azure.resources import shown
from tests.fakes.azure.routes import Json

_FILE: Final = Path(__file__).with_name("bakery.yaml")
_TENANTS: Final = {"home": HOME, "partner": PARTNER}
PRODUCTION: Final = invented_id("subscription", "Bakery Production")
DEVELOPMENT: Final = invented_id("subscription", "Bakery Development")
SHARED: Final = invented_id("subscription", "Bakery Shared")
MILL: Final = invented_id("subscription", "Mill Partner")
SHOP: Final = f"/subscriptions/{PRODUCTION}/resourceGroups/shop-prod"
OVEN: Final = f"/subscriptions/{PRODUCTION}/resourceGroups/oven-prod"


def bakery(now: datetime) -> Estate:
    written = _written()
    estate = Estate({HOME: "Bakery", PARTNER: "Mill"})
    for one in written["subscriptions"]:
        subscription = _subscription(one)
        estate.subscriptions[subscription["subscriptionId"]] = subscription
    for group in written["groups"]:
        _add_group(estate, group, now)
    ids = _ids(estate)
    for resource in estate.resources.values():
        subscription_id = resource.id.split("/")[2]
        resource.document = _resolved(resource.document, ids[subscription_id], now)
        if resource.type == "Microsoft.Storage/storageAccounts":
            resource.properties["primaryEndpoints"] = _endpoints(str(resource.document["name"]))
    estate.unregistered.add((DEVELOPMENT, "Microsoft.EventHub"))
    return estate


def _written() -> Json:
    """What the file says, new each time, because each bakery changes it."""
    written: Json = pickle.loads(_read())  # noqa: S301 - this module pickled it
    return written


@cache
def _read() -> bytes:
    """Many tests have a bakery of their own, and reading the file takes longer than most of them."""
    return pickle.dumps(yaml.safe_load(_FILE.read_text(encoding="utf-8")))


def rights(now: datetime) -> Access:
    given = now - timedelta(days=200)

    def assigned(role: access.Role, who: people.Principal | people.Group, scope: str) -> Assignment:
        kind = who.kind if isinstance(who, people.Principal) else "Group"
        return Assignment(role, who.id, kind, scope, given, people.OWNER.id)

    home = [f"/subscriptions/{one}" for one in (PRODUCTION, DEVELOPMENT, SHARED)]
    return Access(
        assignments=[
            *(assigned(access.OWNER_ROLE, people.OWNER, scope) for scope in (*home, f"/subscriptions/{MILL}")),
            *(assigned(access.VAULT_ADMINISTRATOR, people.OWNER, scope) for scope in home),
            assigned(access.BLOB_CONTRIBUTOR, people.OWNER, home[0]),
            assigned(access.READER_ROLE, people.OPERATORS, home[0]),
            assigned(access.WEBSITE_CONTRIBUTOR, people.OPERATORS, SHOP),
            assigned(access.CONTRIBUTOR, people.DEVELOPER, home[1]),
            assigned(access.VAULT_READER, people.DEVELOPER, f"{SHOP}/providers/Microsoft.KeyVault/vaults/shop-secrets"),
            assigned(access.READER_ROLE, people.READER, SHOP),
            assigned(access.DEPLOYER, people.PIPELINE, home[0]),
            assigned(access.MONITORING_READER, people.AUDITORS, home[0]),
        ],
        eligible=[assigned(access.CONTRIBUTOR, people.DEVELOPER, SHOP)],
    )


def _subscription(one: Json) -> Json:
    name = invented_id("subscription", one["name"])
    tenant = _TENANTS[one["tenant"]]
    policies = {"locationPlacementId": "Public_2014-09-01", "quotaId": "PayAsYouGo_2014-09-01", "spendingLimit": "Off"}
    return {
        "id": f"/subscriptions/{name}",
        "authorizationSource": "RoleBased",
        "managedByTenants": [],
        "tags": one["tags"],
        "subscriptionId": name,
        "tenantId": tenant,
        "displayName": one["name"],
        "state": "Enabled",
        "subscriptionPolicies": policies,
    }


def _endpoints(account: str) -> dict[str, str]:
    services = ("blob", "queue", "table", "file", "dfs", "web")
    return {service: f"https://{account}.{service}.core.windows.net/" for service in services}


def _add_group(estate: Estate, group: Json, now: datetime) -> None:
    scope = f"/subscriptions/{invented_id('subscription', group['subscription'])}/resourceGroups/{group['name']}"
    location = group.get("location", "westeurope")
    estate.groups[scope.lower()] = {
        "id": scope,
        "name": group["name"],
        "type": "Microsoft.Resources/resourceGroups",
        "location": location,
        "tags": group["tags"],
        "properties": {"provisioningState": "Succeeded"},
    }
    for one in group["resources"]:
        estate.add(_resource(scope, location, one, now))


def add_to_group(estate: Estate, group: str, one: Json, now: datetime) -> Resource:
    """A further resource, written as in the file of the bakery."""
    place = next(found for found in estate.groups.values() if found["name"] == group)
    resource = estate.add(_resource(place["id"], place["location"], one, now))
    resource.document = _resolved(resource.document, _ids(estate)[resource.id.split("/")[2]], now)
    return resource


def _resource(scope: str, location: str, one: Json, now: datetime) -> Resource:
    namespace, *kinds = one["type"].split("/")
    place = f"{scope}/providers/{namespace}" + "".join(
        f"/{kind}/{name}" for kind, name in zip(kinds, one["name"].split("/"), strict=True)
    )
    own = {name: value for name, value in one.items() if name not in {"age", "changed", "group", "spelled_group"}}
    is_child = len(kinds) > 1 and one["type"] not in {"Microsoft.Sql/servers/databases", "Microsoft.Web/sites/slots"}
    where: Json = {} if is_child else {"location": location}
    tracked: Json = {} if is_child else {"tags": {}}
    name = one["name"].rpartition("/")[2] if is_child or "databases" in one["type"] else one["name"]
    document = {"id": place, "name": name, "type": one["type"], **where, **tracked, **own}
    document |= {"name": name, "properties": {"provisioningState": "Succeeded", **own.get("properties", {})}}
    listed = _as_listed(place, scope.rpartition("/")[2], one.get("spelled_group", ""))
    created, changed = now - timedelta(days=one.get("age", 120)), now - timedelta(days=one.get("changed", 30), hours=2)
    return Resource(document, created, changed, listed)


def _as_listed(place: str, group: str, spelled: str) -> str:
    """Some services shout the group in the list of all resources, and some write small what others do not."""
    if "/providers/microsoft." in place:
        return place.replace("/resourceGroups/", "/resourcegroups/")
    return place.replace(f"/{group}/", f"/{spelled}/") if spelled else ""


def _ids(estate: Estate) -> dict[str, dict[str, str]]:
    """The ids of resources by their names, for each subscription."""
    found: dict[str, dict[str, str]] = {name: {} for name in estate.subscriptions}
    for resource in estate.resources.values():
        found[resource.id.split("/")[2]][str(resource.document["name"])] = resource.id
    return found


def _resolved(value: Any, ids: dict[str, str], now: datetime) -> Any:
    if isinstance(value, dict):
        return {name: _resolved(_tenant(name, one), ids, now) for name, one in value.items()}
    if isinstance(value, list):
        return [_resolved(one, ids, now) for one in value]
    if isinstance(value, str) and value.startswith("@"):
        name, slash, rest = value[1:].partition("/")
        return f"{ids[name]}{slash}{rest}"
    if isinstance(value, str) and (found := re.fullmatch(r"\^([+-]\d+)d", value)):
        return shown(now + timedelta(days=int(found[1])))
    return value


def _tenant(name: str, value: Any) -> Any:
    return _TENANTS.get(value, value) if name == "tenantId" else value
