"""Finds resources that are left over from options that were turned off. A deployment does not delete leftover
resources, and Azure still bills them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from azure_lookups import SITES_VERSION, group_of
from hook import Deployment
from resource_manager import entries
from waiting import Wait, ask_until
from web import BUSY

GONE = 404
# Azure also returns these status codes if a resource is still in use, for example by another resource that is being
# deleted.
BUSY_OR_IN_USE = BUSY | {400, 409}
SECONDS_TO_GO = 300
RESOURCES_VERSION = "2021-04-01"
NETWORK_VERSION = "2024-07-01"
ZONES_VERSION = "2024-06-01"
TRANSLATOR_VERSION = "2024-10-01"
AGAIN = "Run 'azd hooks run postprovision' to repeat this check and the question."
STILL_NEEDED = (
    "The app is still in the network and needs these resources to reach its storage, so nothing was deleted. Disconnect"
    f" the app first: in the portal under 'Networking' > 'Virtual network integration', select 'Disconnect'. {AGAIN}"
)


@dataclass(frozen=True)
class Leftover:
    """A resource that no option needs anymore, and its cost in US dollars (East US, November 2026)."""

    id: str
    cost: str

    @property
    def kind(self) -> str:
        return _kind(self.id)


@dataclass(frozen=True)
class Kind:
    """A resource type: the cost of a resource, and a function that checks whether any option still needs it."""

    is_needed: Callable[[Deployment, str], bool]
    cost: str
    version: str


def _fixed_address(deployment: Deployment, _name: str) -> bool:
    return deployment.is_on("VNET_ENABLED") and deployment.is_on("FIXED_OUTGOING_ADDRESS")


def _endpoint(deployment: Deployment, name: str) -> bool:
    option = {
        "sites": "APP_PRIVATE_ENDPOINT",
        "account": "TRANSLATOR_ENABLED",
        "Sql": "COSMOS_PRIVATE_ENDPOINT",
    }.get(name.rpartition("-")[2], "VNET_ENABLED")
    return deployment.is_on("VNET_ENABLED") and deployment.is_on(option)


def _zone(deployment: Deployment, _name: str) -> bool:
    return deployment.is_on("VNET_ENABLED") and not deployment.value("OWN_DNS_ZONES_GROUP_ID")


def _translator(deployment: Deployment, _name: str) -> bool:
    return deployment.is_on("TRANSLATOR_ENABLED")


ENDPOINT, ZONE = "microsoft.network/privateendpoints", "microsoft.network/privatednszones"
# These types are in the order of deletion, because Azure deletes a resource only if no other resource uses it.
KINDS = {
    ENDPOINT: Kind(_endpoint, "$7.30 a month", NETWORK_VERSION),
    ZONE: Kind(_zone, "$0.50 a month", ZONES_VERSION),
    "microsoft.network/natgateways": Kind(_fixed_address, "$32.85 a month", NETWORK_VERSION),
    "microsoft.network/publicipaddresses": Kind(_fixed_address, "$3.65 a month", NETWORK_VERSION),
    "microsoft.cognitiveservices/accounts": Kind(_translator, "$10 for each million characters", TRANSLATOR_VERSION),
}


def remove_leftovers(deployment: Deployment) -> None:
    found = sorted(_leftovers(deployment), key=lambda one: list(KINDS).index(one.kind))
    if not found:
        return
    listed = "".join(f"\n  {one.id}  {one.cost}" for one in found)
    print(f"These resources belong to options that are off, but Azure still charges for them:{listed}", flush=True)
    if _app_needs_them(deployment, found):
        print(STILL_NEEDED, flush=True)
    elif _is_confirmed():
        for one in found:
            _remove(deployment, one)
    else:
        print(f"Nothing was deleted. {AGAIN}", flush=True)


def _leftovers(deployment: Deployment) -> Iterator[Leftover]:
    """Yield the leftover resources that have this environment's tag. The operator's own resources have no such tag."""
    path = f"{deployment.subscription}/resourceGroups/{group_of(deployment)}/resources"
    pages = list(deployment.azure.pages(path, RESOURCES_VERSION))
    if not pages[-1].is_good:
        print(f"Could not list the resources that earlier options created ({pages[-1].said}). {AGAIN}", flush=True)
        return
    for found in (entry for page in pages for entry in entries(page)):
        kind, name = str(found.get("type")).lower(), str(found.get("name"))
        known = KINDS.get(kind)
        if known and _is_ours(deployment, found) and not known.is_needed(deployment, name):
            yield Leftover(str(found.get("id")), known.cost)


def _is_ours(deployment: Deployment, found: dict[str, Any]) -> bool:
    tags = found.get("tags")
    return isinstance(tags, dict) and tags.get("azd-env-name") == deployment.value("AZURE_ENV_NAME")


def _app_needs_them(deployment: Deployment, found: list[Leftover]) -> bool:
    """Whether the app still needs the private endpoints or DNS zones that were found.

    While the app is in the network, it needs these endpoints and zones. If they were deleted, the names of services
    would still resolve to the addresses of the deleted private endpoints.
    """
    if deployment.is_on("VNET_ENABLED") or not any(one.kind in (ENDPOINT, ZONE) for one in found):
        return False
    answer = deployment.azure.get(deployment.value("AZURE_FUNCTION_ID"), SITES_VERSION)
    return not answer.is_good or bool((answer.content.get("properties") or {}).get("virtualNetworkSubnetId"))


def _remove(deployment: Deployment, one: Leftover) -> None:
    version = KINDS[one.kind].version
    if one.kind == ZONE:
        for link in entries(deployment.azure.get(f"{one.id}/virtualNetworkLinks", version)):
            _delete(deployment, str(link.get("id")), version)
    _delete(deployment, one.id, version)


def _delete(deployment: Deployment, path: str, version: str) -> None:
    answer = deployment.azure.ask("DELETE", path, version, again=BUSY_OR_IN_USE)
    if answer.is_good:
        answer = ask_until(
            lambda one: one.status == GONE,
            lambda: deployment.azure.get(path, version),
            Wait(f"the end of {path}", SECONDS_TO_GO, 5),
            deployment.clock,
        )
    if answer.status == GONE:
        print(f"Deleted {path}.", flush=True)
    else:
        print(f"Azure did not delete {path} ({answer.said}). {AGAIN}", flush=True)


def _is_confirmed() -> bool:
    if not sys.stdin.isatty():
        return False
    return input("Delete these resources permanently? [y/N] ").strip().lower() in ("y", "yes")


def _kind(resource: str) -> str:
    provider, kind = resource.rpartition("/providers/")[2].split("/")[:2]
    return f"{provider}/{kind}".lower()
