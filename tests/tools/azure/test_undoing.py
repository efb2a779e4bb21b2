"""The call that a preview names undoes the change: sent to Azure, it leaves everything as it was before."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.changes.exact.undoing import applied, call_in, differences, state_of, undone
from tests.changes.exact.undoing import asking as asking_first
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION
from tests.sweeps import Sweep
from tests.tools.azure.inventing import asking
from tests.tools.azure.resource_changes.scenes import SCENES, Scene, set_up
from tests.tools.azure.running_changes import DOINGS, PAYMENT, WEB, at_work
from tests.tools.azure.undone_calls import AFTER, KEY, OTHERS, RUNNING, SEEN

Json = dict[str, Any]


@Sweep("tool", RUNNING, every=3)
async def test_a_change_of_what_runs_is_undone_by_the_call_that_it_names(tool: str) -> None:
    azure, approvals = at_work(), asking_first()
    async with asking(azure, approvals=approvals) as caller:
        changed, left = await undone(caller, approvals, tool, DOINGS[tool].arguments, azure)
    assert changed
    assert left == []


def _settle(azure: FakeAzure) -> None:
    """What was deleted a moment ago can be recovered a few seconds later."""
    for vault in azure.vaults.vaults.values():
        for one in vault.deleted["secrets"].values():
            one.settling = 0


@Sweep(("tool", "arguments"), OTHERS, every=3)
async def test_a_change_is_undone_by_the_call_that_it_names(tool: str, arguments: Json) -> None:
    azure, approvals = FakeAzure(), asking_first()
    async with asking(azure, approvals=approvals) as caller:
        changed, left = await undone(caller, approvals, tool, arguments, azure)
    assert changed
    assert left == []


@pytest.mark.parametrize(("first", "given", "tool", "arguments"), AFTER)
async def test_what_changes_something_back_is_undone_too(first: str, given: Json, tool: str, arguments: Json) -> None:
    azure, approvals = FakeAzure(), asking_first()
    async with asking(azure, approvals=approvals) as caller:
        await applied(caller, approvals, first, given)
        _settle(azure)
        changed, left = await undone(caller, approvals, tool, arguments, azure)
    assert changed
    assert left == []


@pytest.mark.parametrize("scene", [one for one in SCENES if one.name in SEEN], ids=lambda scene: scene.name)
async def test_what_becomes_of_groups_and_resources_is_undone(scene: Scene) -> None:
    azure, approvals = set_up(scene), asking_first()
    async with asking(azure, approvals=approvals) as caller:
        changed, left = await undone(caller, approvals, scene.tool, scene.arguments, azure)
    assert changed
    assert left == []


async def test_a_deleted_secret_comes_back_by_the_call_that_its_deletion_names() -> None:
    azure, approvals = FakeAzure(), asking_first()
    async with asking(azure, approvals=approvals) as caller:
        before = state_of(azure)
        shown = await applied(caller, approvals, "delete_keyvault_item", KEY)
        assert shown.can_be_undone
        tool, arguments = call_in(shown.undo.line)
        # What was deleted a moment ago can be recovered a few seconds later.
        assert "a few seconds" in await caller.told(tool, **arguments)
        await applied(caller, approvals, tool, arguments)
    assert list(differences(before, state_of(azure))) == []


@pytest.mark.parametrize("given", [{"values": {"PAYMENT_KEY": PAYMENT}}, {"remove": ["PAYMENT_KEY"]}])
async def test_a_value_that_nobody_may_see_is_in_no_call_that_undoes_a_change(given: Json) -> None:
    azure, approvals = at_work(), asking_first()
    azure.app_service.settings(WEB)["appsettings"] = {"PAYMENT_KEY": "the-Secret-0f-before"}
    async with asking(azure, approvals=approvals) as caller:
        shown = await applied(caller, approvals, "set_app_settings", {"app": WEB, **given})
    assert "secret" in shown.undo.line
    assert not shown.can_be_undone
    assert "0f-before" not in str(shown.document)


NETWORK: Final = f"/subscriptions/{PRODUCTION}/resourceGroups/network-prod/providers"


async def test_a_resource_that_azure_keeps_is_brought_back_by_the_call_that_its_deletion_names() -> None:
    azure, approvals = FakeAzure(), asking_first()
    own = f"{NETWORK}/Microsoft.OperationalInsights/workspaces/bakery-logs"
    kept = azure.estate.resources[own.lower()].document
    lock = {"lock_id": f"{NETWORK}/Microsoft.Authorization/locks/frozen-network"}
    async with asking(azure, approvals=approvals) as caller:
        await applied(caller, approvals, "delete_resource_lock", lock)
        shown = await applied(caller, approvals, "delete_azure_resource", {"resource_id": own})
        assert own.lower() not in azure.estate.resources
        azure.deleted.workspaces[own] = kept
        await applied(caller, approvals, *call_in(shown.undo.line))
    assert own.lower() in azure.estate.resources
    assert not shown.can_be_undone
