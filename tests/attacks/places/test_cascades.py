"""What Azure deletes elsewhere with a resource is shown, and rules for it select the deletion."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

import pytest

from changes.approval_request import RequiredApprover
from changes.preview import Preview
from changes.rule import Rule
from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHOP
from tests.tools.azure.inventing import NAME
from tests.tools.azure.placing import requires, shown
from tests.tools.azure.resource_changes.scenes import SCENES, SITE, set_up
from tools.azure.resource_changes import cascade
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


def is_waived(preview: Preview) -> bool:
    """Whether nobody has to approve it, by a rule about the group from which it is deleted."""
    return Rule(RequiredApprover.NOBODY, places={"resource-group": ["shop-prod"]}).fits(preview)


_OF_GROUP: Final = {"resource_group": "shop-prod", "subscription": NAME}


@pytest.mark.parametrize("unread", [MACHINE, CLUSTER])
async def test_a_machine_or_cluster_that_cannot_be_read_may_take_anything_with_it(
    azure: FakeAzure, unread: str
) -> None:
    azure.places[unread] = _DENIED
    preview = await shown(azure, "delete_resource_group", _OF_GROUP)
    assert preview.missing
    assert not is_waived(preview)


async def test_if_there_are_groups_that_are_not_read_anything_may_be_deleted(
    azure: FakeAzure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cascade, "_MOST_GROUPS", 1)
    preview = await shown(azure, "delete_azure_resource", {"resource_id": CARD})
    assert not is_waived(preview)


async def test_a_group_out_of_scope_that_a_cluster_names_is_deleted_with_it(azure: FakeAzure) -> None:
    azure.estate.resources[CLUSTER.lower()].document["properties"] = {"nodeResourceGroup": "MC_shop_nodes"}
    settings = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({f"{PRODUCTION}/shop-prod"}))
    preview = await shown(azure, "delete_azure_resource", {"resource_id": CLUSTER}, settings=settings)
    assert missing(preview, [("resource-group", "MC_*"), ("tag:unheard", "*"), ("name", "any")]) == []
    assert not is_waived(preview)


async def test_groups_that_a_resource_in_a_managed_group_manages_are_deleted_too(azure: FakeAzure) -> None:
    inner = f"{NODES}/providers/Microsoft.Databricks/workspaces/inner"
    third = f"/subscriptions/{PRODUCTION}/resourceGroups/third"
    add(azure, inner, "Microsoft.Databricks/workspaces", properties={"managedResourceGroupId": third})
    add(azure, MACHINE.replace(SHOP, NODES), "Microsoft.Compute/virtualMachines", properties=PROFILES)
    azure.estate.groups[third.lower()] = {**azure.estate.groups[NODES.lower()], "id": third, "name": "third"}
    azure.estate.groups[third.lower()]["managedBy"] = inner
    add(azure, f"{third}/providers/Microsoft.Compute/disks/deep", "Microsoft.Compute/disks")
    preview = await shown(azure, "delete_azure_resource", {"resource_id": CLUSTER})
    assert preview.facts["groups deleted with it"] == ["MC_shop_nodes", "third"]
    assert missing(preview, [("name", "deep"), ("name", "till-system"), ("resource-group", "Oven-Dev")]) == []


async def test_a_long_chain_of_groups_may_lead_anywhere(azure: FakeAzure) -> None:
    manager = CLUSTER
    for number in range(8):
        group = f"{NODES}-{number}"
        own = {"id": group, "name": group.rpartition("/")[2], "managedBy": manager}
        azure.estate.groups[group.lower()] = {**azure.estate.groups[NODES.lower()], **own}
        manager = f"{group}/providers/Microsoft.Databricks/workspaces/next"
        add(azure, manager, "Microsoft.Databricks/workspaces")
    preview = await shown(azure, "delete_azure_resource", {"resource_id": CLUSTER})
    assert requires(preview, "subscription", "Anything")


async def test_an_address_elsewhere_is_deleted_with_the_group_of_its_machine(azure: FakeAzure) -> None:
    there = ADDRESS.replace(SHOP, NODES.replace("MC_shop_nodes", "Oven-Prod"))
    ways = [{"properties": {"publicIPAddress": {"id": there, "properties": MARKED}}}]
    azure.estate.resources[CARD.lower()].document["properties"] = {"ipConfigurations": ways}
    add(azure, there, "Microsoft.Network/publicIPAddresses")
    preview = await shown(azure, "delete_resource_group", _OF_GROUP)
    assert "till-address" in str(preview.facts["also deleted"])
    assert "till-card" not in str(preview.facts["also deleted"])


async def test_an_address_is_not_deleted_with_its_interface_alone(azure: FakeAzure) -> None:
    preview = await shown(azure, "delete_azure_resource", {"resource_id": CARD})
    assert preview.facts["also deleted"] == []


async def test_the_same_is_shown_whichever_answer_comes_first(azure: FakeAzure) -> None:
    disks = [f"{SYSTEM}-{number:03}" for number in range(100)]
    for number in range(10):
        own = [{**MARKED, "managedDisk": {"id": one}} for one in disks[number::10]]
        profile = {"storageProfile": {"dataDisks": own}}
        add(azure, f"{MACHINE}-{number}", "Microsoft.Compute/virtualMachines", properties=profile)
    for one in disks:
        add(azure, one, "Microsoft.Compute/disks")
    first, second = [await shown(azure, "delete_resource_group", _OF_GROUP) for _ in range(2)]
    assert first.bound == second.bound
    assert "other resources that are deleted with it" in str(first.missing)


async def test_an_entry_of_a_list_with_an_odd_id_prevents_no_deletion(azure: FakeAzure) -> None:
    azure.estate.resources[DATA.lower()].document["id"] = f"{SHOP}/providers/Microsoft.Compute/disks/a%b"
    preview = await shown(azure, "delete_resource_group", _OF_GROUP)
    assert "MC_shop_nodes" in str(preview.facts)


async def test_nothing_is_unknown_where_only_a_group_may_be_reached(azure: FakeAzure) -> None:
    settings = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({f"{PRODUCTION}/shop-prod"}))
    preview = await shown(azure, "delete_azure_resource", {"resource_id": CARD}, settings=settings)
    assert not [one for one in preview.missing if "groups" in one]
