"""In whose name Azure DevOps is called, from a request with a token to what the service sees."""

from __future__ import annotations

import logging
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import jwt
import pytest

from app.access import door_of
from app.signing_in import upstream_of
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from refusal import Refusal
from settings import Settings
from tests.fakes.azure_devops import troubles
from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.fakes.issuer import AUDIENCE, SCOPE, TENANT, USER, Issuer, issuing
from tests.fakes.opened import Opened
from tests.fakes.upstream_identity import UpstreamIdentity
from tests.mcp_server.caller import Caller
from tools import TOOLSETS as ALL_TOOLSETS
from tools.azure_devops import TOOLSETS
from tools.azure_devops.access import AZURE_DEVOPS
from tools.azure_devops.provider import access, provider
from tools.azure_devops.settings import AzureDevOpsSettings
from tools.provider import Supplies

pytestmark = pytest.mark.anyio

LISTING: tuple[str, dict[str, Any]] = ("tools/call", {"name": "list_projects", "arguments": {}})
SECRET = "m4rked-client-secret"  # noqa: S105 - of an invented app
TOKEN = "m4rked-personal-token"  # noqa: S105 - of nobody


@dataclass
class Office:
    endpoint: Endpoint
    issuer: Issuer
    service: FakeAzureDevOps
    identity: UpstreamIdentity

    def caller(self, **claims: Any) -> Caller:
        return self._bearing(self.issuer.token(**{"roles": ["Developer"], **claims}))

    def pipeline(self) -> Caller:
        return self._bearing(self.issuer.app_token(roles=["Developer"]))

    def _bearing(self, token: str) -> Caller:
        return Caller(self.endpoint, "all", {"authorization": f"Bearer {token}"})

    @property
    def authorization(self) -> str:
        """What the service was shown last."""
        return str(self.service.asked[-1].headers["Authorization"])

    @property
    def represented(self) -> str:
        """In whose name the service was asked last."""
        claims = jwt.decode(self.authorization.removeprefix("Bearer "), options={"verify_signature": False})
        return str(claims["oid"])


@asynccontextmanager
async def office(**changed: str) -> AsyncIterator[Office]:
    service, identity = FakeAzureDevOps(), UpstreamIdentity(SECRET)
    async with issuing(identity) as issuer, service.serving() as url:
        own: dict[str, str] = {
            "AUTH_MODE": "oauth",
            "AUTH_ISSUER": issuer.url,
            "AUTH_AUDIENCE": AUDIENCE,
            "AUTH_SCOPE": SCOPE,
            "UPSTREAM_CLIENT_ID": AUDIENCE,
            "UPSTREAM_CLIENT_SECRET": SECRET,
            "ADO_ORG_URL": "https://dev.azure.com/acme",
            "ADO_PROJECT": "Web",
        }
        settings = Settings.from_environment({**own, **changed}, [AzureDevOpsSettings])
        catalog = Catalog(TOOLSETS, ())
        services = partial(_services, settings, Elsewhere(url))
        server = McpServer(ServerInfo("office", "Office", "1", "An office."), services, [])
        door = door_of(settings, ALL_TOOLSETS)
        yield Office(
            Endpoint(server, Catalogs(catalog), Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS), door)),
            issuer,
            service,
            identity,
        )


@asynccontextmanager
async def _services(settings: Settings, transport: Elsewhere) -> AsyncIterator[Opened]:
    upstream = upstream_of(settings)
    supplies = Supplies(lambda: upstream, cast("Any", None), cast("Any", None))
    async with access(settings.of(AzureDevOpsSettings), supplies, transport) as opened:
        yield Opened({AZURE_DEVOPS: opened})


async def test_a_user_is_represented_and_two_users_are_told_apart() -> None:
    async with office() as place:
        other = "0b1ec7ed-0000-4000-8000-0000000000ff"
        for oid in (USER, other, USER):
            assert not (await place.caller(oid=oid).call("list_projects"))["isError"]
            assert place.represented == oid


async def test_the_second_call_of_a_user_asks_the_issuer_for_nothing() -> None:
    async with office() as place:
        caller = place.caller()
        await caller.call("list_projects")
        before = len(place.issuer.requests)
        await caller.call("list_projects")
        assert len(place.issuer.requests) == before


async def test_with_a_personal_access_token_that_is_shown() -> None:
    async with office(ADO_PAT=TOKEN) as place:
        await place.caller().call("list_projects")
        assert place.authorization == f"Basic {b64encode(f':{TOKEN}'.encode()).decode()}"


async def test_who_is_no_user_is_refused_with_the_setting_that_would_do() -> None:
    async with office() as place:
        assert "UPSTREAM_OWN_IDENTITY" in await place.pipeline().told("list_projects")
        assert place.service.asked == []


async def test_a_challenge_of_the_service_reaches_the_client_as_one() -> None:
    async with office() as place:
        place.service.troubles.append(troubles.claims_401)
        answer = await place.caller().send("tools/call", {"name": "list_projects", "arguments": {}})
        assert answer.status == 401
        assert 'error="insufficient_claims"' in answer.headers["www-authenticate"]
        assert 'claims="eyJhIjoxfQ=="' in answer.headers["www-authenticate"]


async def test_a_challenge_of_the_exchange_reaches_the_client_too() -> None:
    async with office() as place:
        place.identity.refuse(50076, "interaction_required", claims='{"access_token":{"a":1}}')
        answer = await place.caller().send("tools/call", {"name": "list_projects", "arguments": {}})
        assert answer.status == 401
        assert 'error="insufficient_claims"' in answer.headers["www-authenticate"]


async def test_nobody_of_another_tenant_is_represented() -> None:
    async with office(AUTH_ALLOWED_TENANTS=f"{TENANT},0def0000-0000-4000-8000-00000000bbbb") as place:
        foreign = place.caller(tid="0def0000-0000-4000-8000-00000000bbbb")
        answer = await foreign.send("tools/call", {"name": "list_projects", "arguments": {}})
        assert answer.status == 401 or b"its own tenant only" in answer.body
        assert place.service.asked == []


def test_a_server_on_premises_needs_a_token_of_its_own() -> None:
    with pytest.raises(Refusal, match="ADO_PAT is missing"):
        provider.check(AzureDevOpsSettings(url="https://tfs.example.com/tfs/DefaultCollection"))
    provider.check(AzureDevOpsSettings(url="https://tfs.example.com/tfs/DefaultCollection", token=TOKEN))
    provider.check(AzureDevOpsSettings(url="https://dev.azure.com/acme"))


TROUBLES = [
    *(troubles.sign_in_page(), troubles.redirect, troubles.empty_401, troubles.listed_401, troubles.claims_401),
    *(troubles.stopped, troubles.unavailable_page, troubles.cut_connection, troubles.throttled),
    *(troubles.unauthorized, troubles.forbidden),
]


@pytest.mark.parametrize("token", ["", TOKEN])
async def test_no_secret_is_told_whatever_goes_wrong(token: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told: list[str] = []
    async with office(ADO_PAT=token) as place:
        caller = place.caller()
        for trouble in [None, *TROUBLES]:
            # Reads are repeated, so each meets its trouble as often as it asks.
            place.service.troubles.extend([trouble] * 9 if trouble else [])
            answer = await caller.send("tools/call", {"name": "list_projects", "arguments": {}})
            told.append(f"{answer.status} {dict(answer.headers)} {answer.body.decode()}")
            place.service.troubles.clear()
        place.identity.refuse(7000215, "invalid_client", 401)
        told.append((await place.caller(oid="0b1ec7ed-0000-4000-8000-0000000000ee").send(*LISTING)).body.decode())
        shown = {seen.headers["Authorization"].rpartition(" ")[2] for seen in place.service.asked}
    secrets = {SECRET, TOKEN, caller.headers["authorization"], *shown}
    heard = "\n".join([*told, caplog.text])
    assert "list_projects" in caplog.text
    assert [secret[:20] for secret in secrets if secret.rpartition(".")[2] in heard] == []


async def test_an_address_where_no_azure_devops_is_is_told_by_its_setting() -> None:
    async with office() as place:
        place.service.troubles.append(troubles.sign_in_page(404))
        assert "check ADO_ORG_URL" in await place.caller().told("list_projects")


async def test_a_token_that_is_not_accepted_is_told_by_its_setting() -> None:
    async with office(ADO_PAT=TOKEN) as place:
        place.service.troubles.append(troubles.empty_401)
        assert "ADO_PAT" in await place.caller().told("list_projects")
