"""An app in one cloud keeps what it has, signs people in and calls services there."""

from __future__ import annotations

import json

import pytest

from app.pages import AppPages
from app.storage import address_of
from clients.azure.cloud import CLOUDS, cloud_named
from identity.caller import ANONYMOUS
from mcp_server.http.messages import HttpRequest
from refusal import Refusal
from tests.offline import app_of

ISSUERS = {
    "public": "https://login.microsoftonline.com/7e7a7700-0000-4000-8000-00000000aaaa/v2.0",
    "usgovernment": "https://login.microsoftonline.us/7e7a7700-0000-4000-8000-00000000aaaa/v2.0",
    "china": "https://login.partner.microsoftonline.cn/7e7a7700-0000-4000-8000-00000000aaaa/v2.0",
}


@pytest.mark.parametrize(
    ("cloud", "address"),
    [
        ("public", "https://st1.table.core.windows.net"),
        ("AzureUSGovernment", "https://st1.table.core.usgovcloudapi.net"),
        ("AzureChinaCloud", "https://st1.table.core.chinacloudapi.cn"),
    ],
)
def test_what_the_app_keeps_is_in_its_own_cloud(cloud: str, address: str) -> None:
    assert address_of("st1", "table", cloud_named(cloud)) == address


async def servers_of(cloud: str, issuer: str) -> list[str]:
    """Where the app of a cloud tells clients to sign in."""
    sign_in = {"AUTH_MODE": "oauth", "AUTH_ISSUER": issuer, "AUTH_AUDIENCE": "app", "AUTH_SCOPE": "api://app/access"}
    app = app_of({"AZURE_FUNCTIONS_ENVIRONMENT": "Development", "AZURE_CLOUD": cloud, **sign_in})
    request = HttpRequest("GET", "/.well-known/oauth-protected-resource/mcp", {"host": "localhost:7071"}, b"")
    answer = await AppPages(app).resource_metadata(request, "/mcp")
    servers: list[str] = json.loads(answer.body)["authorization_servers"]
    return servers


@pytest.mark.anyio
@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("signed_in_at", ISSUERS)
async def test_a_sign_in_of_another_cloud_is_refused(cloud: str, signed_in_at: str) -> None:
    issuer = ISSUERS[signed_in_at]
    if cloud == signed_in_at:
        assert await servers_of(cloud, issuer) == [issuer]
        return
    with pytest.raises(Refusal, match=f"AUTH_ISSUER belongs to the cloud {signed_in_at}, but AZURE_CLOUD is {cloud}"):
        await servers_of(cloud, issuer)


@pytest.mark.anyio
async def test_an_issuer_outside_of_azure_fits_every_cloud() -> None:
    assert await servers_of("china", "https://login.example.com/v2.0") == ["https://login.example.com/v2.0"]


@pytest.mark.anyio
async def test_an_app_without_sign_in_fits_every_cloud() -> None:
    settings = {"AZURE_FUNCTIONS_ENVIRONMENT": "Development", "AZURE_CLOUD": "china", "AUTH_ISSUER": ""}
    assert await app_of(settings).door.enter({}) == ANONYMOUS


@pytest.mark.anyio
async def test_an_emulator_takes_any_sign_in() -> None:
    assert await servers_of("http://127.0.0.1:9999", ISSUERS["china"]) == [ISSUERS["china"]]
