"""The client of the MCP SDK signs in through the bridge, from the first 401 to a renewed token."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

import pytest
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from tests.identity.bridge.bench import ORIGIN, RESOURCE, SCOPE, Bench, Person, document, next_address

pytestmark = pytest.mark.anyio

REDIRECT = "http://127.0.0.1:33418/callback"
METADATA = f"{ORIGIN}/.well-known/oauth-protected-resource/mcp"
ABOUT = "https://client.example.net/about.json"


@dataclass
class Memory:
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@dataclass
class Browser:
    """Where the client opens its user's browser and listens for the answer."""

    person: Person
    answer: dict[str, str] = field(default_factory=dict)

    async def open(self, url: str) -> None:
        page = await self.person.visit(url)
        address = next_address(await self.person.answer(page, "approve"))
        self.answer = dict(parse_qsl(urlsplit(address or "").query))

    async def listen(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(**self.answer)


@pytest.mark.parametrize("about", [None, ABOUT])
async def test_it_registers_or_names_its_document_signs_in_and_renews(bench: Bench, about: str | None) -> None:
    bench.web.documents[ABOUT] = document(ABOUT, redirect_uris=["http://127.0.0.1/callback"])
    bench.switch(_protected(bench))
    memory, browser = Memory(), Browser(await bench.person())
    metadata = OAuthClientMetadata(redirect_uris=[AnyUrl(REDIRECT)], client_name="SDK")
    provider = OAuthClientProvider(RESOURCE, metadata, memory, browser.open, browser.listen, client_metadata_url=about)
    http = (await bench.person()).http
    for _ in range(2):
        answer = await http.post(RESOURCE, auth=provider)
        assert answer.json() == {"token": memory.tokens and memory.tokens.access_token}
        provider.context.token_expiry_time = 1
    assert memory.client is not None
    assert (memory.client.client_id == about) == bool(about)
    grants = [seen.form["grant_type"] for seen in bench.issuer.requests if seen.method == "POST"]
    assert grants == ["authorization_code", "refresh_token"]


def _protected(bench: Bench) -> Starlette:
    async def resource(request: Request) -> Response:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer":
            return Response(status_code=401, headers={"WWW-Authenticate": f'Bearer resource_metadata="{METADATA}"'})
        return JSONResponse({"token": token})

    async def about(_request: Request) -> Response:
        return JSONResponse({"resource": RESOURCE, "authorization_servers": [ORIGIN], "scopes_supported": [SCOPE]})

    here = [Route("/mcp", resource, methods=["POST"]), Route("/.well-known/oauth-protected-resource/mcp", about)]
    return Starlette(routes=[*here, Mount("/", bench.build())])
