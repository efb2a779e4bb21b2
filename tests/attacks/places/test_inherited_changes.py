"""A role, a lock or a policy at a group or a subscription applies to the resources there, and so do rules for these
resources.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from changes.approval_request import RequiredApprover
from changes.preview import Preview
from changes.rule import Rule
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHOP
from tests.tools.azure.inventing import NAME
from tests.tools.azure.placing import deployed, requires, shown
from tests.tools.azure.resource_changes.scenes import SCENES, SITE, WEB, set_up
from tests.tools.azure.running_changes import at_work

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


async def test_a_maintenance_configuration_at_a_group_is_selected_by_the_resources_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assignment = f"{SHOP}/providers/Microsoft.Maintenance/configurationAssignments/nightly"
    preview = await deployed(monkeypatch, {"resourceId": assignment, "changeType": "Create", "after": {"tags": {}}})
    assert requires(preview, "name", "shop-orders")


async def test_a_resource_is_found_by_the_name_in_its_id() -> None:
    azure = bakery()
    azure.estate.resources[SITE.lower()].document["name"] = None
    preview = await shown(azure, "assign_role", {**ROLE, "resource_group": "shop-prod", "subscription": NAME})
    assert requires(preview, "name", "shop-orders")


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


_ELSEWHERE: Final = f"/subscriptions/{DEVELOPMENT}/resourceGroups/Oven-Dev/providers/Microsoft.Web/sites/oven"
_BODIES: Final[tuple[Json, ...]] = (
    {"targetId": _ELSEWHERE},
    {"all": [{"deep": [{_ELSEWHERE.upper(): 1}]}]},
    {"ids": f"{SITE},{_ELSEWHERE}"},
    {"url": f"https://management.azure.com{_ELSEWHERE}?a=b"},
    {"json": f'{{"id": "{_ELSEWHERE}"}}'},
    {"encoded": _ELSEWHERE.replace("/", "%2F")},
    {"subscriptionId": DEVELOPMENT},
    {"targetResourceGroup": "Oven-Dev"},
    {"path": "resourceGroups/Oven-Dev/providers/Microsoft.Web/sites/oven"},
    {"path": f"{SHOP}/../Oven-Dev"},
    {"other": DEVELOPMENT},
    {"managementGroupId": "bakery"},
    {"scope": "/providers/Microsoft.Management/managementGroups/bakery"},
)


async def acted(**words: Any) -> Preview:
    return await shown(bakery(), "change_azure", {"method": "POST", "path": f"{SITE}/restart", **words})


@pytest.mark.parametrize("body", _BODIES)
async def test_an_action_that_mentions_another_place_may_change_any(body: Json) -> None:
    preview = await acted(body=body)
    assert [place for place in OTHER if not requires(preview, *place)] == []
    assert not Rule(RequiredApprover.NOBODY, places={"subscription": [NAME]}).fits(preview)


async def test_an_action_that_mentions_another_place_in_its_query_may_change_any() -> None:
    assert requires(await acted(query={"target": _ELSEWHERE}), "subscription", "Bakery Development")


async def test_an_action_may_change_any_resource_of_the_group_that_its_body_names() -> None:
    preview = await acted(body={"targetSlot": "staging", "id": SITE})
    assert requires(preview, "name", "staging")
    assert [place for place in OTHER if not requires(preview, *place)] == [("subscription", "Bakery Development")]
    assert Rule(RequiredApprover.NOBODY, places={"resource-group": ["shop-prod"]}).fits(preview)


async def test_an_action_may_change_any_resource_of_the_group_that_its_query_names() -> None:
    preview = await acted(query={"slot": "staging"})
    assert requires(preview, "name", "staging")
    assert not requires(preview, "subscription", "Bakery Development")


async def test_an_action_without_a_body_changes_its_resource() -> None:
    assert [place for place in OTHER if requires(await acted(), *place)] == []


_TAGS: Final = f"{SHOP}/providers/Microsoft.Resources/tags/default"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", _TAGS, {"properties": {"tags": {"own": "new"}}}),
        ("PATCH", SITE, {"Tags": {"own": "new", "gone": None}}),
    ],
)
async def test_a_rule_for_a_tag_selects_a_change_that_sets_it(method: str, path: str, body: Json) -> None:
    preview = await shown(bakery(), "change_azure", {"method": method, "path": path, "body": body})
    assert requires(preview, "tag:own", "new")
    assert not requires(preview, "tag:gone", "None")


async def test_the_tag_of_a_group_is_that_of_the_resources_in_it() -> None:
    azure = bakery()
    azure.estate.groups[SHOP.lower()]["tags"] = {"stage": "dev"}
    preview = await shown(azure, "assign_role", {**ROLE, "resource_group": "shop-prod", "subscription": NAME})
    assert Rule(RequiredApprover.NOBODY, places={"tag:stage": ["dev"]}).fits(preview)


async def test_a_template_that_makes_a_group_and_assigns_a_role_there_changes_no_other_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    new = f"/subscriptions/{DEVELOPMENT}/resourceGroups/new-dev"
    group = {"resourceId": new, "changeType": "Create", "after": {"tags": {"environment": "development"}}}
    right = {"resourceId": f"{new}{RULES}/roleAssignments/{GUID}", "changeType": "Create"}
    preview = await deployed(monkeypatch, group, {**right, "after": {"properties": {"principalId": GUID}}})
    assert [place for place in (("name", "shop-orders"), ("tag:unheard", "*")) if requires(preview, *place)] == []


async def test_the_resources_of_a_group_in_another_spelling_are_found() -> None:
    # Letters that one way of comparing makes smaller, and another does not.
    azure, name = bakery(), "ΦΟΥΡΝΟΣ"
    group, site = f"{OF_SUBSCRIPTION}/resourceGroups/{name}", azure.estate.resources[SITE.lower()]
    azure.estate.groups[group.lower()] = {**azure.estate.groups[SHOP.lower()], "id": group, "name": name, "tags": {}}
    inner = {**site.document, "id": f"{group}/providers/Microsoft.Web/sites/shop-oven", "name": "shop-oven"}
    azure.estate.add(replace(site, document=inner))
    preview = await shown(azure, "assign_role", {**ROLE, "resource_group": name, "subscription": NAME})
    assert requires(preview, "name", "shop-oven")


async def test_a_change_of_a_plan_by_its_path_may_change_any_resource_of_the_group() -> None:
    azure = at_work()
    plan = next(one.id for one in azure.estate.resources.values() if one.type.lower() == "microsoft.web/serverfarms")
    words = {"method": "PATCH", "path": plan, "body": {"sku": {"capacity": 7}}}
    assert requires(await shown(azure, "change_azure", words), "name", "any-app")
