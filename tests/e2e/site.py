"""The app under the local host, with an issuer beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx2

from tests.fakes.issuer import AUDIENCE, TENANT, Issuer, issuing
from tests.fakes.serving import TRUST_IN_NOBODY
from tests.fakes.sign_in import SECRET, SignInPage
from tests.identity.forging import with_elliptic_key
from tests.offline import offline
from tests.warm.app import running

PROJECT: Final = Path(__file__).parents[2]
SCOPE: Final = f"api://{AUDIENCE}/access"
REDIRECT: Final = "http://127.0.0.1:33418/callback"
LIST: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@dataclass
class Site:
    """The app, and the issuer whose tokens it takes."""

    url: str
    issuer: Issuer
    page: SignInPage

    async def post(self, headers: dict[str, str], path: str = "/mcp", body: Any = None) -> httpx2.Response:
        return await post(self.url + path, headers, body)


async def post(url: str, headers: dict[str, str], body: Any = None) -> httpx2.Response:
    own = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
    async with httpx2.AsyncClient(trust_env=False, verify=TRUST_IN_NOBODY) as http:
        return await http.post(url, json=body or LIST, headers={**own, **headers})


def names_of(answer: httpx2.Response) -> set[str]:
    return {tool["name"] for tool in answer.json()["result"]["tools"]}


@asynccontextmanager
async def site(folder: Path, log: Path | None = None, **settings: str) -> AsyncIterator[Site]:
    page = SignInPage("", SCOPE)
    async with issuing(page, with_elliptic_key) as issuer:
        given = {
            "AUTH_MODE": "oauth",
            "AUTH_ISSUER": issuer.url,
            "AUTH_AUDIENCE": AUDIENCE,
            "AUTH_SCOPE": SCOPE,
            "AUTH_ALLOWED_TENANTS": TENANT,
            "AUTH_BRIDGE_CLIENT_ID": AUDIENCE,
            "AUTH_BRIDGE_CLIENT_SECRET": SECRET,
        }
        async with running(PROJECT, settings=offline(folder) | given | settings, log=log) as url:
            page.redirect_uri = f"{url}/callback"
            page.token = partial(issuer.token, scp="access")
            yield Site(url, issuer, page)


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {**LIST, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
