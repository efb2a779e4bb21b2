"""What azd deployed at the bakery, and what it keeps in a storage account."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.azure import troubles
from tests.fakes.azure.people import OWNER, READER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.stored.blobs import Blob
from tests.fakes.azure.stored.service import FakeStorage
from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHOP
from tests.mcp_server.caller import Caller
from tests.tools.azure.inventing import NAME, answered, asking, refused
from tools.azure.azd.dotenv import values_in
from tools.azure.settings import AzureSettings

ACCOUNT: Final = "bakeryshop"
ENVIRONMENT: Final = "shop-live"
NOW: Final = datetime.now(UTC)
VALUES: Final = (
    'AZURE_ENV_NAME="shop-live"\nAZURE_SUBSCRIPTION_ID="11111111-1111-1111-1111-111111111111"\n'
    'SERVICE_WEB_URI="https://shop-web.azurewebsites.net"\nPAYMENT_KEY="pk_live_4711"\n'
    'ORDERS="Endpoint=sb://x/;SharedAccessKey=Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFyYmF6MTI="\n'
    'MAIL="akvs://11111111-1111-1111-1111-111111111111/shop-secrets/mail"\n'
)


def tagged(azure: FakeAzure) -> None:
    """The shop, as azd deployed it."""
    for name, service in (("shop-web", "web"), ("shop-orders", "orders"), ("shop-secrets", "")):
        for resource in azure.estate.resources.values():
            if resource.document["name"] == name:
                tags = {"azd-env-name": ENVIRONMENT, **({"azd-service-name": service} if service else {})}
                resource.document["tags"] = {**(resource.document.get("tags") or {}), **tags}


@asynccontextmanager
async def at_the_shop(
    who: Principal = OWNER, settings: AzureSettings | None = None
) -> AsyncIterator[tuple[Caller, FakeAzure, FakeStorage]]:
    azure, storage = FakeAzure(), FakeStorage()
    tagged(azure)
    account = storage.account(ACCOUNT)
    account.blob.add("shop", f"{ENVIRONMENT}/.env", Blob(VALUES.encode(), NOW, "text/plain"))
    account.blob.add("shop", f"{ENVIRONMENT}/config.json", Blob(b"{}", NOW, "application/json"))
    account.blob.add("shop", "shop-trial/.env", Blob(b'A="b"\n', NOW, "text/plain"))
    account.blob.add("other", "README.md", Blob(b"Bread", NOW))
    async with storage.serving():
        azure.point_storage_to(ACCOUNT, storage.endpoints(ACCOUNT))
        async with asking(azure, who, settings) as caller:
            yield caller, azure, storage


async def test_environments_are_told_by_tags_and_by_remote_state() -> None:
    async with at_the_shop() as (caller, _, _):
        tags = await answered(caller, "list_azd_environments")
        both = await answered(caller, "list_azd_environments", account=ACCOUNT)
    assert [(one["environment"], one["group"], one["in"]) for one in tags["items"]] == [
        (ENVIRONMENT, "shop-prod", NAME),
        ("shop-dev", "shop-dev", "Bakery Development"),
    ]
    kept = [one["environment"] for one in both["items"] if "kept_in" in one]
    assert kept == [ENVIRONMENT, "shop-trial"]


async def test_an_environment_shows_services_and_their_endpoints() -> None:
    async with at_the_shop() as (caller, _, _):
        found = await answered(caller, "show_azd_environment", environment=ENVIRONMENT)
    assert {one["name"]: one["endpoint"] for one in found["services"]} == {
        "web": "https://shop-web.azurewebsites.net",
        "orders": "https://shop-orders.azurewebsites.net",
    }
    assert len(found["resources"]) == 3


async def test_an_environment_that_is_not_there_says_where_others_are_named() -> None:
    async with at_the_shop() as (caller, _, _):
        assert "Use list_azd_environments" in await refused(caller, "show_azd_environment", environment="nowhere")
        told = await refused(caller, "show_azd_environment_values", environment="nowhere", account=ACCOUNT)
    assert f"Available: {ENVIRONMENT}, shop-trial." in told


async def test_values_are_shown_and_secrets_are_not() -> None:
    async with at_the_shop() as (caller, _, _):
        found = await answered(caller, "show_azd_environment_values", environment=ENVIRONMENT, account=ACCOUNT)
    assert found["kept_in"] == f"{ACCOUNT}/shop"
    assert found["values"]["SERVICE_WEB_URI"] == "https://shop-web.azurewebsites.net"
    assert found["values"]["MAIL"].startswith("akvs://")
    assert found["values"]["PAYMENT_KEY"] == "[withheld]"
    assert "Zm9v" not in str(found)


async def test_an_environment_that_several_containers_keep_is_asked_for_with_one() -> None:
    async with at_the_shop() as (caller, _, storage):
        storage.account(ACCOUNT).blob.add("shop2", f"{ENVIRONMENT}/.env", Blob(b"", NOW))
        asked = {"environment": ENVIRONMENT, "account": ACCOUNT}
        assert f"{ACCOUNT}/shop, {ACCOUNT}/shop2" in await refused(caller, "show_azd_environment_values", **asked)
        found = await answered(caller, "show_azd_environment_values", container="shop2", **asked)
    assert "values" not in found


async def test_remote_state_that_one_may_not_read_is_told_beside_what_is_deployed() -> None:
    async with at_the_shop() as (caller, _, storage):
        storage.account(ACCOUNT).is_closed = True
        found = await answered(caller, "list_azd_environments", account=ACCOUNT)
        asked = {"environment": ENVIRONMENT, "account": ACCOUNT}
        told = await refused(caller, "show_azd_environment_values", **asked)
    assert found["count"] == 2
    assert "403 AuthorizationFailure" in found["state_unread"]
    assert "403 AuthorizationFailure" in told


async def test_deployments_that_cannot_be_read_are_told_and_the_rest_is_shown() -> None:
    async with at_the_shop() as (caller, azure, _):
        azure.places["/deployments"] = troubles.failing(403, "AuthorizationFailed", "No.")
        found = await answered(caller, "show_azd_environment", environment=ENVIRONMENT)
    assert len(found["resources"]) == 3
    assert found["deployments_unread"][0]["why"] == "Azure does not permit this (403 AuthorizationFailed)."


async def test_under_a_lock_only_what_is_within_it_is_told() -> None:
    elsewhere = AzureSettings(allowed_subscriptions=frozenset({DEVELOPMENT}))
    async with at_the_shop(settings=elsewhere) as (caller, _, _):
        assert [one["environment"] for one in (await answered(caller, "list_azd_environments"))["items"]] == [
            "shop-dev"
        ]
        await refused(caller, "show_azd_environment", environment=ENVIRONMENT)
        account = f"{SHOP}/providers/Microsoft.Storage/storageAccounts/{ACCOUNT}"
        told = await refused(caller, "show_azd_environment_values", environment=ENVIRONMENT, account=account)
    assert "outside the allowed scope" in told
    group = AzureSettings(subscription=NAME, allowed_groups=frozenset({f"{PRODUCTION}/shop-prod"}))
    async with at_the_shop(settings=group) as (caller, _, _):
        assert (await answered(caller, "list_azd_environments"))["count"] == 1
        assert len((await answered(caller, "show_azd_environment", environment=ENVIRONMENT))["resources"]) == 3


async def test_whoever_reads_one_group_is_told_of_that() -> None:
    async with at_the_shop(who=READER) as (caller, _, _):
        assert (await answered(caller, "list_azd_environments"))["items"][0]["group"] == "shop-prod"


@given(
    values=st.dictionaries(st.from_regex(r"[A-Z_][A-Z0-9_]{0,20}", fullmatch=True), st.text(max_size=40), max_size=5)
)
def test_values_are_read_as_azd_writes_them(values: dict[str, str]) -> None:
    text = "".join(f'{name}="{_escaped(value)}"\n' for name, value in values.items())
    assert values_in(text) == values


def _escaped(value: str) -> str:
    for plain, escaped in (
        ("\\", "\\\\"),
        ("\n", "\\n"),
        ("\r", "\\r"),
        ('"', '\\"'),
        ("!", "\\!"),
        ("$", "\\$"),
        ("`", "\\`"),
    ):
        value = value.replace(plain, escaped)
    return value
