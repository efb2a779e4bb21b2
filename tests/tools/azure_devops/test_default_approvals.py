"""Who is asked by default, where no rule says it: by what a change does to those who use what it changes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from changes.rules import Rules
from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving
from tests.tools.azure_devops.given import given
from tests.tools.azure_devops.golden import DEFAULT_PROJECT
from tests.tools.azure_devops.reaching import reaching


@pytest.fixture
async def somebody(transport: Elsewhere) -> AsyncIterator[Caller]:
    async with reaching(transport, approvals=approving(rules=Rules()), ADO_PROJECT=DEFAULT_PROJECT) as caller:
        yield caller


async def test_a_deployment_is_asked_for_wherever_it_goes(somebody: Caller, azure_devops: FakeAzureDevOps) -> None:
    definition = azure_devops.releases.define("Shop CD", "Test")
    made = await given(somebody, "create_release", definitionId=definition)
    place = {"releaseId": made["id"], "environmentId": made["environments"][0]["id"]}
    told = await somebody.told("deploy_release", **place)
    assert "Deploy release" in told
    assert "Users of Test get the deployed version" in told
    assert "deploy_release deploys an earlier release to Test again" in told
    assert azure_devops.releases.environment(made["id"], "Test")["status"] == "notStarted"


async def test_more_than_five_work_items_are_asked_for_and_five_are_not(
    somebody: Caller, azure_devops: FakeAzureDevOps
) -> None:
    ids = [azure_devops.work_items.add("Web", "Bug", f"Bug {number}") for number in range(6)]
    await given(somebody, "update_work_item", id=ids[:5], priority=1)
    told = await somebody.told("update_work_item", id=ids, title="The same")
    assert "Nothing was done yet" in told
    # Five of them have that priority already.
    await given(somebody, "update_work_item", id=ids, priority=1)
