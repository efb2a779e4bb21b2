"""Which accounts records are read from, in which cloud, and as whom this server signs in there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from identity.upstream import OwnCredential
from refusal import Refusal
from settings import Settings, UpstreamSettings
from tools.cosmos_data.provider import check, lacks, open_records
from tools.cosmos_data.settings import CosmosDataSettings
from tools.provider import Supplies

pytestmark = pytest.mark.anyio

CONTAINERS = (("prod-data", "/tenantId"),)


def account(endpoint: str, **more: Any) -> CosmosDataSettings:
    return CosmosDataSettings(endpoint=endpoint, database="shop", containers=CONTAINERS, **more)


@pytest.mark.parametrize(
    ("endpoint", "cloud", "is_fine"),
    [
        ("https://shop.documents.azure.com", "public", True),
        # As the account tells its own address.
        ("https://shop.documents.azure.com:443/", "public", True),
        ("https://shop.documents.azure.us", "usgovernment", True),
        ("https://shop.documents.azure.us", "AzureUSGovernment", True),
        ("https://shop.documents.azure.cn", "china", True),
        ("https://shop.documents.azure.us", "public", False),
        ("https://shop.documents.azure.com", "usgovernment", False),
        ("https://shop.documents.azure.com", "china", False),
        ("https://documents.azure.com", "public", False),
        ("https://shopdocuments.azure.com", "public", False),
        ("https://shop.documents.azure.com.example.com", "public", False),
        ("https://shop.documents.azure.com", "http://127.0.0.1:9000", False),
        ("http://127.0.0.1:8081", "public", True),
        ("http://localhost:8081", "usgovernment", True),
    ],
)
def test_an_account_is_one_of_the_cloud_or_an_emulator(endpoint: str, cloud: str, is_fine: bool) -> None:
    told = lacks(account(endpoint), Settings(upstream=UpstreamSettings(cloud=cloud)))
    check(account(endpoint))
    assert bool(told) is not is_fine
    assert is_fine or "not in the cloud" in told


def test_what_is_not_said_is_named() -> None:
    told = lacks(CosmosDataSettings(database="shop"), Settings())
    assert "COSMOS_ENDPOINT, COSMOS_CONTAINERS" in told


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (account("https://shop.documents.azure.com", key="eA=="), "only for an emulator on this machine"),
        (account("https://shop.documents.azure.com", emulator_tenant="acme"), "only for an emulator on this machine"),
        (account("https://127.0.0.1.example.com", key="eA=="), "only for an emulator on this machine"),
        (account("http://shop.documents.azure.com"), "use https"),
        (account("https://shop.documents.azure.com:8443"), "port 443"),
        (account("https://shop.documents.azure.com/dbs"), "without a path"),
    ],
)
def test_a_key_and_a_way_around_the_sign_in_are_for_this_machine(settings: CosmosDataSettings, words: str) -> None:
    with pytest.raises(Refusal, match=words):
        check(settings)


@pytest.mark.parametrize("suffix", ["com", "us", "cn"])
async def test_the_app_signs_in_at_that_account_and_what_it_lacks_for_that_is_told(suffix: str) -> None:
    asked_for: list[str] = []

    async def no_token(scope: str) -> Any:
        asked_for.append(scope)
        raise Refusal("The managed identity of this server gets no token.")

    upstream = SimpleNamespace(own_credential=lambda: OwnCredential(no_token))
    supplies = Supplies(lambda: cast("Any", upstream), cast("Any", None), cast("Any", None))
    endpoint = f"https://shop.documents.azure.{suffix}"
    with pytest.raises(Refusal, match="gets no token"):
        async with open_records(account(endpoint), supplies):
            pass
    assert set(asked_for) == {f"{endpoint}/.default"}
