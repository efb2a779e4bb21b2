"""What is asked of a deployment that there is happens once, even if the answer to it is lost."""

from __future__ import annotations

from typing import Any, Final

from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident, Trouble
from tests.sweeps import Sweep
from tests.tools.azure.deploying.templates import SHOP
from tests.tools.azure.inventing import NAME, answered, asking, refused

WHICH: Final = {"resource_group": "shop-prod", "subscription": NAME, "name": "bread"}
LOST: Final = {
    "cut": troubles.cut_connection,
    "half an answer": troubles.cut_body,
    "500": troubles.broken,
    "504": troubles.gateway_timeout,
}

every_trouble = Sweep("trouble", LOST.values(), ids=LOST, every=2)


def cancels(azure: FakeAzure) -> int:
    return len([one for one in azure.asked if one.method == "POST" and one.path.lower().endswith("/cancel")])


def state(azure: FakeAzure) -> str:
    found: dict[str, Any] = next(one for one in azure.estate.deployments.values() if one["name"] == "bread")
    return str(found["properties"]["provisioningState"])


@every_trouble
async def test_a_cancelled_deployment_is_found_to_be_cancelled(azure: FakeAzure, trouble: Trouble) -> None:
    azure.work.never_ends = True
    async with asking(azure) as caller:
        await answered(caller, "deploy_template", template=SHOP, **WHICH)
        azure.accidents.append(Accident("POST", "/cancel", trouble, is_done=True))
        found = await answered(caller, "cancel_azure_deployment", **WHICH)
    assert (found["status"], found["state"], cancels(azure)) == ("done", "Canceled", 1)


@every_trouble
async def test_a_deployment_that_was_not_cancelled_is_not_said_to_be(azure: FakeAzure, trouble: Trouble) -> None:
    azure.work.never_ends = True
    async with asking(azure) as caller:
        await answered(caller, "deploy_template", template=SHOP, **WHICH)
        azure.accidents.append(Accident("POST", "/cancel", trouble))
        told = await refused(caller, "cancel_azure_deployment", **WHICH)
    assert "request was not sent again" in told
    assert "show_azure_deployment(name='bread'" in told
    assert (state(azure), cancels(azure)) == ("Running", 1)


async def failed_once(azure: FakeAzure) -> None:
    azure.deployments.failing["Microsoft.Web/sites"] = {"code": "Conflict", "message": "The plan is full."}
    async with asking(azure) as caller:
        await refused(caller, "deploy_template", template=SHOP, **WHICH)
    azure.deployments.failing.clear()
    assert (state(azure), len(azure.deployments.puts)) == ("Failed", 1)


@every_trouble
async def test_what_was_deployed_anew_is_found_and_not_sent_twice(azure: FakeAzure, trouble: Trouble) -> None:
    await failed_once(azure)
    azure.accidents.append(Accident("PUT", "/deployments/", trouble, is_done=True))
    async with asking(azure) as caller:
        found = await answered(caller, "retry_azure_deployment", **WHICH)
    assert found["status"] == "under way"
    assert "show_azure_deployment(name='bread'" in found["look_again"]
    assert len(azure.deployments.puts) == 2


@every_trouble
async def test_what_was_not_deployed_anew_is_not_said_to_be(azure: FakeAzure, trouble: Trouble) -> None:
    await failed_once(azure)
    azure.accidents.append(Accident("PUT", "/deployments/", trouble))
    async with asking(azure) as caller:
        told = await refused(caller, "retry_azure_deployment", **WHICH)
    assert "request was not sent again" in told
    assert (state(azure), len(azure.deployments.puts)) == ("Failed", 1)
