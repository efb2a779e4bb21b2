"""How a team deploys templates at the bakery."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import SHOP as GROUP
from tests.mcp_server.caller import Caller
from tests.tools.azure.deploying.templates import resource, template
from tests.tools.azure.team import Team

Json = dict[str, Any]
FORMS: Json = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
TAGGED = template(resource("Microsoft.Web/sites", "shop-web", tags={"team": "shop"}, properties={"httpsOnly": False}))
WORD = "hunter2-of-the-bakery"
WHERE = {"resource_group": "shop-prod", "subscription": "Bakery Production"}
VAULT = f"{GROUP}/providers/Microsoft.KeyVault/vaults/bread-secrets"


def deployments(azure: FakeAzure) -> Sequence[str]:
    return azure.deployments.puts


def what_ifs(azure: FakeAzure) -> int:
    return len([one for one in azure.asked if one.path.lower().endswith("/whatif")])


async def shown(someone: Caller, tool: str = "deploy_template", **arguments: Any) -> str:
    return await someone.told(tool, **{**WHERE, **arguments})


async def done(someone: Caller, tool: str = "deploy_template", **arguments: Any) -> Json:
    result = await someone.call(tool, **{**WHERE, **arguments})
    assert not result["isError"], result["content"][0]["text"]
    found: Json = result["structuredContent"]
    return found


async def agreed(group: Team, tool: str = "deploy_template", by: str = "ada", **arguments: Any) -> Json:
    await group.decides(by, await shown(group.member("ada"), tool, **arguments))
    return await done(group.member("ada"), tool, **arguments)


def take_forever(azure: FakeAzure) -> None:
    """From the next what-if on, which ends, no work ends."""
    azure.deployments.what_ifs.afterwards = lambda: setattr(azure.work, "never_ends", True)
