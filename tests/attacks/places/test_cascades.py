"""What Azure deletes elsewhere with a resource is shown, and rules for it select the deletion."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

import pytest

from changes.preview import Preview
from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHOP
from tests.tools.azure.inventing import NAME
from tests.tools.azure.placing import requires, shown
from tests.tools.azure.resource_changes.scenes import SCENES, SITE, set_up
from tools.azure.settings import AzureSettings

Json = dict[str, Any]

CLUSTER: Final = f"{SHOP}/providers/Microsoft.ContainerService/managedClusters/shop-cluster"
NODES: Final = f"/subscriptions/{PRODUCTION}/resourceGroups/MC_shop_nodes"
DISK: Final = f"{NODES}/providers/Microsoft.Compute/disks/pvc-orders"
MACHINE: Final = f"{SHOP}/providers/Microsoft.Compute/virtualMachines/shop-till"
CARD: Final = f"{SHOP}/providers/Microsoft.Network/networkInterfaces/till-card"
ADDRESS: Final = f"{SHOP}/providers/Microsoft.Network/publicIPAddresses/till-address"
SYSTEM: Final = f"/subscriptions/{DEVELOPMENT}/resourceGroups/Oven-Dev/providers/Microsoft.Compute/disks/till-system"
DATA: Final = f"{SHOP}/providers/Microsoft.Compute/disks/till-data"
MARKED: Final = {"deleteOption": "Delete"}
PROFILES: Final = {
    "storageProfile": {
        "osDisk": {**MARKED, "managedDisk": {"id": SYSTEM}},
        "dataDisks": [{"deleteOption": "Detach", "managedDisk": {"id": DATA}}],
    },
    "networkProfile": {"networkInterfaces": [{"id": CARD, "properties": {"primary": True, **MARKED}}]},
}
INTERFACE: Final = {"ipConfigurations": [{"properties": {"publicIPAddress": {"id": ADDRESS, "properties": MARKED}}}]}


def add(azure: FakeAzure, resource: str, kind: str, **document: Any) -> None:
    site = azure.estate.resources[SITE.lower()]
    own = {"id": resource, "name": resource.rpartition("/")[2], "type": kind, "location": "westeurope", "tags": {}}
    azure.estate.add(replace(site, document={**own, "properties": {}, **document}))


@pytest.fixture
def azure() -> FakeAzure:
    azure = set_up(SCENES[0])
    azure.estate.locks.clear()
    group = azure.estate.groups[SHOP.lower()]
    nodes = {**group, "id": NODES, "name": "MC_shop_nodes", "managedBy": CLUSTER.upper(), "tags": {"team": "orders"}}
    azure.estate.groups[NODES.lower()] = nodes
    add(azure, CLUSTER, "Microsoft.ContainerService/managedClusters")
    add(azure, DISK, "Microsoft.Compute/disks", tags={"kubernetes": "yes"})
    add(azure, MACHINE, "Microsoft.Compute/virtualMachines", properties=PROFILES)
    add(azure, CARD, "Microsoft.Network/networkInterfaces", properties=INTERFACE)
    add(azure, ADDRESS, "Microsoft.Network/publicIPAddresses")
    add(azure, SYSTEM, "Microsoft.Compute/disks", tags={"system": "yes"})
    add(azure, DATA, "Microsoft.Compute/disks")
    return azure


def missing(preview: Preview, places: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [place for place in places if not requires(preview, *place)]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("delete_azure_resource", {"resource_id": CLUSTER}),
        ("change_azure", {"method": "DELETE", "path": CLUSTER}),
        ("delete_resource_group", {"resource_group": "shop-prod", "subscription": NAME}),
    ],
)
async def test_the_group_that_a_cluster_manages_is_deleted_with_it(
    azure: FakeAzure, tool: str, arguments: Json
) -> None:
    preview = await shown(azure, tool, arguments)
    assert preview.facts["groups deleted with it"] == ["MC_shop_nodes"]
    there = [("resource-group", "MC_*"), ("name", "pvc-orders"), ("tag:kubernetes", "yes"), ("tag:team", "orders")]
    assert missing(preview, there) == []
    assert "pvc-orders" in str(preview.facts["holds data that cannot be restored"])
    assert not requires(preview, "tag:unheard", "*")


async def test_what_is_marked_for_deletion_is_deleted_with_a_virtual_machine(azure: FakeAzure) -> None:
    preview = await shown(azure, "delete_azure_resource", {"resource_id": MACHINE})
    assert preview.facts["also deleted"] == [
        "Microsoft.Compute/disks till-system",
        "Microsoft.Network/networkInterfaces till-card",
        "Microsoft.Network/publicIPAddresses till-address",
    ]
    there = [("subscription", DEVELOPMENT), ("resource-group", "Oven-Dev"), ("tag:system", "yes"), ("name", "till-*")]
    assert missing(preview, there) == []
    assert not requires(preview, "name", "till-data")
    assert "till-system" in str(preview.facts["holds data that cannot be restored"])


async def test_what_is_marked_elsewhere_is_deleted_with_the_group_of_its_virtual_machine(azure: FakeAzure) -> None:
    preview = await shown(azure, "delete_resource_group", {"resource_group": "shop-prod", "subscription": NAME})
    assert preview.facts["also deleted"] == ["Microsoft.Compute/disks till-system"]
    assert requires(preview, "resource-group", "Oven-Dev")


async def test_a_disk_that_cannot_be_read_may_have_any_tag(azure: FakeAzure) -> None:
    del azure.estate.resources[SYSTEM.lower()]
    preview = await shown(azure, "delete_azure_resource", {"resource_id": MACHINE})
    assert [one for one in preview.missing if SYSTEM in one]
    assert missing(preview, [("name", "till-system"), ("tag:unheard", "*")]) == []


_DENIED: Final = troubles.failing(403, "AuthorizationFailed", "You may not.")


async def test_resources_in_a_managed_group_that_cannot_be_listed_may_have_any_name(azure: FakeAzure) -> None:
    azure.places[f"{NODES}/resources"] = _DENIED
    preview = await shown(azure, "delete_azure_resource", {"resource_id": CLUSTER})
    assert missing(preview, [("name", "any"), ("tag:unheard", "*"), ("resource-group", "MC_*")]) == []
    assert preview.missing


def namespace_of(azure: FakeAzure) -> str:
    return next(one.id for one in azure.estate.resources.values() if one.type == "Microsoft.ServiceBus/namespaces")


async def test_queues_that_cannot_be_listed_may_have_any_name(azure: FakeAzure) -> None:
    namespace = namespace_of(azure)
    azure.places[f"{namespace}/queues"] = _DENIED
    preview = await shown(azure, "delete_azure_resource", {"resource_id": namespace})
    assert requires(preview, "name", "any")


async def test_the_queues_of_a_deleted_namespace_have_names(azure: FakeAzure) -> None:
    namespace = namespace_of(azure)
    preview = await shown(azure, "delete_azure_resource", {"resource_id": namespace})
    queue = re.search(r"queue (\S+) of", str(preview.facts["they contain"]))
    assert queue is not None
    assert requires(preview, "name", queue[1])


async def test_nothing_is_unknown_where_only_a_group_may_be_reached(azure: FakeAzure) -> None:
    settings = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({f"{PRODUCTION}/shop-prod"}))
    preview = await shown(azure, "delete_azure_resource", {"resource_id": CARD}, settings=settings)
    assert not [one for one in preview.missing if "groups" in one]
