"""A deployment stack is told as it is, and deleted as it was shown: whole stories at the bakery."""

from __future__ import annotations

from typing import Any, Final

from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident, Trouble
from tests.fakes.azure.world import OVEN, PRODUCTION, SHOP
from tests.sweeps import Sweep
from tests.tools.azure.inventing import NAME, answered, asking, refused
from tests.tools.azure.team import team
from tools.azure.settings import AzureSettings

WHICH: Final = {"name": "shop", "resource_group": "shop-prod", "subscription": NAME}
DELETE: Final = {**WHICH, "action_on_unmanage": "delete"}
ORDERS: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-orders"
WEB: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
TOOL: Final = "delete_deployment_stack"
LOST: Final = {
    "cut": troubles.cut_connection,
    "half an answer": troubles.cut_body,
    "500": troubles.broken,
    "504": troubles.gateway_timeout,
}

every_trouble = Sweep("trouble", LOST.values(), ids=LOST, every=2)


def deletions(azure: FakeAzure) -> int:
    return len([one for one in azure.asked if one.method == "DELETE"])


def stacked(azure: FakeAzure, *managed: str, **more: Any) -> None:
    azure.stacks.add(SHOP, "shop", managed or (ORDERS, SHOP), **more)


async def test_a_stack_is_found_and_shown(azure: FakeAzure) -> None:
    secret = {"word": {"type": "String", "value": "hunter2-of-the-bakery"}}
    stacked(azure, deny="denyDelete", outputs=secret, parameters=secret)
    async with asking(azure) as caller:
        found = await answered(caller, "list_deployment_stacks", resource_group="shop-prod")
        assert [(one["name"], one["resources"], one["deny"]) for one in found["items"]] == [("shop", 2, "denyDelete")]
        shown = await answered(caller, "show_deployment_stack", **WHICH)
        nothing = await refused(caller, "show_deployment_stack", **{**WHICH, "name": "none"})
    assert (shown["state"], shown["outputs"], shown["deny"]["mode"]) == ("succeeded", ["word"], "denyDelete")
    assert [one["status"] for one in shown["resources"]] == ["managed", "managed"]
    assert "hunter2" not in str(shown)
    assert "404 DeploymentStackNotFound" in nothing


async def test_what_is_deleted_with_it_is_shown_by_name_and_takes_another_person(azure: FakeAzure) -> None:
    stacked(azure)
    async with team(azure) as group:
        ada = group.member("ada")
        words = await ada.told(TOOL, **DELETE)
        preview = await group.shown(words)
        assert preview.facts["deletes"] == ["Microsoft.Web/sites shop-orders of shop-prod"]
        assert preview.facts["detaches"] == ["resource group shop-prod"]
        assert preview.grave.startswith("The change deletes resources.")
        assert preview.missing == []
        assert preview.places["resource-group"] == ["shop-prod"]
        assert (preview.what, deletions(azure)) == (f"shop of {SHOP}", 0)
        await group.decides("bea", words)
        result = await ada.call(TOOL, **DELETE)
    assert result["structuredContent"]["status"] == "done", result
    assert ORDERS.lower() not in azure.estate.resources
    assert SHOP.lower() in azure.estate.groups
    assert (azure.stacks.stacks, deletions(azure)) == ({}, 1)


async def test_what_is_a_part_of_what_is_deleted_is_shown_too(azure: FakeAzure) -> None:
    stacked(azure, WEB)
    async with team(azure) as group:
        preview = await group.shown(await group.member("ada").told(TOOL, **DELETE))
    assert preview.facts["deletes"] == ["Microsoft.Web/sites shop-web of shop-prod"]
    assert preview.facts["child resources that are also deleted"] == [
        "Microsoft.Web/sites/slots shop-web/staging of shop-prod",
    ]


async def test_what_is_detached_stays(azure: FakeAzure) -> None:
    stacked(azure)
    async with team(azure) as group:
        ada = group.member("ada")
        words = await ada.told(TOOL, **WHICH)
        preview = await group.shown(words)
        both = ["Microsoft.Web/sites shop-orders of shop-prod", "resource group shop-prod"]
        assert (preview.facts["deletes"], preview.facts["detaches"], preview.grave) == ([], both, "")
        await group.decides("ada", words)
        assert (await ada.call(TOOL, **WHICH))["structuredContent"]["resources"] == "detached"
    assert ORDERS.lower() in azure.estate.resources
    assert azure.stacks.stacks == {}


async def test_lifting_what_it_denies_takes_another_person(azure: FakeAzure) -> None:
    stacked(azure, deny="denyWriteAndDelete")
    async with team(azure) as group:
        preview = await group.shown(await group.member("ada").told(TOOL, **WHICH))
    assert preview.grave == "The change removes settings that prevent others from changing or deleting resources."
    assert preview.facts["deny settings"] == "denyWriteAndDelete"


async def test_what_it_manages_by_now_is_shown_anew(azure: FakeAzure) -> None:
    stacked(azure)
    async with team(azure) as group:
        ada = group.member("ada")
        await group.decides("bea", await ada.told(TOOL, **DELETE))
        stacked(azure, ORDERS, WEB)
        group.later(301)
        assert "a different effect than the preview" in await ada.told(TOOL, **DELETE)
    assert deletions(azure) == 0


async def test_a_lock_on_what_would_be_deleted_is_told_before(azure: FakeAzure) -> None:
    stacked(azure)
    azure.tags_and_locks.lock(ORDERS, "CanNotDelete", "hold", "Ask Grace.")
    async with team(azure) as group:
        told = await group.member("ada").told(TOOL, **DELETE)
    assert "Cannot delete the resource because of these locks: 'hold'" in told
    assert "/changes/" not in told


async def test_while_something_is_done_with_it_nothing_is(azure: FakeAzure) -> None:
    stacked(azure, provisioningState="deploying")
    async with asking(azure) as caller:
        assert "Another operation on the stack is running (deploying)" in await refused(caller, TOOL, **DELETE)
    assert deletions(azure) == 0


async def test_a_stack_that_manages_what_is_out_of_reach_stays(azure: FakeAzure) -> None:
    stacked(azure, ORDERS, f"{OVEN}/providers/Microsoft.Web/sites/oven")
    settings = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset({"shop-prod"}))
    async with asking(azure, settings=settings) as caller:
        for action in ("detach", "delete"):
            arguments = {**WHICH, "subscription": PRODUCTION, "action_on_unmanage": action}
            assert "outside the allowed scope" in await refused(caller, TOOL, **arguments)
    assert deletions(azure) == 0


@every_trouble
async def test_a_lost_answer_is_found_out(azure: FakeAzure, trouble: Trouble) -> None:
    stacked(azure)
    azure.work.polls = 0
    azure.accidents.append(Accident("DELETE", "/deploymentStacks/", trouble, is_done=True))
    async with asking(azure) as caller:
        found = await answered(caller, TOOL, **DELETE)
    assert (found["status"], deletions(azure)) == ("done", 1)
    assert ORDERS.lower() not in azure.estate.resources


@every_trouble
async def test_what_was_not_taken_is_told_as_that(azure: FakeAzure, trouble: Trouble) -> None:
    stacked(azure)
    azure.accidents.append(Accident("DELETE", "/deploymentStacks/", trouble))
    async with asking(azure) as caller:
        told = await refused(caller, TOOL, **DELETE)
    assert "request was not sent again" in told
    assert "show_deployment_stack(name='shop', resource_group='shop-prod'" in told
    assert (len(azure.stacks.stacks), deletions(azure)) == (1, 1)


async def test_what_azure_takes_long_for_is_told_as_under_way(azure: FakeAzure) -> None:
    stacked(azure)
    azure.work.never_ends = True
    async with asking(azure) as caller:
        found = await answered(caller, TOOL, **DELETE)
        assert found["status"] == "under way"
        assert "show_deployment_stack(name='shop'" in found["look_again"]
        assert "(deleting)" in await refused(caller, TOOL, **DELETE)
    assert deletions(azure) == 1
