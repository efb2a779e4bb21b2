"""Templates whose effect, tags or repetitions could hide a place from a rule for it."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT
from tests.tools.azure.placing import deployed, requires, shown

Json = dict[str, Any]
OVEN_DEV: Final = f"/subscriptions/{DEVELOPMENT}/resourceGroups/Oven-Dev"
PLACE: Final = f"{OVEN_DEV}/providers/Microsoft.Web/sites/y"


@pytest.mark.parametrize("kind", ["deploymentScripts", "deploymentStacks"])
async def test_a_template_with_a_script_or_a_stack_may_change_any_place(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = {
        "resourceId": f"{OVEN_DEV}/providers/Microsoft.Resources/{kind}/x",
        "changeType": "Create",
        "after": {"type": f"Microsoft.Resources/{kind}", "name": "x", "properties": {}},
    }
    preview = await deployed(monkeypatch, change)
    places = [("subscription", "Bakery Production"), ("resource-group", "shop-prod"), ("name", "shop-orders")]
    assert all(requires(preview, *place) for place in [*places, ("tag:environment", "production")])


async def test_a_script_that_is_put_by_its_path_may_change_any_place() -> None:
    path = f"{OVEN_DEV}/providers/Microsoft.Resources/deploymentScripts/x"
    preview = await shown(
        FakeAzure(), "change_azure", {"method": "PUT", "path": path, "body": {"location": "westeurope"}}
    )
    assert requires(preview, "resource-group", "shop-prod")


@pytest.mark.parametrize("respelled", [PLACE, PLACE.upper().replace("/SUBSCRIPTIONS", "/subscriptions")])
async def test_no_second_change_of_a_resource_hides_its_tags(respelled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change = {"changeType": "Modify", "delta": [], "after": {"name": "y", "tags": {}}}
    one = {**change, "resourceId": PLACE, "before": {"name": "y", "tags": {"environment": "production"}}}
    two = {**change, "resourceId": respelled, "before": {"name": "y", "tags": {}}}
    assert requires(await deployed(monkeypatch, one, two), "tag:environment", "production")


@pytest.mark.parametrize(
    "tags",
    ["[reference('x').tags]", {"environment": "[reference('x').environment]"}, {"[reference('x').name]": "production"}],
    ids=["all", "a value", "a name"],
)
async def test_tags_that_azure_computes_later_may_have_any_value(tags: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    change = {"resourceId": PLACE, "changeType": "Create", "after": {"name": "y", "tags": tags}}
    assert requires(await deployed(monkeypatch, change), "tag:environment", "production")
