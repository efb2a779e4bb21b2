"""What real vaults, and Azure of accounts, were recorded to answer is understood."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from tests.mcp_server.caller import Caller
from tests.tools.azure.data import recorded, with_data
from tests.tools.azure.golden import SUBSCRIPTION, Case, Scripted

pytestmark = with_data

SUBSCRIPTIONS: Final = {"value": [{"subscriptionId": SUBSCRIPTION, "displayName": "Shop"}]}
TYPES: Final = {
    "namespace": "Microsoft.KeyVault",
    "resourceTypes": [{"resourceType": kind, "apiVersions": ["2023-07-01"]} for kind in ("vaults", "deletedVaults")],
}
ID: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/web/providers/Microsoft.KeyVault/vaults/shop-kv"
VAULT: Final = {"id": ID, "name": "shop-kv", "properties": {"vaultUri": "https://shop-kv.vault.azure.net/"}}
NAMED: Final = {"vault": ID}
GONE: Final = {**NAMED, "deleted": True}
# What is asked, what comes before the recording, the recording, and what each entry shows.
LISTS: Final[list[tuple[str, dict[str, Any], list[Any], str, set[str]]]] = [
    ("list_tenants", {}, [], "arm-subscriptions/015-tenants-list-200", {"id"}),
    ("list_tenants", {}, [], "arm-subscriptions/017-tenants-list-200", {"id"}),
    ("list_azure_subscriptions", {}, [], "arm-subscriptions/007-subscriptions-list-200", {"name", "id", "state"}),
    *(
        ("list_keyvaults", {}, [SUBSCRIPTIONS, TYPES], f"keyvault-mgmt/{name}", {"name", "id", "group", "opened_by"})
        for name in ("020-vaults-list-by-subscription-200", "022-vaults-list-by-subscription-200")
    ),
    (
        "list_keyvaults",
        {"deleted": True},
        [SUBSCRIPTIONS, TYPES],
        "keyvault-mgmt/024-vaults-list-deleted-200",
        {"name", "deleted", "purged"},
    ),
    ("list_secrets", NAMED, [TYPES, VAULT], "keyvault-data/098-get-secrets-200", {"name", "created"}),
    (
        "list_secrets",
        {**NAMED, "name": "cert1"},
        [TYPES, VAULT],
        "keyvault-data/096-get-secret-versions-200",
        {"name", "version", "content_type"},
    ),
    ("list_keyvault_keys", NAMED, [TYPES, VAULT], "keyvault-data/084-get-keys-200", {"name", "created"}),
    (
        "list_keyvault_keys",
        GONE,
        [TYPES, VAULT],
        "keyvault-data/058-get-deleted-keys-200",
        {"name", "deleted", "purged"},
    ),
    (
        "list_keyvault_certificates",
        NAMED,
        [TYPES, VAULT],
        "keyvault-data/038-get-certificates-200",
        {"name", "expires", "thumbprint"},
    ),
    (
        "list_keyvault_certificates",
        GONE,
        [TYPES, VAULT],
        "keyvault-data/048-get-deleted-certificates-200",
        {"name", "deleted", "thumbprint"},
    ),
]


async def given(caller: Caller, scripted: Scripted, tool: str, arguments: dict[str, Any], *replies: Any) -> Any:
    scripted.play(Case(tool, tool, arguments, [{"reply": reply} for reply in replies], None, None), by_turns=True)
    result = await caller.call(tool, **arguments)
    assert not result["isError"], result["content"][0]["text"]
    return result["structuredContent"]


def body_of(name: str) -> Any:
    return recorded(name)["response"]["body"]


@pytest.mark.parametrize(("tool", "arguments", "before", "name", "shows"), LISTS, ids=[entry[3] for entry in LISTS])
async def test_a_recorded_list_shows_what_the_tool_promises(
    tool: str,
    arguments: dict[str, Any],
    before: list[Any],
    name: str,
    shows: set[str],
    scripted: Scripted,
    player: Caller,
) -> None:
    body = body_of(name)
    shown = await given(player, scripted, tool, arguments, *before, {"value": body["value"]})
    assert shown["count"] == len(body["value"]) > 0
    assert all(shows <= item.keys() for item in shown["items"])


@pytest.mark.parametrize("name", ["024-get-certificate-200", "026-get-certificate-200"])
async def test_a_recorded_version_of_a_certificate_which_has_no_policy_is_told_by_its_thumbprint(
    name: str, scripted: Scripted, player: Caller
) -> None:
    arguments = {**NAMED, "name": "cert1"}
    body = body_of(f"keyvault-data/{name}")
    shown = await given(player, scripted, "show_keyvault_certificate", arguments, TYPES, VAULT, body)
    assert re.fullmatch("[0-9A-F]{40}", shown["thumbprint"])
    assert {"name", "version", "expires"} <= shown.keys()
    assert "cer" not in shown


@pytest.mark.parametrize("name", ["008-vaults-get-200", "010-vaults-get-200"])
async def test_a_recorded_vault_tells_who_gets_in(name: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(f"keyvault-mgmt/{name}")
    shown = await given(player, scripted, "show_keyvault", {"vault": body["id"]}, TYPES, body)
    assert shown["opened_by"] in {"roles", "access policies"}
    assert {"address", "sku"} <= shown.keys()


async def test_regions_and_not_names_for_several_of_them_are_told(scripted: Scripted, player: Caller) -> None:
    body = body_of("arm-subscriptions/011-subscriptions-list-locations-200")
    shown = await given(player, scripted, "list_locations", {}, SUBSCRIPTIONS, body)
    physical = [one for one in body["value"] if one["metadata"]["regionType"] == "Physical"]
    assert 0 < shown["count"] == len(physical) < len(body["value"])
    assert all({"name", "title"} <= item.keys() for item in shown["items"])
