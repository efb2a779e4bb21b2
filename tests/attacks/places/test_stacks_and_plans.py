"""Changes that also affect resources elsewhere, and whose places must therefore include those of these resources."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHOP
from tests.tools.azure.inventing import NAME
from tests.tools.azure.placing import requires, shown
from tests.tools.azure.resource_changes.scenes import SCENES, SITE, WEB, set_up
from tests.tools.azure.team import team

Json = dict[str, Any]
ASKED: Final = "Another person must approve"
KEPT: Final = f"/subscriptions/{PRODUCTION}/providers/Microsoft.Authorization/policyAssignments/keep"
OVEN_DEV: Final = f"/subscriptions/{DEVELOPMENT}/resourceGroups/Oven-Dev"
OF_DEVELOPMENT: Final = {"name": "own", "subscription": "Bakery Development"}


@pytest.mark.parametrize("action", ["delete", "detach"])
async def test_a_stack_has_the_places_of_its_resources_in_other_subscriptions(action: str) -> None:
    azure = FakeAzure()
    azure.stacks.add(f"/subscriptions/{DEVELOPMENT}", "own", [KEPT])
    preview = await shown(azure, "delete_deployment_stack", {**OF_DEVELOPMENT, "action_on_unmanage": action})
    assert requires(preview, "subscription", NAME)
    assert requires(preview, "subscription", "Bakery Development")
    assert requires(preview, "name", "keep")


async def test_no_stack_of_another_subscription_avoids_the_approval_that_a_subscription_requires() -> None:
    azure = FakeAzure()
    azure.stacks.add(f"/subscriptions/{DEVELOPMENT}", "own", [KEPT])
    of_development = {"in": {"subscription": "Bakery Development"}, "ask": "nobody"}
    async with team(azure, {"in": {"subscription": NAME}, "ask": "another"}, of_development) as people:
        words = {**OF_DEVELOPMENT, "action_on_unmanage": "delete"}
        assert ASKED in await people.member("ada").told("delete_deployment_stack", **words)


@pytest.mark.parametrize("place", [("name", "shop-web"), ("name", "staging"), ("tag:own", "yes")])
async def test_a_stack_of_only_a_child_has_the_places_of_the_parent(place: tuple[str, str]) -> None:
    azure = FakeAzure()
    azure.estate.resources[WEB.lower()].document["tags"] = {"own": "yes"}
    azure.stacks.add(SHOP, "own", [f"{WEB}/slots/staging"])
    words = {"name": "own", "resource_group": "shop-prod", "subscription": NAME, "action_on_unmanage": "delete"}
    preview = await shown(azure, "delete_deployment_stack", words)
    assert requires(preview, *place)
    assert not requires(preview, "tag:unheard", "*")


@pytest.mark.parametrize("action", ["delete", "detach"])
@pytest.mark.parametrize(
    "place", [("resource-group", "shop-prod"), ("tag:environment", "production"), ("subscription", NAME)]
)
async def test_a_stack_with_a_resource_without_an_id_may_be_anywhere(place: tuple[str, str], action: str) -> None:
    azure = FakeAzure()
    stack = azure.stacks.add(OVEN_DEV, "own", [f"{OVEN_DEV}/providers/Microsoft.ServiceBus/namespaces/oven-dev-bus"])
    outside = {"status": "managed", "extension": {"name": "x"}, "identifiers": {"a": "b"}}
    stack["properties"]["resources"].append(outside)
    words = {**OF_DEVELOPMENT, "resource_group": "oven-dev", "action_on_unmanage": action}
    assert requires(await shown(azure, "delete_deployment_stack", words), *place)


def with_plan_elsewhere() -> FakeAzure:
    """The plan of the site is in another group."""
    azure = set_up(SCENES[0])
    azure.estate.locks.clear()
    plan = azure.estate.resources[f"{SHOP}/providers/Microsoft.Web/serverFarms/shop-plan".lower()]
    other = deepcopy(plan)
    other.document["id"] = place = plan.id.replace("/shop-prod/", "/bread/")
    azure.estate.resources[place.lower()] = other
    azure.estate.resources[SITE.lower()].properties["serverFarmId"] = place
    return azure


async def test_scaling_a_plan_has_the_places_of_the_named_app() -> None:
    azure = with_plan_elsewhere()
    azure.estate.resources[SITE.lower()].document["tags"] = {"own": "yes"}
    preview = await shown(azure, "scale_app", {"app": SITE, "instances": 3})
    here = [("resource-group", "shop-prod"), ("resource-group", "bread"), ("name", "shop-orders"), ("tag:own", "yes")]
    assert [place for place in here if not requires(preview, *place)] == []
    assert not requires(preview, "tag:unheard", "*")


async def test_scaling_a_plan_has_the_places_of_the_other_apps_on_it() -> None:
    azure = with_plan_elsewhere()
    place = azure.estate.resources[SITE.lower()].properties["serverFarmId"]
    other = azure.estate.resources[WEB.lower()]
    other.properties["serverFarmId"], other.document["tags"] = place, {"own": "yes"}
    preview = await shown(azure, "scale_app", {"app": SITE, "instances": 3})
    assert requires(preview, "name", "shop-web")
    assert requires(preview, "tag:own", "yes")


async def test_no_plan_of_another_group_avoids_the_approval_that_a_group_requires() -> None:
    in_bread = {"in": {"resource-group": "bread"}, "ask": "nobody"}
    async with team(
        with_plan_elsewhere(), {"in": {"resource-group": "shop-prod"}, "ask": "another"}, in_bread
    ) as people:
        assert ASKED in await people.member("ada").told("scale_app", app=SITE, sku="P2v3")


@pytest.mark.parametrize("slots", [{"slot": "staging"}, {"slot": "production", "into": "staging"}])
async def test_swapping_slots_has_the_places_of_both(slots: Json) -> None:
    azure = set_up(SCENES[0])
    azure.estate.locks.clear()
    azure.estate.resources[f"{WEB}/slots/staging".lower()].document["tags"] = {"own": "yes"}
    preview = await shown(azure, "swap_app_slots", {"app": WEB, **slots})
    here = [("name", "staging"), ("name", "shop-web"), ("tag:own", "yes"), ("tag:environment", "production")]
    assert [place for place in here if not requires(preview, *place)] == []
    assert not requires(preview, "tag:unheard", "*")
