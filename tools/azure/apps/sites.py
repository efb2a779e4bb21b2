"""Shows the configuration of web and function apps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final

from clients.azure.apps import parts
from clients.azure.apps.finding import AzureApp
from clients.azure.apps.settings import names_of, vault_references
from clients.azure.apps.sorts import SITE
from clients.azure.client import Azure
from clients.azure.messages import ListPage
from clients.azure.times import to_seconds
from tools.azure.apps.app_parameters import hosts, own_name, runtime, state
from tools.azure.shared.answers import Json, at, present, shape
from tools.azure.shared.parallel_reads import gathered

_RESOLVED: Final = "resolved"
_CONFIGURED: Final = shape(
    health_check="healthCheckPath",
    always_on="alwaysOn",
    minimum_tls="minTlsVersion",
    ftp="ftpsState",
    command="appCommandLine",
    deployed_by="scmType",
    least_instances="minimumElasticInstanceCount",
    most_instances="functionAppScaleLimit",
    auto_heal="autoHealEnabled",
    swaps_into="autoSwapSlotName",
)


async def details(azure: Azure, app: AzureApp, *, with_settings: bool) -> Json:
    found, not_read = await gathered(_reads(azure, app, with_settings=with_settings))
    configured = found.get("configuration", {}).get("properties") or {}
    return {
        **_own(app),
        "runtime": runtime(app.record, configured),
        **_CONFIGURED(configured),
        "plan": _plan(found.get("plan")),
        "slots": [_slot(one) for one in _items(found, "slots")],
        "functions": [_function(one) for one in _items(found, "functions")],
        "settings": found.get("settings"),
        "connection_strings": found.get("connection_strings"),
        "vault_references": [reference(one) for one in _items(found, "vault references")],
        "notRead": not_read,
    }


def _reads(azure: Azure, app: AzureApp, *, with_settings: bool) -> dict[str, Callable[[], Awaitable[Any]]]:
    place, plan = app.id, str(app.properties.get("serverFarmId") or "")
    every: dict[str, Callable[[], Awaitable[Any]]] = {
        "configuration": partial(parts.configuration, azure, place),
        "vault references": partial(vault_references, azure, place),
    }
    if plan:
        every["plan"] = partial(parts.plan, azure, plan)
    if SITE.has(place):
        every["slots"] = partial(parts.slots, azure, place)
    if app.kind == "function app":
        every["functions"] = partial(parts.functions, azure, place)
    if with_settings:
        every["settings"] = partial(names_of, azure, place, "appsettings")
        every["connection_strings"] = partial(names_of, azure, place, "connectionstrings")
    return every


def _own(app: AzureApp) -> Json:
    found = app.properties
    return {
        "hosts": hosts(app.record),
        "identity": at(app.record, "identity.type"),
        "enabled": None if found.get("enabled") else found.get("enabled"),
        "https_only": found.get("httpsOnly"),
        "public_network_access": found.get("publicNetworkAccess"),
        "subnet": found.get("virtualNetworkSubnetId"),
        "changed": to_seconds(found.get("lastModifiedTimeUtc")),
        "scale": at(found, "functionAppConfig.scaleAndConcurrency"),
        "instance_memory": found.get("containerSize") or None,
        "suspended_until": found.get("suspendedTill"),
    }


def _plan(record: Mapping[str, Any] | None) -> Json:
    found = record or {}
    return present(
        {
            "name": found.get("name"),
            "sku": at(found, "sku.name"),
            "instances": at(found, "sku.capacity"),
            "apps": at(found, "properties.numberOfSites"),
            "state": at(found, "properties.status"),
            "zone_redundant": at(found, "properties.zoneRedundant"),
        }
    )


def _slot(record: Mapping[str, Any]) -> Json:
    return present({"name": own_name(record.get("name")), "state": state(record), "hosts": hosts(record)})


def _function(record: Mapping[str, Any]) -> Json:
    bindings = at(record, "properties.config.bindings") or ()
    kinds = [str(at(one, "type")) for one in bindings if isinstance(one, Mapping)]
    trigger = next((kind.removesuffix("Trigger") for kind in kinds if kind.endswith("Trigger")), None)
    disabled = at(record, "properties.isDisabled") or None
    return present({"name": own_name(record.get("name")), "trigger": trigger, "disabled": disabled})


def reference(record: Mapping[str, Any]) -> Json:
    """Describe a setting's reference to a secret, and why Azure cannot resolve it. Never return the secret."""
    found = record.get("properties") or {}
    status = str(found.get("status") or "")
    return present(
        {
            "setting": own_name(record.get("name")),
            "vault": found.get("vaultName"),
            "secret": found.get("secretName"),
            "status": status,
            "why": found.get("details") if status.lower() != _RESOLVED else None,
        }
    )


def _items(found: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    page = found.get(name)
    return page.items if isinstance(page, ListPage) else []
