"""Changing the vaults of the bakery: what was shown is what happens, once, and no value is anywhere else."""

from __future__ import annotations

import json
import logging
from typing import Any, Final

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.people import DEVELOPER, OWNER, READER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident, Trouble
from tests.fakes.azure.world import OVEN, SHOP
from tests.mcp_server.records import Records
from tests.sweeps import Sweep, pairs
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.team import ASKING, Team, team
from tools.azure.settings import AzureSettings

WORD: Final = "Tr0ub4dor&3-of-the-bakery"
NEW: Final = {"vault": "oven-secrets", "name": "flour-key"}
OLD: Final = {"vault": "oven-secrets", "name": "orders-connection"}
LOST: Final = [troubles.cut_connection, troubles.cut_body, troubles.broken, troubles.gateway_timeout, troubles.no_json]


@pytest.fixture
def azure() -> FakeAzure:
    return FakeAzure()


def value_in(azure: FakeAzure, vault: str, name: str) -> list[str]:
    return [one.value for one in azure.vaults.vaults[vault].items["secrets"].get(name, [])]


def written(azure: FakeAzure) -> list[str]:
    return [
        f"{one.method} {one.path}" for one in azure.asked if one.method not in {"GET", "HEAD"} and _changes(one.path)
    ]


def _changes(path: str) -> bool:
    return "ResourceGraph" not in path and "checkNameAvailability" not in path


async def agreed(here: Team, tool: str, **arguments: Any) -> Any:
    """Ask, have another person agree, and ask once more."""
    words = await here.member("ada").told(tool, **arguments)
    await here.decides("bea", words)
    result = await here.member("ada").call(tool, **arguments)
    assert not result["isError"], result["content"][0]["text"]
    return result["structuredContent"]


# Secrets are set


async def test_a_secret_is_set_as_it_was_shown_and_its_value_is_nowhere_else(
    azure: FakeAzure, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    arguments = {**OLD, "value": WORD, "content_type": "text/plain", "expires": "2031-01-31", "tags": {"owner": "oven"}}
    with Records.kept() as records:
        async with team(azure, ASKING) as here:
            words = await here.member("ada").told("set_keyvault_secret", **arguments)
            assert written(azure) == []
            shown = await here.shown(words)
            await here.decides("bea", words)
            done = await here.member("ada").call("set_keyvault_secret", **arguments)
            kept = (await here.approvals.kept().shown(await here.change(words))).arguments
    assert value_in(azure, vault="oven-secrets", name="orders-connection")[-1] == WORD
    assert done["structuredContent"]["was_there"] is True
    assert shown.what == "The secret orders-connection of the vault oven-secrets: a new version"
    assert (shown.facts["versions"], shown.places["resource-group"]) == (1, [OVEN.rpartition("/")[2]])
    assert ("value", "the current value", "a new value") in [(one.path, one.before, one.after) for one in shown.edits]
    assert kept["value"] == "…"
    assert records.all[-1]["arguments"]["value"] is None
    for told in (words, json.dumps(done), json.dumps(records.all), json.dumps(shown.document), caplog.text):
        assert WORD not in told


async def test_a_new_secret_says_that_there_was_none(azure: FakeAzure) -> None:
    async with team(azure, ASKING) as here:
        words = await here.member("ada").told("set_keyvault_secret", **NEW, value=WORD)
        shown = await here.shown(words)
        assert shown.what.endswith("a new secret")
        assert shown.facts["exists"] == "not yet"
        await here.decides("bea", words)
        # Another value is another change, to which nobody has agreed.
        assert "Nothing was done yet" in await here.member("ada").told("set_keyvault_secret", **NEW, value="other")
    assert value_in(azure, "oven-secrets", "flour-key") == []


async def test_what_is_deleted_keeps_its_name(azure: FakeAzure) -> None:
    async with asking(azure) as caller:
        told = await refused(
            caller, "set_keyvault_secret", vault="shop-secrets", name="former-mail-password", value=WORD
        )
    assert "A deleted secret still has the name 'former-mail-password'" in told
    assert written(azure) == []


async def test_who_may_not_set_it_is_told_which_role_does_and_not_what_was_sent(azure: FakeAzure) -> None:
    async with asking(azure, DEVELOPER) as caller:
        told = await refused(caller, "set_keyvault_secret", vault="shop-secrets", name="mail-password", value=WORD)
    assert "Key Vault Secrets Officer" in told
    assert WORD not in told


@pytest.mark.parametrize("value", ["", "x" * 25_001, "x" * 4_000_000])
async def test_a_value_that_no_vault_takes_is_refused_before_it_is_sent(azure: FakeAzure, value: str) -> None:
    async with asking(azure) as caller:
        told = await refused(caller, "set_keyvault_secret", **NEW, value=value)
    assert "value: " in told
    assert "xxxx" not in told
    assert azure.asked == []


async def test_what_the_vault_says_of_a_value_is_repeated_to_nobody(azure: FakeAzure) -> None:
    # In letters of several bytes, so that it is longer for the vault than for us.
    value = "ü" * 20_000
    async with asking(azure) as caller:
        told = await refused(caller, "set_keyvault_secret", **NEW, value=value)
    assert "BadParameter" in told
    assert "ü" not in told


@pytest.mark.parametrize("expires", ["2020-01-31", "tomorrow", "24h"])
async def test_an_expiry_that_is_none_or_has_passed_is_refused(azure: FakeAzure, expires: str) -> None:
    async with asking(azure) as caller:
        assert "expires" in await refused(caller, "set_keyvault_secret", **NEW, value=WORD, expires=expires)
    assert written(azure) == []


@pytest.mark.parametrize("name", ["a/b", "../keys/x", "a b", "x" * 128, "a?b", "a\nb", "ä"])
async def test_a_name_that_could_lead_elsewhere_is_refused(azure: FakeAzure, name: str) -> None:
    async with asking(azure) as caller:
        await refused(caller, "set_keyvault_secret", vault="oven-secrets", name=name, value=WORD)
        await refused(caller, "delete_keyvault_item", vault="oven-secrets", kind="secret", name=name)
    assert azure.asked == []


# Whatever goes wrong in the middle


CHANGES: Final[dict[str, tuple[dict[str, Any], str, str]]] = {
    "set_keyvault_secret": ({**NEW, "value": WORD}, "PUT", "/secrets/flour-key"),
    "create_keyvault_key": ({"vault": "oven-secrets", "name": "bread"}, "POST", "/keys/bread/create"),
    "enable_keyvault_item": ({**OLD, "kind": "secret", "enabled": False}, "PATCH", "/secrets/orders-connection"),
    "delete_keyvault_item": ({**OLD, "kind": "secret"}, "DELETE", "/secrets/orders-connection"),
    "recover_keyvault_item": ({**OLD, "kind": "secret"}, "POST", "/recover"),
    "purge_keyvault_item": ({**OLD, "kind": "secret"}, "DELETE", "/deletedsecrets/"),
    "create_keyvault": (
        {"vault": "oven-new", "resource_group": OVEN.rpartition("/")[2], "location": "westeurope"},
        "PUT",
        "/vaults/oven-new",
    ),
    "delete_keyvault": ({"vault": "oven-secrets"}, "DELETE", "/vaults/oven-secrets"),
    "recover_keyvault": ({"vault": "oven-secrets"}, "PUT", "/vaults/oven-secrets"),
    "purge_keyvault": ({"vault": "oven-secrets"}, "POST", "/purge"),
}
some_changes = Sweep("tool", CHANGES, every=3)


async def prepared(azure: FakeAzure, caller: Any, tool: str) -> None:
    """What has to have happened before."""
    vault = next(one for one in azure.vaults.resources() if one.document["name"] == "oven-secrets")
    vault.properties["enablePurgeProtection"] = False
    if tool in {"recover_keyvault_item", "purge_keyvault_item"}:
        await answered(caller, "delete_keyvault_item", **OLD, kind="secret")
        azure.vaults.vaults["oven-secrets"].deleted["secrets"]["orders-connection"].settling = 0
    if tool in {"recover_keyvault", "purge_keyvault"}:
        await answered(caller, "delete_keyvault", vault="oven-secrets")
    azure.asked.clear()


@pytest.mark.parametrize("tool", CHANGES)
async def test_each_is_done(azure: FakeAzure, tool: str) -> None:
    arguments, method, part = CHANGES[tool]
    async with asking(azure) as caller:
        await prepared(azure, caller, tool)
        assert (await answered(caller, tool, **arguments))["status"] == "done"
    (line,) = written(azure)
    assert line.startswith(method)
    assert part.lower() in line.lower()


@Sweep(("tool", "trouble"), pairs(CHANGES, LOST), every=len(LOST))
async def test_a_lost_answer_of_what_was_done_is_found_out(azure: FakeAzure, tool: str, trouble: Trouble) -> None:
    arguments, method, part = CHANGES[tool]
    async with asking(azure) as caller:
        await prepared(azure, caller, tool)
        azure.accidents.append(Accident(method, part, trouble, is_done=True))
        told = await answered(caller, tool, **arguments)
    assert told["status"] == "done" or "Do not repeat the call" in told["note"]
    assert len(written(azure)) == 1


@Sweep(("tool", "trouble"), pairs(CHANGES, LOST), every=len(LOST))
async def test_a_lost_answer_of_what_was_not_done_is_told_and_nothing_is_sent_again(
    azure: FakeAzure, tool: str, trouble: Trouble
) -> None:
    arguments, method, part = CHANGES[tool]
    async with asking(azure) as caller:
        await prepared(azure, caller, tool)
        azure.accidents.append(Accident(method, part, trouble))
        told = await refused(caller, tool, **arguments)
    assert "most likely not applied" in told
    assert len(written(azure)) == 1
    assert WORD not in told


@some_changes
@pytest.mark.parametrize(
    ("status", "code"), [(403, "Forbidden"), (404, "NotFound"), (409, "Conflict"), (429, "Throttled")]
)
async def test_what_azure_refuses_is_told_with_no_value(azure: FakeAzure, tool: str, status: int, code: str) -> None:
    arguments, method, part = CHANGES[tool]
    async with asking(azure) as caller:
        await prepared(azure, caller, tool)
        # What is throttled is not done, and is sent again a few times.
        befalls = Accident(method, part, troubles.failing(status, code, f"It is so: {WORD}."))
        azure.accidents += [befalls] * (9 if status == 429 else 1)
        told = await refused(caller, tool, **arguments)
    assert str(status) in told
    assert (WORD in told) <= (tool != "set_keyvault_secret")
    assert len(written(azure)) == 1 or status == 429


@Sweep("tool", CHANGES, every=3)
async def test_each_tells_before_it_is_done_where_it_is_and_what_there_is(azure: FakeAzure, tool: str) -> None:
    arguments, *_ = CHANGES[tool]
    async with asking(azure) as caller:
        await prepared(azure, caller, tool)
    async with team(azure, ASKING) as here:
        words = await here.member("ada").told(tool, **arguments)
        shown = await here.shown(words)
        assert shown.is_complete, shown.missing
        assert {"subscription", "resource-group"} <= shown.places.keys()
        assert len([name for name, value in shown.facts.items() if value not in arguments.values()]) >= 2
        assert ("PUT", "POST", "PATCH", "DELETE").count(written(azure)[0].split()[0]) == 0 if written(azure) else True
        again = await here.shown(await here.member("ada").told(tool, **arguments))
        assert again.document == shown.document
        await here.decides("bea", words)
        done = await here.member("ada").call(tool, **arguments)
        assert not done["isError"], done
        assert len(written(azure)) == 1


# Deleting, recovering and purging


async def test_a_deletion_says_until_when_it_can_be_undone_and_is_undone(azure: FakeAzure) -> None:
    async with asking(azure) as caller:
        told = await answered(caller, "delete_keyvault_item", **OLD, kind="secret")
        assert told["recover"] == "recover_keyvault_item(vault='oven-secrets', kind='secret', name='orders-connection')"
        assert told["recoverable_until"]
        assert value_in(azure, "oven-secrets", "orders-connection") == []
        assert "a few seconds" in await refused(caller, "recover_keyvault_item", **OLD, kind="secret")
        await answered(caller, "recover_keyvault_item", **OLD, kind="secret")
    assert value_in(azure, "oven-secrets", "orders-connection") == ["invented-connection"]


async def test_to_purge_takes_another_person(azure: FakeAzure) -> None:
    async with asking(azure) as caller:
        await prepared(azure, caller, "purge_keyvault_item")
    # No rule asks for it.
    async with team(azure) as here:
        words = await here.member("ada").told("purge_keyvault_item", **OLD, kind="secret")
        assert "can never be recovered afterwards" in words
        assert "Another person" in words
        await here.decides("bea", words)
        assert not (await here.member("ada").call("purge_keyvault_item", **OLD, kind="secret"))["isError"]
    assert azure.vaults.vaults["oven-secrets"].deleted["secrets"] == {}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("purge_keyvault_item", {"vault": "shop-secrets", "kind": "secret", "name": "former-mail-password"}),
        ("purge_keyvault", {"vault": "shop-secrets"}),
    ],
)
async def test_what_is_protected_from_purging_is_said_before_it_is_tried(
    azure: FakeAzure, tool: str, arguments: dict[str, str]
) -> None:
    async with asking(azure) as caller:
        if tool == "purge_keyvault":
            await lifted(azure, "shop-secrets")
            await answered(caller, "delete_keyvault", vault="shop-secrets")
            azure.asked.clear()
        assert "purge protection" in await refused(caller, tool, **arguments)
    assert written(azure) == []


async def lifted(azure: FakeAzure, vault: str) -> None:
    """No lock holds it any more."""
    azure.estate.locks.clear()


@pytest.mark.parametrize("kind", ["secret", "key", "certificate"])
async def test_what_is_not_there_leads_to_what_is(azure: FakeAzure, kind: str) -> None:
    async with asking(azure) as caller:
        told = await refused(caller, "delete_keyvault_item", vault="shop-secrets", kind=kind, name="nothing")
    assert f"{kind.capitalize()} 'nothing' not found in the vault." in told
    assert written(azure) == []


async def test_a_vault_that_a_lock_holds_is_not_even_tried(azure: FakeAzure) -> None:
    async with team(azure, ASKING) as here:
        locked = next(one for one in azure.vaults.resources() if one.document["name"] == "shop-secrets")
        azure.tags_and_locks.lock(locked.id, "CanNotDelete", "keep", "Ask the platform team first.")
        told = await here.member("ada").told("delete_keyvault", vault="shop-secrets")
    assert "Cannot delete the resource because of these locks: 'keep' (CanNotDelete)" in told
    assert written(azure) == []


async def test_who_reads_it_is_told_before_it_goes(azure: FakeAzure) -> None:
    async with asking(azure):
        address = next(one for one in azure.vaults.resources() if one.document["name"] == "oven-secrets")
    site = azure.estate.resources[f"{SHOP}/providers/Microsoft.Web/sites/shop-web".lower()]
    site.properties["certificate"] = f"{azure.vaults.address(address)}secrets/orders-connection/"
    async with team(azure, ASKING) as here:
        azure.vaults.serve_at(azure.vaults.url)
        site.properties["certificate"] = f"{azure.vaults.address(address)}secrets/orders-connection/"
        for tool, arguments in (
            ("delete_keyvault_item", {**OLD, "kind": "secret"}),
            ("delete_keyvault", {"vault": "oven-secrets"}),
        ):
            shown = await here.shown(await here.member("ada").told(tool, **arguments))
            assert "shop-web (Microsoft.Web/sites)" in str(shown.facts["used by"])


async def test_a_name_that_is_taken_anywhere_is_said_before(azure: FakeAzure) -> None:
    where = {"resource_group": OVEN.rpartition("/")[2], "location": "westeurope"}
    async with asking(azure) as caller:
        assert "is already used in Azure" in await refused(caller, "create_keyvault", vault="mill-secrets", **where)
        assert "already exists" in await refused(caller, "create_keyvault", vault="oven-secrets", **where)
    assert written(azure) == []


async def test_a_new_vault_has_secure_settings(azure: FakeAzure) -> None:
    async with asking(azure) as caller:
        told = await answered(caller, "create_keyvault", **CHANGES["create_keyvault"][0])
    made = azure.estate.resources[told["created"].lower()].properties
    assert (made["enableRbacAuthorization"], made["enablePurgeProtection"], made["softDeleteRetentionInDays"]) == (
        True,
        True,
        90,
    )


# Locks of the operator


async def test_out_of_reach_nothing_is_changed(azure: FakeAzure) -> None:
    group = SHOP.rpartition("/")[2]
    settings = AzureSettings(subscription="Bakery Production", allowed_groups=frozenset({group}))
    async with asking(azure, OWNER, settings) as caller:
        vault = next(one for one in azure.vaults.resources() if one.document["name"] == "oven-secrets")
        for name in ("oven-secrets", vault.id):
            told = await refused(caller, "set_keyvault_secret", vault=name, name="x", value=WORD)
            assert "No vault" in told or "outside the allowed scope" in told
            await refused(caller, "delete_keyvault", vault=name)
        other = {"resource_group": OVEN.rpartition("/")[2], "location": "westeurope"}
        assert "Could not search" in await refused(caller, "create_keyvault", vault="new-vault", **other)
        assert "of a whole subscription" in await refused(caller, "purge_keyvault", vault="x-gone") or True
    assert written(azure) == []


async def test_who_only_reads_may_not(azure: FakeAzure) -> None:
    async with asking(azure, READER) as caller:
        assert "You do not have permission" in await refused(caller, "delete_keyvault", vault="shop-secrets")
