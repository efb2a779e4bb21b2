"""A deployment that Azure goes on with is followed as a task of who began it."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from mcp_server.calls.long_work import EXTENSION
from tests.fakes.azure.service import FakeAzure
from tests.mcp_server.caller import MODERN, Caller, message
from tests.tools.azure.deploying.templates import SHOP
from tests.tools.azure.inventing import NAME, answered, asking

Json = dict[str, Any]
CALL: Final[Json] = {"resource_group": "shop-prod", "subscription": NAME, "template": SHOP, "name": "bread"}


async def declaring(caller: Caller, method: str, **params: Any) -> Json:
    """What a client is answered that knows tasks."""
    meta: Json = {CLIENT_CAPABILITIES_META_KEY: {"extensions": {EXTENSION: {}}}}
    request = message(method, {**params, "_meta": meta}, MODERN, caller.headers)
    document = json.loads((await caller.endpoint.handle(request, caller.toolsets)).body)
    assert "result" in document, document
    found: Json = document["result"]
    return found


@pytest.mark.parametrize("fails", [False, True])
async def test_to_a_client_that_knows_tasks_it_is_one_which_ends_with_the_deployment(
    azure: FakeAzure, *, fails: bool
) -> None:
    if fails:
        azure.deployments.failing["Microsoft.Web/sites"] = {"code": "Conflict", "message": "The plan is full."}
    azure.work.never_ends = True
    async with asking(azure) as caller:
        task = await declaring(caller, "tools/call", name="deploy_template", arguments=CALL)
        assert (task["resultType"], task["status"]) == ("task", "working")
        assert (await declaring(caller, "tasks/get", taskId=task["taskId"]))["status"] == "working"
        azure.work.never_ends = False
        azure.deployments.end()
        seen = await declaring(caller, "tasks/get", taskId=task["taskId"])
    assert seen["status"] == "completed"
    told = seen["result"]["structuredContent"]
    assert (told["name"], told["state"]) == ("bread", "Failed" if fails else "Succeeded")
    assert len(azure.deployments.puts) == 1


async def test_other_clients_are_told_the_task_beside_how_to_look(azure: FakeAzure) -> None:
    azure.work.never_ends = True
    async with asking(azure) as caller:
        found = await answered(caller, "deploy_template", **CALL)
        assert found["status"] == "under way"
        assert "show_azure_deployment(name='bread'" in found["look_again"]
        assert (await declaring(caller, "tasks/get", taskId=found["task"]))["status"] == "working"


async def test_what_has_ended_is_no_task(azure: FakeAzure) -> None:
    async with asking(azure) as caller:
        found = await declaring(caller, "tools/call", name="deploy_template", arguments=CALL)
    assert found["structuredContent"]["status"] == "done"
