"""Cancelling a deployment also ends its nested deployments, which may run in any group."""

from __future__ import annotations

from typing import Final

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION
from tests.tools.azure.deploying.stories import take_forever
from tests.tools.azure.deploying.templates import nested, site, template
from tests.tools.azure.inventing import answered, refused
from tests.tools.azure.team import team

WHERE: Final = {"resource_group": "oven-dev", "subscription": "Bakery Development", "name": "wide"}
RULES: Final = (
    {"in": {"resource-group": "shop-prod"}, "ask": "another"},
    {"in": {"subscription": "Bakery Development"}, "ask": "nobody"},
)


async def test_a_rule_for_a_group_selects_cancelling_a_deployment_with_nested_deployments() -> None:
    azure, inner = FakeAzure(), template(site("shop-orders", httpsOnly=True))
    across = template(nested("shop-prod", inner, subscriptionId=PRODUCTION))
    async with team(azure, *RULES) as people:
        ada = people.member("ada")
        await people.decides("bea", await refused(ada, "deploy_template", **WHERE, template=across))
        take_forever(azure)
        await answered(ada, "deploy_template", **WHERE, template=across)
        assert "Another person must approve" in await refused(ada, "cancel_azure_deployment", **WHERE)


async def test_cancelling_a_deployment_to_one_group_changes_only_this_group() -> None:
    azure, own = FakeAzure(), template(site("bun"))
    take_forever(azure)
    async with team(azure, *RULES) as people:
        ada = people.member("ada")
        await answered(ada, "deploy_template", **WHERE, template=own)
        assert "wide" in str(await answered(ada, "cancel_azure_deployment", **WHERE))
