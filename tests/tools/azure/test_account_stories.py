"""Who one is at the bakery, and what one may do there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.azure.people import DEVELOPER, HOME, NOBODY, OWNER, PIPELINE, READER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT, SHOP
from tests.tools.azure.bakery import at_the_bakery


async def told(who: Principal, tool: str, **arguments: Any) -> dict[str, Any]:
    async with at_the_bakery(FakeAzure(), who) as caller:
        result = await caller.call(tool, **arguments)
        assert not result["isError"], result
        return dict(result["structuredContent"])


async def test_one_is_whom_azure_takes_one_for() -> None:
    found = await told(DEVELOPER, "show_user")
    assert (found["name"], found["sign_in"], found["id"]) == (DEVELOPER.title, DEVELOPER.name, DEVELOPER.id)
    assert (found["kind"], found["tenant"]) == ("user", HOME)


async def test_an_app_is_told_to_be_one() -> None:
    assert (await told(PIPELINE, "show_user"))["kind"] == "app"


async def test_an_owner_may_do_everything_and_grant_roles() -> None:
    found = await told(OWNER, "show_my_access", subscription="Bakery Production")
    assert (found["read"], found["change"], found["grant_roles"]) == ("everything", "everything", True)
    assert {role["role"] for role in found["roles"]} >= {"Owner", "Key Vault Administrator"}


async def test_roles_of_groups_count_and_are_told_as_such() -> None:
    found = await told(DEVELOPER, "show_my_access", resource_group="shop-prod")
    assert (found["read"], found["change"], found["grant_roles"]) == ("everything", "some", False)
    roles = {role["role"]: role.get("by_group") for role in found["roles"]}
    assert roles["Website Contributor"] is True
    assert roles["Key Vault Reader"] is None


@pytest.mark.parametrize(
    ("action", "allowed"),
    [
        ("Microsoft.Web/sites/restart/action", True),
        ("Microsoft.Storage/storageAccounts/listKeys/action", False),
        ("Microsoft.Storage/storageAccounts/read", True),
        ("Microsoft.KeyVault/vaults/secrets/getSecret/action", False),
    ],
)
async def test_one_may_ask_for_one_action(action: str, *, allowed: bool) -> None:
    found = await told(DEVELOPER, "show_my_access", resource_group="shop-prod", action=action)
    assert found["allowed"] is allowed


async def test_what_one_may_do_with_data_is_told_at_the_resource() -> None:
    vault = f"{SHOP}/providers/Microsoft.KeyVault/vaults/shop-secrets"
    found = await told(DEVELOPER, "show_my_access", resource=vault)
    assert found["data"] != "none"


async def test_who_may_do_nothing_is_told_so_or_sees_no_subscription() -> None:
    async with at_the_bakery(FakeAzure(), NOBODY) as caller:
        assert "You cannot see any subscription" in await caller.told("show_my_access")


async def test_who_reads_a_group_reads_nothing_beside_it() -> None:
    assert (await told(READER, "show_my_access", resource_group="shop-prod"))["read"] == "everything"
    assert (await told(READER, "show_my_access", resource_group="oven-prod"))["read"] == "nothing"


async def test_another_subscription_is_shown_where_it_is_named() -> None:
    found = await told(OWNER, "show_account", subscription="bakery development")
    assert found["subscription"]["id"] == DEVELOPMENT
