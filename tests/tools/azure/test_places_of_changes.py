"""A rule for a place selects a change of Azure there, by whichever tool it is made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pytest

from changes.approval_request import RequiredApprover
from changes.preview import Preview
from changes.rule import PLACES, TAG, Rule
from clients.azure.ids import ResourceId
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.sweeps import Sweep
from tests.tools.azure.deploying.templates import nested, resource, site, template
from tests.tools.azure.inventing import NAME, answered, refused
from tests.tools.azure.placing import requires, shown, tell_also
from tests.tools.azure.resource_changes.scenes import SCENES, SITE, Scene, set_up
from tests.tools.azure.running_changes import DOINGS, at_work
from tests.tools.azure.team import team
from tests.tools.azure.undone_calls import OTHERS

Json = dict[str, Any]

HERE: Final = (
    ("subscription", NAME),
    ("subscription", PRODUCTION),
    ("resource-group", "shop-prod"),
    ("name", "shop-orders"),
    ("tag:environment", "production"),
)
ELSEWHERE: Final = (
    ("subscription", "Bakery Development"),
    ("resource-group", "oven-prod"),
    ("name", "oven-api"),
    ("tag:environment", "development"),
    ("tag:unheard", "*"),
)
_SITE: Final = template(site("shop-orders", httpsOnly=True))
_GROUP: Final = {"resource_group": "shop-prod", "subscription": NAME}
_STACK: Final = {**_GROUP, "name": "shop"}
# A change of the same site by each tool that can make one.
WAYS: Final[dict[str, tuple[str, Json]]] = {
    "a deletion": ("delete_azure_resource", {"resource_id": SITE}),
    "PUT": ("change_azure", {"method": "PUT", "path": SITE, "body": {"location": "westeurope", "kind": "app"}}),
    "PATCH": ("change_azure", {"method": "PATCH", "path": SITE, "body": {"properties": {"httpsOnly": True}}}),
    "POST": ("change_azure", {"method": "POST", "path": f"{SITE}/restart"}),
    "DELETE": ("change_azure", {"method": "DELETE", "path": SITE}),
    "tags": ("tag_resources", {"resource_ids": [SITE], "tags": {"owner": "ada"}}),
    "a lock": ("create_resource_lock", {"name": "keep", "resource_id": SITE}),
    "a move": ("move_resources", {"resource_ids": [SITE], "target_group": "bread"}),
    "a restart": ("restart_app", {"app": SITE}),
    "the deletion of its group": ("delete_resource_group", _GROUP),
    "a template": ("deploy_template", {**_GROUP, "template": _SITE}),
    "a template without it": ("deploy_template", {**_GROUP, "template": template(), "mode": "complete"}),
    "a template of the subscription": (
        "deploy_template",
        {"template": template(nested("shop-prod", _SITE)), "subscription": NAME, "location": "westeurope"},
    ),
    "a stack": ("delete_deployment_stack", {**_STACK, "action_on_unmanage": "delete"}),
    "a stack that lets it be": ("delete_deployment_stack", {**_STACK, "action_on_unmanage": "detach"}),
}


def kinds_of(places: Iterable[str]) -> set[str]:
    return {TAG if place.startswith(TAG) else place for place in places}


# A kind that other services have alone is known not to be there, and so requires nothing.
KINDS: Final = {
    kind for kind in (*PLACES, TAG) if requires(Preview(what="it", places={"subscription": None}), kind, "x")
}


def test_each_kind_of_place_of_azure_is_tried() -> None:
    assert kinds_of(kind for kind, _ in HERE) == kinds_of(kind for kind, _ in ELSEWHERE) == KINDS


@pytest.mark.parametrize(("tool", "arguments"), WAYS.values(), ids=WAYS)
async def test_a_rule_for_a_place_of_a_site_holds_by_whichever_tool_it_is_changed(tool: str, arguments: Json) -> None:
    azure = set_up(SCENES[0])
    azure.estate.locks.clear()
    azure.stacks.add(SHOP, "shop", [SITE])
    preview = await shown(azure, tool, arguments)
    assert kinds_of(preview.places) == KINDS
    assert [place for place in HERE if not requires(preview, *place)] == []
    assert [place for place in ELSEWHERE if requires(preview, *place)] == []


# Deployments to another group, whose nested templates change the site.
_OVEN: Final = {"resource_group": "oven-dev", "subscription": "Bakery Development"}
_ACROSS: Final = template(nested("shop-prod", _SITE, subscriptionId=PRODUCTION))
# Whoever may do anything to the oven, and must ask for the shop.
_OF_THE_OVEN: Final = {"in": {"subscription": "Bakery Development"}, "ask": "nobody"}


async def test_a_template_is_selected_by_the_places_of_all_resources_that_it_changes() -> None:
    preview = await shown(FakeAzure(), "deploy_template", {**_OVEN, "template": _ACROSS})
    assert [place for place in HERE if not requires(preview, *place)] == []
    assert requires(preview, "subscription", "Bakery Development")
    assert requires(preview, "resource-group", "oven-dev")
    assert not requires(preview, "resource-group", "oven-prod")
    assert not Rule(RequiredApprover.NOBODY, places={"subscription": ["Bakery Development"]}).fits(preview)


@pytest.mark.parametrize("place", [{"resource-group": "shop-prod"}, {"tag:environment": "production"}])
async def test_no_template_of_another_group_avoids_the_approval_that_a_place_requires(place: Json) -> None:
    azure = FakeAzure()
    async with team(azure, {"in": place, "ask": "another"}, _OF_THE_OVEN) as people:
        ada = people.member("ada")
        assert "Another person must approve" in await refused(ada, "deploy_template", **_OVEN, template=_ACROSS)
        own = template(site("bun", httpsOnly=True))
        assert (await answered(ada, "deploy_template", **_OVEN, template=own))["status"] == "done"


@pytest.mark.parametrize(
    ("made", "tag"),
    [
        (site("new-shop"), "tag:environment"),
        (resource("Microsoft.Web/sites/slots", "shop-orders/blue"), "tag:team"),
    ],
    ids=["of a group", "of a parent"],
)
async def test_a_template_is_selected_by_tags_of_what_it_adds_to(made: Json, tag: str) -> None:
    azure = FakeAzure()
    azure.estate.resources[SITE.lower()].document["tags"] = {"team": "Orders"}
    across = template(nested("shop-prod", template(made), subscriptionId=PRODUCTION))
    preview = await shown(azure, "deploy_template", {**_OVEN, "template": across})
    assert requires(preview, tag, {"tag:environment": "production", "tag:team": "Orders"}[tag])
    assert not requires(preview, "tag:unheard", "*")


@pytest.mark.parametrize(
    ("count", "told"),
    [(50, {}), (51, {}), (1, {"resourceId": f"{SHOP}/providers/Microsoft.Odd/things/x", "changeType": "Unsupported"})],
    ids=["few parents", "too many parents", "no content"],
)
async def test_tags_that_were_not_read_may_be_any(count: int, told: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    azure = FakeAzure()
    tell_also(azure, {"changes": [told] if told else []}, monkeypatch)
    slots = [resource("Microsoft.Web/sites/slots", f"site-{number}/blue") for number in range(count - 1)]
    preview = await shown(azure, "deploy_template", {**_OVEN, "template": template(*slots)})
    assert requires(preview, "tag:unheard", "*") is (count > 50 or bool(told))


@pytest.mark.parametrize(
    "untold",
    [
        {"diagnostics": [{"level": "Warning", "code": "NestedDeploymentShortCircuited", "target": "inner"}]},
        {"changes": [{"changeType": "Create", "extension": "Graph", "identifiers": {"uniqueName": "bakers"}}]},
        {"changes": [{"resourceId": f"{SHOP}/providers/[variables('x')]", "changeType": "Unsupported"}]},
    ],
    ids=["a skipped template", "something outside Azure", "an unknown id"],
)
async def test_a_template_that_azure_does_not_tell_completely_may_change_any_place(
    untold: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    azure = FakeAzure()
    tell_also(azure, untold, monkeypatch)
    preview = await shown(azure, "deploy_template", {**_OVEN, "template": template(site("bun"))})
    assert [place for place in (*HERE, *ELSEWHERE) if not requires(preview, *place)] == []
    assert not Rule(RequiredApprover.NOBODY, places={"subscription": ["Bakery Development"]}).fits(preview)


@Sweep("tool", DOINGS, every=4, start=1)
async def test_each_change_of_what_runs_tells_each_kind_of_its_place(tool: str) -> None:
    preview, of = await shown(at_work(), tool, DOINGS[tool].arguments), ResourceId.of(DOINGS[tool].of)
    assert kinds_of(preview.places) == KINDS
    assert preview.places["name"]
    names = [("name", one) for one in of.names]
    wanted = [("subscription", of.subscription), ("resource-group", of.group), ("tag:environment", "prod*"), *names]
    assert [place for place in wanted if not requires(preview, *place)] == []


@Sweep("scene", SCENES, every=3, ids=lambda scene: scene.name)
async def test_each_change_of_groups_and_resources_tells_each_kind_of_its_place(scene: Scene) -> None:
    assert kinds_of((await shown(set_up(scene), scene.tool, scene.arguments)).places) == KINDS


@Sweep(("tool", "arguments"), OTHERS, every=3, start=1)
async def test_each_other_change_tells_each_kind_of_its_place(tool: str, arguments: Json) -> None:
    assert kinds_of((await shown(FakeAzure(), tool, arguments)).places) == KINDS
