"""The call that a preview names undoes the change: sent to Azure, it leaves everything as it was before."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.changes.exact.undoing import applied, call_in, differences, state_of, undone
from tests.changes.exact.undoing import asking as asking_first
from tests.fakes.azure.people import READER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN, SHOP
from tests.tools.azure.inventing import asking
from tests.tools.azure.running_changes import DOINGS, WORKER, at_work

Json = dict[str, Any]
_KEY: Final = {"vault": "oven-secrets", "kind": "secret", "name": "orders-connection"}
_TAGGED: Final = {"resource_ids": [f"{SHOP}/providers/Microsoft.Web/sites/shop-web"]}

# What running services do, where one call undoes it.
RUNNING: Final = (
    "start_app",
    "stop_app",
    "scale_app",
    "swap_app_slots",
    "set_app_settings",
    "roll_back_app",
    "create_servicebus_entity",
    "update_servicebus_entity",
    "set_servicebus_rule",
    "delete_servicebus_rule",
    "create_servicebus_namespace",
    "update_servicebus_namespace",
    "create_cosmosdb_account",
    "update_cosmosdb_account",
    "create_cosmosdb_database",
    "create_cosmosdb_container",
    "set_cosmosdb_throughput",
)
OTHERS: Final[tuple[tuple[str, Json], ...]] = (
    ("scale_app", {"app": WORKER, "least": 2, "most": 5}),
    ("create_resource_group", {"resource_group": "mill-prod", "location": "westeurope"}),
    ("tag_resources", {**_TAGGED, "tags": {"owner": "ada"}}),
    ("tag_resources", {"resource_ids": [SHOP], "tags": {"environment": "none"}}),
    ("tag_resources", {"resource_ids": [SHOP, OVEN], "tags": {"owner": "ada"}}),
    ("tag_resources", {"resource_ids": [SHOP], "tags": {}, "mode": "replace"}),
    ("create_resource_lock", {"name": "keep", "notes": "Ask Ada.", "resource_group": "oven-prod"}),
    ("enable_keyvault_item", {**_KEY, "enabled": False}),
    ("assign_role", {"principal": READER.id, "role": "Contributor", "resource_group": "oven-prod"}),
    ("create_role_definition", {"name": "Baker", "actions": ["Microsoft.Web/sites/read"]}),
)


@pytest.mark.parametrize("tool", RUNNING)
async def test_a_change_of_what_runs_is_undone_by_the_call_that_it_names(tool: str) -> None:
    azure, approvals = at_work(), asking_first()
    async with asking(azure, approvals=approvals) as caller:
        changed, left = await undone(caller, approvals, tool, DOINGS[tool].arguments, azure)
    assert changed
    assert left == []


@pytest.mark.parametrize(("tool", "arguments"), OTHERS)
async def test_a_change_is_undone_by_the_call_that_it_names(tool: str, arguments: Json) -> None:
    azure, approvals = FakeAzure(), asking_first()
    async with asking(azure, approvals=approvals) as caller:
        changed, left = await undone(caller, approvals, tool, arguments, azure)
    assert changed
    assert left == []


async def test_a_deleted_secret_comes_back_by_the_call_that_its_deletion_names() -> None:
    azure, approvals = FakeAzure(), asking_first()
    async with asking(azure, approvals=approvals) as caller:
        before = state_of(azure)
        shown = await applied(caller, approvals, "delete_keyvault_item", _KEY)
        assert shown.can_be_undone
        tool, arguments = call_in(shown.undo.line)
        # What was deleted a moment ago can be recovered some seconds later.
        assert "some seconds" in await caller.told(tool, **arguments)
        await applied(caller, approvals, tool, arguments)
    assert list(differences(before, state_of(azure))) == []
