"""Changes of groups and resources as a team makes them: shown, agreed to by another, done once, or not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from refusal import Refusal
from tests.fakes.azure import troubles
from tests.fakes.azure.estate import Resource
from tests.fakes.azure.people import READER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident
from tests.fakes.azure.world import DEVELOPMENT, OVEN, SHOP
from tests.mcp_server.caller import Caller
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.resource_changes.places import OVEN_LOCK, SITE, WEB, changes
from tests.tools.azure.team import ASKING, Team, team
from tools.azure.settings import AzureSettings


async def test_a_group_with_a_lock_is_kept_until_another_agrees_to_lift_it(azure: FakeAzure, a_team: Team) -> None:
    azure.tags_and_locks.lock(OVEN, "CanNotDelete", "still", "Ask Grace.")
    ada = a_team.member("ada")
    told = await refused(ada, "delete_resource_group", resource_group="oven-prod")
    assert "because of these locks" in told
    assert f"'still' (CanNotDelete) on {OVEN}" in told
    assert "'Owner' or 'User Access Administrator'" in told
    lifting = await refused(ada, "delete_resource_lock", lock_id=OVEN_LOCK)
    assert "Another person must approve" in lifting
    with pytest.raises(Refusal, match="another person must decide"):
        await a_team.decides("ada", lifting)
    await a_team.decides("bea", lifting)
    assert (await answered(ada, "delete_resource_lock", lock_id=OVEN_LOCK))["status"] == "done"
    again = await refused(ada, "delete_resource_group", resource_group="oven-prod")
    assert "cannot be restored" in again
    assert changes(azure) == [f"DELETE {OVEN_LOCK}"]


async def test_a_group_is_shown_with_everything_in_it_and_deleted_when_another_agrees(
    azure: FakeAzure, a_team: Team
) -> None:
    ada = a_team.member("ada")
    told = await refused(ada, "azure_resource_delete", resource_group="oven-prod")
    shown = await a_team.shown(told)
    assert shown.facts["resources in it"] == 15
    assert "Microsoft.App/containerApps (2): oven-api, oven-worker" in str(shown.facts["by type"])
    assert "oven-bus (Microsoft.ServiceBus/namespaces)" in str(shown.facts["holds data that cannot be restored"])
    assert "oven-recipes" in shown.grave
    await a_team.decides("bea", told)
    done = await answered(ada, "azure_resource_delete", resource_group="oven-prod")
    assert done == {"id": OVEN, "status": "Succeeded"}
    assert OVEN.lower() not in azure.estate.groups
    assert "No resource group named 'oven-prod' found" in await refused(
        ada, "azure_resource_delete", resource_group="oven-prod"
    )


@pytest.mark.parametrize("default", ["", "Bakery Production"])
async def test_groups_are_found_where_they_are_whichever_subscription_is_the_default(
    azure: FakeAzure, default: str
) -> None:
    async with asking(azure, settings=AzureSettings(subscription=default)) as someone:
        moved = await answered(someone, "move_resources", resource_ids=[WEB], target_group="empty-group")
        done = await answered(someone, "delete_resource_group", resource_group="oven-dev")
    assert moved["to"] == f"/subscriptions/{DEVELOPMENT}/resourceGroups/empty-group"
    assert done["deleted"] == f"/subscriptions/{DEVELOPMENT}/resourceGroups/oven-dev"
    assert f"/subscriptions/{DEVELOPMENT}/resourcegroups/oven-dev" not in azure.estate.groups


@pytest.mark.parametrize(("name", "is_production"), [("mill-prod-nsg", True), ("mill-nsg", False)])
async def test_production_is_recognized_by_the_name_of_a_resource(
    azure: FakeAzure, name: str, is_production: bool
) -> None:
    place = f"/subscriptions/{DEVELOPMENT}/resourceGroups/empty-group/providers/Microsoft.Network/networkSecurityGroups"
    some = azure.estate.resources[WEB.lower()]
    document = {"id": f"{place}/{name}", "name": name, "type": "Microsoft.Network/networkSecurityGroups"}
    azure.estate.add(Resource({**document, "location": "westeurope"}, some.created, some.changed))
    async with team(azure, {"preset": "production"}) as them:
        told = await refused(them.member("ada"), "delete_azure_resource", resource_id=f"{place}/{name}")
    assert ("Another person must approve" in told) is is_production, told


async def test_what_outside_names_something_in_a_group_is_told(azure: FakeAzure, a_team: Team) -> None:
    some = azure.estate.resources[WEB.lower()]
    document = {
        "id": f"{SHOP}/providers/Microsoft.Network/privateEndpoints/to-the-bus",
        "name": "to-the-bus",
        "type": "Microsoft.Network/privateEndpoints",
        "location": "westeurope",
        "properties": {
            "privateLinkServiceConnections": [
                {"properties": {"privateLinkServiceId": f"{OVEN}/providers/Microsoft.ServiceBus/namespaces/oven-bus"}}
            ]
        },
    }
    azure.estate.add(Resource(document, some.created, some.changed))
    shown = await a_team.shown(await refused(a_team.member("ada"), "delete_resource_group", resource_group="oven-prod"))
    assert shown.facts["other resources that depend on it"] == ["Microsoft.Network/privateEndpoints to-the-bus"]
    bus = f"{OVEN}/providers/Microsoft.ServiceBus/namespaces/oven-bus"
    shown = await a_team.shown(await refused(a_team.member("ada"), "delete_azure_resource", resource_id=bus))
    assert shown.facts["other resources that depend on it"] == ["Microsoft.Network/privateEndpoints to-the-bus"]


async def test_without_resource_graph_nobody_claims_that_nothing_depends_on_it(azure: FakeAzure, a_team: Team) -> None:
    azure.places["Microsoft.ResourceGraph"] = troubles.failing(403, "AuthorizationFailed", "No.")
    told = await refused(a_team.member("ada"), "delete_azure_resource", resource_id=WEB)
    assert "Another person must approve" in told
    assert any("other resources that depend on it" in one for one in (await a_team.shown(told)).missing)


async def test_when_the_world_changed_in_between_nothing_is_done_and_the_new_is_shown(
    azure: FakeAzure, a_team: Team
) -> None:
    ada = a_team.member("ada")
    told = await refused(ada, "delete_resource_group", resource_group="oven-prod")
    await a_team.decides("bea", told)
    some = azure.estate.resources[WEB.lower()]
    document = {"id": f"{OVEN}/providers/Microsoft.Web/sites/late", "type": "Microsoft.Web/sites", "location": "x"}
    azure.estate.add(Resource({**document, "name": "late"}, some.created, some.changed))
    again = await refused(ada, "delete_resource_group", resource_group="oven-prod")
    assert "a different effect than the preview" in again
    assert changes(azure) == []


async def test_tags_on_many_are_one_change_and_what_has_them_is_left_alone(azure: FakeAzure) -> None:
    ids = [
        one.id for one in azure.estate.resources.values() if one.id.startswith((SHOP, OVEN)) and "/sites/" not in one.id
    ]
    azure.estate.resources[ids[0].lower()].document["tags"] = {"Owner": "ada"}
    call: dict[str, Any] = {"resource_ids": ids, "tags": {"owner": "ada"}}
    async with team(azure, ASKING) as them:
        ada = them.member("ada")
        told = await refused(ada, "tag_resources", **call)
        shown = await them.shown(told)
        assert shown.facts["to change"] == len(ids) - 1
        assert len(shown.edits) == len(ids) - 1
        assert shown.missing == []
        assert shown.places["resource-group"] == ["oven-prod", "shop-prod"]
        await them.decides("bea", told)
        done = await answered(ada, "tag_resources", **call)
    assert (done["status"], done["unchanged"], done["changed"]) == ("done", 1, len(ids) - 1)
    assert len(changes(azure)) == len(ids) - 1
    assert ids[1] not in json.dumps(done)


async def test_a_repeat_goes_on_with_what_is_missing(azure: FakeAzure, caller: Caller) -> None:
    call: dict[str, Any] = {"resource_ids": [WEB, SITE, OVEN], "tags": {"owner": "ada"}}
    azure.accidents.append(Accident("PATCH", "shop-orders", troubles.failing(409, "Conflict", "Busy.")))
    first = await answered(caller, "tag_resources", **call)
    assert first["status"] == "partly done"
    assert first["changed"] == [WEB, OVEN]
    [failed] = first["failed"]
    assert failed["id"] == SITE
    assert "409 Conflict" in failed["why"]
    azure.asked.clear()
    second = await answered(caller, "tag_resources", **call)
    assert (second["status"], second["changed"], second["unchanged"]) == ("done", [SITE], 2)
    assert len(changes(azure)) == 1
    assert (await answered(caller, "tag_resources", **call))["unchanged"] == 3


async def test_tags_are_replaced_and_deleted_whatever_their_case(azure: FakeAzure, caller: Caller) -> None:
    await answered(caller, "tag_resources", resource_ids=[WEB], tags={"TEAM": "other"})
    assert azure.estate.resources[WEB.lower()].tags == {"environment": "production", "team": "other"}
    await answered(caller, "tag_resources", resource_ids=[WEB], tags={"Environment": ""}, mode="delete")
    assert azure.estate.resources[WEB.lower()].tags == {"team": "other"}
    await answered(caller, "tag_resources", resource_ids=[WEB], tags={}, mode="replace")
    assert azure.estate.resources[WEB.lower()].tags == {}


async def test_what_destroys_no_tag_is_not_asked_for(azure: FakeAzure, a_team: Team) -> None:
    ada = a_team.member("ada")
    assert (await answered(ada, "tag_resources", resource_ids=[WEB], tags={"new": "1"}))["status"] == "done"
    told = await refused(ada, "tag_resources", resource_ids=[WEB], tags={"new": ""}, mode="delete")
    assert "shop-web: tag new removed (was 1)" in told


async def test_what_azure_cannot_move_is_refused_before_anybody_is_asked(azure: FakeAzure, a_team: Team) -> None:
    cluster = f"{OVEN}/providers/Microsoft.ContainerService/managedClusters/oven-aks"
    told = await refused(a_team.member("ada"), "move_resources", resource_ids=[cluster], target_group="shop-prod")
    assert "ResourceMoveNotSupported" in told
    assert "/changes/" not in told
    assert not [one for one in azure.asked if one.path.endswith("/moveResources")]


async def test_resources_are_moved_with_what_is_below_them(azure: FakeAzure, a_team: Team) -> None:
    ada, call = a_team.member("ada"), {"resource_ids": [WEB], "target_group": "oven-prod"}
    told = await refused(ada, "move_resources", **call)
    shown = await a_team.shown(told)
    assert [(edit.path, edit.before) for edit in shown.edits] == [("shop-web", WEB)]
    assert shown.places["resource-group"] == ["oven-prod", "shop-prod"]
    await a_team.decides("ada", told)
    done = await answered(ada, "move_resources", **call)
    moved = WEB.replace("shop-prod", "oven-prod")
    assert (done["status"], done["ids"]) == ("done", [moved])
    assert f"{moved}/slots/staging".lower() in azure.estate.resources
    assert WEB.lower() not in azure.estate.resources


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"resource_ids": [WEB, f"{OVEN}/providers/Microsoft.App/containerApps/oven-api"]}, "in a single group"),
        ({"resource_ids": [SHOP]}, "in a single group"),
        ({"resource_ids": [WEB], "target_group": "shop-prod"}, "are already in the group 'shop-prod'"),
        ({"resource_ids": [WEB], "target_group": "nowhere"}, "No resource group named 'nowhere' found"),
        ({"resource_ids": [f"{WEB}x"]}, "not found"),
    ],
)
async def test_a_move_that_is_none_is_refused(a_team: Team, arguments: dict[str, Any], words: str) -> None:
    told = await refused(a_team.member("ada"), "move_resources", **{"target_group": "oven-prod", **arguments})
    assert words in told


async def test_a_group_that_is_there_is_not_made_again(azure: FakeAzure, caller: Caller) -> None:
    call = {"resource_group": "SHOP-prod", "location": "westeurope"}
    assert "already" in await refused(caller, "create_resource_group", **call)
    assert changes(azure) == []


async def test_a_lock_is_made_and_holds(azure: FakeAzure, caller: Caller) -> None:
    made = await answered(caller, "create_resource_lock", name="hold", resource_id=WEB, notes="For Easter.")
    assert made["id"] == f"{WEB}/providers/Microsoft.Authorization/locks/hold"
    assert "already" in await refused(caller, "create_resource_lock", name="hold", resource_id=WEB, level="ReadOnly")
    assert "'hold' (CanNotDelete)" in await refused(caller, "delete_azure_resource", resource_id=WEB)


async def test_what_was_deleted_and_is_kept_is_found_and_brought_back(azure: FakeAzure, caller: Caller) -> None:
    own = f"{OVEN}/providers/Microsoft.OperationalInsights/workspaces/oven-logs"
    document = {"id": own, "name": "oven-logs", "type": "Microsoft.OperationalInsights/workspaces"}
    some = azure.estate.resources[WEB.lower()]
    azure.estate.add(Resource({**document, "location": "westeurope"}, some.created, some.changed))
    azure.deleted.delete(own)
    found = await answered(caller, "list_deleted_resources")
    assert [one["id"] for one in found["items"]] == [own]
    assert (await answered(caller, "undelete_resource", resource_id=own))["status"] == "done"
    assert own.lower() in azure.estate.resources
    assert "No deleted resource with this id found" in await refused(caller, "undelete_resource", resource_id=own)


async def test_what_a_person_may_not_do_in_azure_names_the_role(azure: FakeAzure) -> None:
    async with asking(azure, who=READER) as someone:
        told = await refused(someone, "delete_azure_resource", resource_id=WEB)
    assert "requires the role 'Website Contributor'" in told
    assert READER.id not in told
