"""The app under the local host, with an issuer beside it: who is let in, and how a client gets there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import anyio
import httpx2
import pytest
from aiohttp import web
from mcp.client import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from tests.e2e.browser import sign_in
from tests.e2e.site import LIST, PROJECT, REDIRECT, SCOPE, Site, bearer, call, names_of, post, site
from tests.fakes.issuer import SCOPE as ISSUED_SCOPE
from tests.fakes.serving import serving_locally
from tests.identity.forgeries import FORGERIES, Forgery
from tests.identity.principals import principal_headers
from tests.npm import Packages
from tests.offline import offline
from tests.warm.app import running
from tools import SURFACE

pytestmark = pytest.mark.anyio

LARGEST_HEADERS: Final = 8000
TYPESCRIPT: Final[dict[str, dict[str, Any]]] = {
    "client": {"versionNegotiation": {"mode": "auto"}},
    "sdk": {},
}


@pytest.fixture(scope="module")
async def app(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    async with site(tmp_path_factory.mktemp("site")) as started:
        yield started


@pytest.fixture
async def own_app(tmp_path: Path) -> AsyncIterator[Site]:
    """One whose issuer a test may trouble."""
    async with site(tmp_path) as started:
        yield started


@dataclass
class Memory:
    """What a program keeps for the client of the SDK."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    seen: list[str] = field(default_factory=list)

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens
        self.seen.append(tokens.access_token)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


async def test_the_python_client_signs_in_from_nothing_calls_and_renews(tmp_path: Path) -> None:
    async with site(tmp_path / "storage") as app:
        await _sign_in_call_and_renew(app)
    lines = (tmp_path / "audit.jsonl").read_text(encoding="utf-8").splitlines()
    attempts = [record for record in map(json.loads, lines) if "tried" in record]
    steps = ["register", "allow", "come back", "get tokens", "renew tokens"]
    assert [(one["tried"], one["outcome"]) for one in attempts] == [(f"sign-in: {step}", "done") for step in steps]
    assert len({one["client"] for one in attempts}) == 1
    # Who has the tokens, and by which token they came with calls.
    (called,) = [record for record in map(json.loads, lines) if record.get("tool") == "search_azure_updates"]
    assert {one["subject"] for one in attempts[3:]} == {called["subject"]}
    assert called["token"] == attempts[-1]["token"] != ""


async def _sign_in_call_and_renew(app: Site) -> None:
    opened: list[str] = []

    async def open_page(url: str) -> None:
        opened.append(await sign_in(url, REDIRECT))

    async def listen() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(**dict(parse_qsl(urlsplit(opened[-1]).query)))

    memory = Memory()
    metadata = OAuthClientMetadata(redirect_uris=[AnyUrl(REDIRECT)], client_name="Visitor")
    provider = OAuthClientProvider(f"{app.url}/mcp", metadata, memory, open_page, listen)
    async with (
        httpx2.AsyncClient(auth=provider, trust_env=False) as http,
        Client(streamable_http_client(f"{app.url}/mcp", http_client=http)) as client,
    ):
        assert {tool.name for tool in (await client.list_tools()).tools} == {*SURFACE, "azure", "azure_change"}
        provider.context.token_expiry_time = 1
        assert not (await client.call_tool("search_azure_updates", {"limit": 1})).is_error
    assert len(opened) == 1
    assert len(memory.seen) == 2


@pytest.mark.parametrize("library", TYPESCRIPT)
async def test_the_typescript_client_signs_in_from_nothing_calls_and_renews(
    app: Site, packages: Packages, library: str
) -> None:
    async def browse(request: web.Request) -> web.Response:
        return web.Response(text=await sign_in(request.query["url"], REDIRECT))

    browser = web.Application()
    browser.router.add_get("/", browse)
    script = Path(__file__).parent / "clients" / "sign_in.mjs"
    async with serving_locally(browser) as address:
        task = {"library": library, "options": TYPESCRIPT[library], "url": f"{app.url}/mcp", "browser": address}
        run = await anyio.to_thread.run_sync(
            partial(
                packages.run,
                *("node", "--input-type=module", "-", json.dumps(task)),
                script=script.read_text(encoding="utf-8"),
            )
        )
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout)
    assert set(seen["first"]) == set(seen["second"]) == {*SURFACE, "azure", "azure_change"}
    assert seen["tokens"] == 2


async def test_every_forged_credential_is_refused_with_the_right_status_and_challenge(tmp_path: Path) -> None:
    async with site(tmp_path, AUTH_SCOPE=ISSUED_SCOPE) as app:
        assert (await app.post(bearer(app.issuer.token()))).status_code == 200
        wrong = [forgery.name for forgery in FORGERIES if not await _is_refused(app, forgery)]
        assert wrong == []
        assert (await app.post(bearer(app.issuer.token()))).status_code == 200


async def _is_refused(app: Site, forgery: Forgery) -> bool:
    headers = forgery.headers(app.issuer)
    answer = await app.post(headers)
    if len("".join(headers.values())) > LARGEST_HEADERS:
        return answer.status_code == 400  # the server of HTTP refuses them before the app sees them
    is_told = forgery.reason in answer.json()["error"]["message"]
    return answer.status_code == forgery.status and is_told and _challenges(app, forgery, answer)


def _challenges(app: Site, forgery: Forgery, answer: httpx2.Response) -> bool:
    challenge = answer.headers.get("www-authenticate", "")
    if forgery.error == "insufficient_scope" and "role" in forgery.reason:
        return not challenge  # only an administrator can give one
    metadata = f'resource_metadata="{app.url}/.well-known/oauth-protected-resource/mcp"'
    return metadata in challenge and (f'error="{forgery.error}"' if forgery.error else "Bearer resource_") in challenge


def test_there_are_many_forged_credentials() -> None:
    assert len(FORGERIES) >= 150


@pytest.mark.parametrize("path", ["/mcp", "/mcp/x/firewall", "/tools", "/tools/execute"])
async def test_without_a_token_nothing_answers_but_the_way_to_sign_in(app: Site, path: str) -> None:
    async with httpx2.AsyncClient(base_url=app.url, trust_env=False) as http:
        body = {"tool": "azure"} if path == "/tools/execute" else LIST
        answer = await (http.get(path) if path == "/tools" else http.post(path, json=body))
        assert answer.status_code == 401
        metadata = answer.headers["www-authenticate"].split('resource_metadata="')[1].partition('"')[0]
        assert f'scope="{SCOPE}"' in answer.headers["www-authenticate"]
        assert "error=" not in answer.headers["www-authenticate"]
        document = (await http.get(metadata)).json()
        # Clients compare this with the address that they know.
        assert document["resource"] == app.url + (path if path.startswith("/mcp") else "/mcp")
        assert document["authorization_servers"] == [app.url]
        assert document["scopes_supported"] == [SCOPE]


async def test_the_way_to_sign_in_is_told_in_every_form_in_which_clients_ask(app: Site) -> None:
    async with httpx2.AsyncClient(base_url=f"{app.url}/.well-known", trust_env=False) as http:
        resources = {
            path: (await http.get(f"/oauth-protected-resource{path}")).json()["resource"]
            for path in ("", "/mcp", "/mcp/x/firewall,azure-updates")
        }
        assert [url.removeprefix(app.url) for url in resources.values()] == ["/mcp", *list(resources)[1:]]
        for path in ("/tools", "//evil.example/x", "/mcp2", "/register"):
            assert (await http.get(f"/oauth-protected-resource{path}")).status_code == 404
        for path in ("oauth-authorization-server", "oauth-authorization-server/mcp", "openid-configuration"):
            assert (await http.get(f"/{path}")).json()["issuer"] == app.url


async def test_a_role_opens_what_the_roles_file_says_and_to_others_it_is_not_there(app: Site) -> None:
    reader, developer = (app.issuer.token(scp="access", roles=[role]) for role in ("Reader", "Developer"))
    nobody = app.issuer.token(scp="access")
    assert "refresh_azure_updates" not in names_of(await app.post(bearer(nobody), "/mcp/x/all"))
    for token in (nobody, reader):
        for tool in ("refresh_azure_updates", "no_such_thing"):
            denied = await app.post(bearer(token), body=call(tool))
            assert denied.json()["error"]["message"].startswith(f"Unknown tool: '{tool}'.")
            # To ask for more by signing in again would be no use: only an administrator can give a role.
            assert "www-authenticate" not in denied.headers
            learned = call("azure", tool="azure-updates", command=tool, parameters={})
            told = (await app.post(bearer(token), body=learned)).json()["result"]["content"][0]["text"]
            assert told.startswith(f"The tool 'azure-updates' has no command '{tool}'.")
    assert "refresh_azure_updates" in names_of(await app.post(bearer(developer), "/mcp/x/all"))


async def test_an_issuer_that_cannot_be_reached_locks_nobody_out_whose_key_is_known(own_app: Site) -> None:
    assert (await own_app.post(bearer(own_app.issuer.token(scp="access")))).is_success
    own_app.issuer.fail("/", None)
    another = own_app.issuer.token(scp="access", oid="0b1ec7ed-0000-4000-8000-0000000000ff")
    assert (await own_app.post(bearer(another))).is_success


async def test_an_issuer_that_was_never_reached_makes_callers_come_again(own_app: Site) -> None:
    own_app.issuer.fail("/", None)
    unknown = await own_app.post(bearer(own_app.issuer.token(scp="access")))
    assert unknown.status_code == 503
    assert int(unknown.headers["retry-after"]) > 0


async def test_on_azure_without_sign_in_only_public_toolsets_are_read(tmp_path: Path) -> None:
    azure = {"WEBSITE_HOSTNAME": "team.azurewebsites.net", "AZURE_FUNCTIONS_ENVIRONMENT": "Production"}
    async with running(PROJECT, settings=offline(tmp_path) | azure) as url:
        headers = {"host": "team.azurewebsites.net"}
        assert names_of(await post(f"{url}/mcp/x/all", headers)) == {
            "search_azure_updates",
            "check_azure_updates_health",
            "get_azure_updates_feeds",
            "retirement_report",
            "new_azure_firewall_rules",
        }
        denied = await post(f"{url}/mcp", headers, call("refresh_azure_updates"))
        assert denied.json()["error"]["message"].startswith("Unknown tool: 'refresh_azure_updates'.")
        async with httpx2.AsyncClient(trust_env=False) as http:
            health = (await http.get(f"{url}/health", headers=headers)).json()
        assert any(warning.startswith("AUTH_MODE is none, so users cannot sign in") for warning in health["warnings"])


async def test_with_keys_the_platform_lets_nobody_in_without_one(tmp_path: Path) -> None:
    settings = {"AUTH_MODE": "key", "AUTH_KEY_ROLE": "Developer", "LOCAL_HOST_KEYS": "the-key"}
    async with running(PROJECT, settings=offline(tmp_path) | settings) as url:
        for wrong in ({}, {"x-functions-key": "another"}):
            assert (await post(f"{url}/mcp", wrong)).status_code == 401
        assert "refresh_azure_updates" in names_of(await post(f"{url}/mcp/x/all", {"x-functions-key": "the-key"}))
        async with httpx2.AsyncClient(base_url=url, trust_env=False) as http:
            assert (await http.get("/health")).is_success


@pytest.mark.parametrize("is_on", ["true", "false"])
async def test_the_headers_of_the_platform_count_only_while_it_is_on(tmp_path: Path, is_on: str) -> None:
    async with site(tmp_path, AUTH_MODE="platform", AUTH_SCOPE=ISSUED_SCOPE, WEBSITE_AUTH_ENABLED=is_on) as app:
        answer = await app.post(principal_headers())
        assert answer.status_code == (200 if is_on == "true" else 401)
