"""Reading the vaults of the bakery."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.azure.people import DEVELOPER, OWNER, READER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import cut_connection
from tests.mcp_server.records import Records
from tests.tools.azure.bakery import at_the_bakery


async def items(who: Principal, tool: str, **arguments: Any) -> dict[str, dict[str, Any]]:
    async with at_the_bakery(FakeAzure(), who) as caller:
        result = await caller.call(tool, **arguments)
        assert not result["isError"], result
        return {item["name"]: item for item in result["structuredContent"]["items"]}


async def refusal(who: Principal, tool: str, **arguments: Any) -> str:
    async with at_the_bakery(FakeAzure(), who) as caller:
        return await caller.told(tool, **arguments)


async def test_secrets_are_told_without_their_values() -> None:
    found = await items(OWNER, "list_secrets", vault="shop-secrets")
    assert {"payment-api-key", "mail-password", "old-token", "disabled-token"} <= found.keys()
    assert found["disabled-token"]["enabled"] is False
    assert "invented-" not in json.dumps(found)


async def test_versions_and_deleted_secrets_are_told() -> None:
    async with at_the_bakery(FakeAzure()) as caller:
        answer = await caller.call("list_secrets", vault="shop-secrets", name="payment-api-key")
        assert answer["structuredContent"]["count"] == 2
    assert "purged" in (await items(OWNER, "list_secrets", vault="shop-secrets", deleted=True))["former-mail-password"]


async def test_who_may_only_see_the_vault_is_told_which_role_opens_it() -> None:
    said = await refusal(READER, "list_secrets", vault="shop-secrets")
    assert "ForbiddenByRbac" in said
    assert "The request requires the role 'Key Vault Reader'" in said
    assert READER.id not in said


async def test_a_reader_of_the_vault_sees_names_and_gets_no_value() -> None:
    assert "mail-password" in await items(DEVELOPER, "list_secrets", vault="shop-secrets")
    said = await refusal(DEVELOPER, "show_keyvault_secret", vault="shop-secrets", name="mail-password")
    assert "The request requires the role 'Key Vault Secrets User'" in said
    assert DEVELOPER.id not in said


async def test_a_value_is_given_to_who_may_have_it_and_stands_in_no_record() -> None:
    with Records.kept() as records:
        async with at_the_bakery(FakeAzure()) as caller:
            answer = await caller.call("show_keyvault_secret", vault="shop-secrets", name="mail-password")
            await caller.call("list_secrets", vault="shop-secrets")
    assert answer["structuredContent"]["value"] == "invented-mail"
    given, listed = records.all
    assert given["secret"] is True
    assert given["arguments"] == {"vault": "shop-secrets", "name": "mail-password"}
    assert "secret" not in listed
    assert "invented-mail" not in json.dumps(records.all)


async def test_a_disabled_secret_has_no_value() -> None:
    said = await refusal(OWNER, "show_keyvault_secret", vault="shop-secrets", name="disabled-token")
    assert "has no value until it is enabled" in said


async def test_a_secret_that_is_not_there_leads_to_those_that_are() -> None:
    said = await refusal(OWNER, "show_keyvault_secret", vault="shop-secrets", name="former-mail-password")
    assert "Use list_secrets to find secrets, and pass `deleted` to find deleted secrets." in said


async def test_what_expires_soon_is_found_over_all_vaults() -> None:
    async with at_the_bakery(FakeAzure()) as caller:
        answer = (await caller.call("list_expiring_secrets", days=26))["structuredContent"]
    found = {(item["vault"], item["name"]): item for item in answer["items"]}
    assert found[("shop-secrets", "old-token")]["expired"] is True
    assert "expired" not in found[("shop-secrets", "payment-api-key")]
    assert found[("shop-secrets", "shop-site")]["kind"] == "certificate"
    assert ("shop-secrets", "api-site") not in found
    assert [item["expires"] for item in answer["items"]] == sorted(item["expires"] for item in answer["items"])


async def test_a_vault_that_refuses_is_named_and_does_not_stop_the_others() -> None:
    async with at_the_bakery(FakeAzure(), DEVELOPER) as caller:
        answer = (await caller.call("list_expiring_secrets", days=26))["structuredContent"]
    assert {item["vault"] for item in answer["items"]} == {"shop-secrets"}
    assert any("oven-secrets: secrets" in left["names"] for left in answer["not_read"])


async def test_a_vault_behind_a_private_endpoint_is_told_to_be_behind_one() -> None:
    azure = FakeAzure()
    vault = next(one for one in azure.estate.resources.values() if one.document["name"] == "shop-secrets")
    vault.properties["publicNetworkAccess"] = "Disabled"
    azure.places["/vault/shop-secrets"] = cut_connection
    async with at_the_bakery(azure) as caller:
        said = await caller.told("list_secrets", vault="shop-secrets")
    assert "could not be reached" in said
    assert "only private endpoints can reach the resource" in said
