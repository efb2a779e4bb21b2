"""As clients of Azure SDKs use a caller's credential, and when a service answers with a challenge."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import ClientAuthenticationError
from azure.core.pipeline.policies import AsyncBearerTokenCredentialPolicy
from azure.core.rest import HttpRequest
from hypothesis import given
from hypothesis import strategies as st

from clients.rest import RestClient
from identity.challenges import claims_challenge
from identity.denial import Denial
from tests.fakes.issuer import USER
from tests.fakes.transport import HastyTransport
from tests.identity.place import ARM, CLAIMS, KEY_CALLER, Place, claims_of

pytestmark = pytest.mark.anyio


def challenge_of(claims: str) -> str:
    encoded = b64encode(claims.encode()).decode()
    uri = "https://login.microsoftonline.com/common/oauth2/authorize"
    return f'Bearer realm="", authorization_uri="{uri}", error="insufficient_claims", claims="{encoded}"'


class PlainTransport(HastyTransport):
    """Lets a bearer token go over plain HTTP, which the policy under test allows nowhere."""

    async def send(self, request: Any, **options: Any) -> Any:
        request.url = request.url.replace("https:", "http:")
        return await super().send(request, **options)


@asynccontextmanager
async def service(challenge: str = "") -> AsyncIterator[tuple[str, list[str]]]:
    seen: list[str] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        seen.append(request.headers["Authorization"])
        if challenge:
            return web.json_response({}, status=401, headers={"WWW-Authenticate": challenge})
        return web.json_response({})

    runner = web.ServerRunner(web.Server(handle), shutdown_timeout=0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"https://127.0.0.1:{runner.addresses[0][1]}", seen
    finally:
        await runner.cleanup()


def client_of(url: str, credential: AsyncTokenCredential) -> RestClient:
    policy = AsyncBearerTokenCredentialPolicy[HttpRequest, Any](credential, ARM)
    return RestClient(url, authentication=policy, transport=PlainTransport())


async def test_clients_of_azure_sdks_call_as_the_caller(place: Place) -> None:
    async with (
        place.upstream().credential(place.user()) as credential,
        service() as (url, seen),
        client_of(url, credential) as client,
    ):
        await client.get("/x")
    assert claims_of(seen[0])["oid"] == USER


async def test_a_services_challenge_goes_back_to_the_client(place: Place) -> None:
    credential = place.upstream().credential(place.user())
    async with service(challenge_of(CLAIMS)) as (url, seen), client_of(url, credential) as client:
        with pytest.raises(Denial) as denied:
            await client.get("/x")
    assert (denied.value.error, denied.value.claims) == ("insufficient_claims", CLAIMS)
    assert len(seen) == 1


async def test_a_challenge_that_the_own_identity_cannot_meet_stays_here(on_azure: Place) -> None:
    credential = on_azure.upstream(on_azure=True, allowed=True).credential(KEY_CALLER)
    async with service(challenge_of(CLAIMS)) as (url, seen), client_of(url, credential) as client:
        with pytest.raises(ClientAuthenticationError):
            await client.get("/x")
    assert len(set(seen)) == 2


@pytest.mark.parametrize(
    "header",
    [
        challenge_of(CLAIMS),
        challenge_of(CLAIMS).rstrip('="') + '"',
        f"PoP error=x, nonce=y, {challenge_of(CLAIMS)}",
        f'{challenge_of(CLAIMS)}, Basic realm="claims"',
        f'{challenge_of(CLAIMS)}, claims="none"',
        f"{challenge_of(CLAIMS)}, ?",
        challenge_of(CLAIMS).replace("Bearer", "BEARER").replace("error=", "Error = "),
    ],
)
def test_a_challenge_is_read_from_its_header(header: str) -> None:
    denial = claims_challenge(header)
    assert denial
    assert json.loads(denial.claims) == json.loads(CLAIMS)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        'Bearer error="invalid_token"',
        'Bearer error="insufficient_claims"',
        'Bearer error="insufficient_claims", claims="%%%"',
        'Bearer error="insufficient_claims", claims="/w=="',
        challenge_of("no json"),
        challenge_of(CLAIMS).replace("Bearer", "PoP"),
        challenge_of(CLAIMS).replace("insufficient_claims", "invalid_token"),
        challenge_of('{"access_token":"' + "x" * 8000),
    ],
)
def test_what_is_no_challenge_is_none(header: str) -> None:
    assert claims_challenge(header) is None


@given(header=st.text() | st.text('Bearer error=insufficient_claims," '))
def test_no_header_can_break_the_reading(header: str) -> None:
    claims_challenge(header)
