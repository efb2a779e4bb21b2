"""A role, a lock or a policy at a group or a subscription applies to the resources there, and so do rules for these
resources.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHOP
from tests.tools.azure.inventing import NAME
from tests.tools.azure.placing import deployed, requires, shown
from tests.tools.azure.resource_changes.scenes import SCENES, SITE, WEB, set_up

Json = dict[str, Any]

GUID: Final = "11111111-1111-4111-8111-111111111111"
OF_SUBSCRIPTION: Final = f"/subscriptions/{PRODUCTION}"
RULES: Final = "/providers/Microsoft.Authorization"
ASSIGNMENT: Final = {"properties": {"policyDefinitionId": f"{RULES}/policyDefinitions/tls"}}
OTHER: Final = (("subscription", "Bakery Development"), ("tag:unheard", "*"), ("name", "oven-api"))
ROLE: Final = {"principal": GUID, "kind": "ServicePrincipal", "role": "Reader"}
AT_GROUP: Final[dict[str, tuple[str, Json]]] = {
    "a role": ("assign_role", {**ROLE, "resource_group": "shop-prod", "subscription": NAME}),
    "a lock": ("create_resource_lock", {"name": "keep", "resource_group": "shop-prod", "subscription": NAME}),
    "a policy": (
        "change_azure",
        {"method": "PUT", "path": f"{SHOP}{RULES}/policyAssignments/tls", "body": ASSIGNMENT},
    ),
    "a custom role": (
        "create_role_definition",
        {"name": "Baker", "actions": ["Microsoft.Web/sites/read"], "scopes": [SHOP], "subscription": NAME},
    ),
}
AT_SUBSCRIPTION: Final[dict[str, tuple[str, Json]]] = {
    "a role": ("assign_role", {**ROLE, "subscription": NAME}),
    "a lock": ("create_resource_lock", {"name": "keep", "subscription": NAME}),
    "a policy": (
        "change_azure",
        {"method": "PUT", "path": f"{OF_SUBSCRIPTION}{RULES}/policyAssignments/tls", "body": ASSIGNMENT},
    ),
    "a custom role": (
        "create_role_definition",
        {"name": "Baker", "actions": ["Microsoft.Web/sites/read"], "subscription": NAME},
    ),
}


def bakery() -> FakeAzure:
    azure = set_up(SCENES[0])
    azure.estate.locks.clear()
    azure.estate.resources[SITE.lower()].document["tags"] = {"own": "yes"}
    return azure


@pytest.mark.parametrize(("tool", "arguments"), AT_GROUP.values(), ids=AT_GROUP)
async def test_a_rule_for_a_resource_selects_what_its_group_passes_on_to_it(tool: str, arguments: Json) -> None:
    preview = await shown(bakery(), tool, arguments)
    here = [("name", "shop-orders"), ("tag:own", "yes"), ("resource-group", "shop-prod"), ("subscription", NAME)]
    assert [place for place in here if not requires(preview, *place)] == []
    assert [place for place in OTHER if requires(preview, *place)] == []


@pytest.mark.parametrize(("tool", "arguments"), AT_SUBSCRIPTION.values(), ids=AT_SUBSCRIPTION)
async def test_a_rule_for_any_resource_selects_what_a_whole_subscription_passes_on(tool: str, arguments: Json) -> None:
    preview = await shown(bakery(), tool, arguments)
    anything = [("name", "oven-api"), ("tag:unheard", "*"), ("resource-group", "oven-prod"), ("subscription", NAME)]
    assert [place for place in anything if not requires(preview, *place)] == []
    assert not requires(preview, "subscription", "Bakery Development")


async def test_a_template_that_assigns_a_role_at_another_group_is_selected_by_the_resources_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = {"resourceId": f"{SHOP}{RULES}/roleAssignments/{GUID}", "changeType": "Create"}
    preview = await deployed(monkeypatch, {**right, "after": {"properties": {"principalId": GUID}}})
    assert requires(preview, "name", "shop-orders")
    assert not requires(preview, "name", "oven-api-2")


async def test_a_custom_role_in_a_template_may_change_any_place(monkeypatch: pytest.MonkeyPatch) -> None:
    role = {"resourceId": f"{OF_SUBSCRIPTION}{RULES}/roleDefinitions/{GUID}", "changeType": "Modify"}
    preview = await deployed(monkeypatch, {**role, "after": {"properties": {}}})
    assert requires(preview, "subscription", "Anything")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("move_resources", {"resource_ids": [WEB], "target_group": "bread"}),
        ("assign_role", {**ROLE, "resource": WEB}),
    ],
)
async def test_a_rule_for_a_child_selects_a_change_that_its_parent_passes_on(tool: str, arguments: Json) -> None:
    preview = await shown(bakery(), tool, arguments)
    assert requires(preview, "name", "staging")
    assert not requires(preview, "name", "shop-orders")


_SWAP: Final = {"targetId": f"/subscriptions/{DEVELOPMENT}/resourceGroups/Oven-Dev/providers/Microsoft.Web/sites/oven"}


@pytest.mark.parametrize("body", [_SWAP, {"all": [{"deep": [_SWAP]}]}, {_SWAP["targetId"].upper(): 1}])
async def test_an_action_is_selected_by_the_places_of_resources_in_its_body(body: Json) -> None:
    words = {"method": "POST", "path": f"{SITE}/restart", "body": body}
    preview = await shown(bakery(), "change_azure", words)
    there = [("subscription", "Bakery Development"), ("resource-group", "Oven-Dev"), ("name", "oven")]
    here = [("subscription", NAME), ("resource-group", "shop-prod"), ("name", "shop-orders")]
    assert [place for place in (*there, *here) if not requires(preview, *place)] == []
    assert requires(preview, "tag:unheard", "*")


async def test_an_action_whose_body_names_an_unknown_resource_may_change_any_place() -> None:
    words = {"method": "POST", "path": f"{SITE}/restart", "body": {"id": "/subscriptions/[x]"}}
    assert requires(await shown(bakery(), "change_azure", words), "subscription", "Anything")
