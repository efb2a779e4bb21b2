"""What a PUT would do is asked of Azure by a template of that resource alone."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.what_if.asking import TemplateDeployment
from refusal import Refusal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.tools.azure.deploying.templates import nested, site, template
from tools.azure.shared.what_if import template_of, what_a_put_would_do, what_it_would_do

Json = dict[str, Any]

VERSION: Final = "2024-01-01"
_WORDS: Final = st.text("abXY01", min_size=1, max_size=4)
_VALUES: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["", "[", "]", "[]", "[[x]", "[x] [y]"])
    | _WORDS.map("[{}]".format),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=5,
)
_NAMES: Final = st.lists(_WORDS, min_size=1, max_size=3)


def entry_of(resource: str, body: Json) -> Json:
    """The one resource of the template that stands for a PUT."""
    template, _ = template_of(ResourceId.of(resource), VERSION, body)
    (entry,) = template["resources"]
    assert isinstance(entry, dict)
    return entry


def evaluated(value: Any) -> Any:
    """The value as Azure reads it in a template: there is no expression in it, and two brackets stand for one."""
    if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
        assert value.startswith("[["), value
        return value[1:]
    if isinstance(value, dict):
        return {evaluated(name): evaluated(one) for name, one in value.items()}
    return [evaluated(one) for one in value] if isinstance(value, list) else value


@given(_NAMES, st.dictionaries(_WORDS.map("x{}".format), _VALUES, max_size=4))
@example(["a"], {"tags": {"[odd]": "[[odd]"}})
def test_the_template_says_what_the_body_says_and_no_more(names: list[str], body: Json) -> None:
    kinds = [f"kind{place}" for place in range(len(names))]
    own = "/".join(f"{kind}/{name}" for kind, name in zip(kinds, names, strict=True))
    entry = evaluated(entry_of(f"{SHOP}/providers/Microsoft.Bakery/{own}", {**body, "Id": "other", "name": "other"}))
    assert entry.pop("type") == "/".join(["Microsoft.Bakery", *kinds])
    assert entry.pop("name") == "/".join(names)
    assert entry.pop("apiVersion") == VERSION
    assert entry == body


def test_what_is_attached_to_a_resource_says_to_which() -> None:
    site = "Microsoft.Web/sites/shop-web"
    of_a_site = f"{SHOP}/providers/{site}/providers/Microsoft.Insights/diagnosticSettings/all"
    entry = entry_of(of_a_site, {"properties": {}})
    assert entry["type"] == "Microsoft.Insights/diagnosticSettings"
    assert entry["name"] == "all"
    assert entry["scope"] == site
    assert "scope" not in entry_of(f"{SHOP}/providers/{site}", {"properties": {}})


async def test_of_a_subscription_it_is_asked_with_a_location(azure: Azure, bakery: FakeAzure) -> None:
    budget = f"/subscriptions/{PRODUCTION}/providers/Microsoft.Consumption/budgets/flour"
    told = await what_a_put_would_do(azure, {}, ResourceId.of(budget), VERSION, {"properties": {"amount": 7}})
    assert told.facts == {"creates": 1}
    (asked,) = [one for one in bakery.asked if one.path.lower().endswith("/whatif")]
    assert asked.path.lower().startswith(f"/subscriptions/{PRODUCTION}/providers/microsoft.resources/deployments/")
    assert asked.body["location"]
    assert "subscriptionDeploymentTemplate" in json.dumps(asked.body)


async def test_a_deployment_knows_when_another_group_that_it_changes_has_changed(
    azure: Azure, bakery: FakeAzure
) -> None:
    across = template(nested("shop-prod", template(site("shop-web", httpsOnly=False))))
    oven = ResourceId.of(f"/subscriptions/{PRODUCTION}/resourceGroups/oven-prod")
    outlook = await what_it_would_do(azure, {}, TemplateDeployment(oven, "across", across, {}))
    assert [one.resource for one in outlook.affected] == [
        ResourceId.of(f"{SHOP}/providers/Microsoft.Web/sites/shop-web")
    ]
    assert await outlook.is_unchanged()
    shop = bakery.estate.resources[f"{SHOP}/providers/Microsoft.Web/sites/shop-orders".lower()]
    shop.changed += timedelta(seconds=1)
    assert not await outlook.is_unchanged()


@pytest.mark.parametrize(
    "path", ["/subscriptions/{0}/resourceGroups/new", "/providers/Microsoft.Management/managementGroups/all"]
)
async def test_what_a_template_cannot_stand_for_is_refused(azure: Azure, bakery: FakeAzure, path: str) -> None:
    with pytest.raises(Refusal, match="what-if works only for"):
        await what_a_put_would_do(azure, {}, ResourceId.of(path.format(PRODUCTION)), VERSION, {"location": "x"})
    assert bakery.asked == []
