"""No secret leaves the process but where it belongs: not in logs, errors, records or answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from tests.e2e.browser import sign_in
from tests.e2e.site import LIST, REDIRECT, Site, bearer, call, site
from tests.fakes.sign_in import SECRET
from tests.forging import altered
from tests.identity.forgeries import FORGERIES
from tests.identity.principals import principal_headers

pytestmark = pytest.mark.anyio

SEALING_KEY: Final = "m4rked-sealing-key-of-at-least-32-characters"
ARGUMENT: Final = "m4rked-argument"
VERIFIER: Final = "m4rked-code-verifier-which-is-long-enough-for-the-rules"
CHALLENGE: Final = "6TxTM5aX5gPaAqHfW_GhkA3HnfcYbvMbH9kXzTqYn4o"


class Witness:
    """Keeps every answer that somebody got who was not to see a secret in it."""

    def __init__(self, app: Site, http: httpx2.AsyncClient) -> None:
        self.app, self.http = app, http
        self.seen: list[str] = []

    async def post(self, path: str, **options: Any) -> httpx2.Response:
        answer = await self.http.post(self.app.url + path, **options)
        self.seen.append(f"{answer.status_code} {dict(answer.headers)} {answer.text}")
        return answer


async def test_no_secret_is_told_to_anybody(tmp_path: Path) -> None:
    log = tmp_path / "host.log"
    async with (
        site(tmp_path / "storage", log=log, MCP_REQUEST_STATE_KEY=SEALING_KEY) as app,
        httpx2.AsyncClient(trust_env=False) as http,
    ):
        witness = Witness(app, http)
        tokens = [app.issuer.token(scp="access", roles=[role]) for role in ("Reader", "Admin", "Unknown")]
        await _forge(witness)
        for token in tokens:
            await _call_everything(witness, token)
        secrets = [*tokens, *await _sign_in_badly_and_well(witness), SECRET, SEALING_KEY, VERIFIER]
        await _break_the_issuer(witness)
    kept = {"log": log.read_text(), "records": (tmp_path / "audit.jsonl").read_text(encoding="utf-8")}
    assert '"outcome":"denied"' in kept["records"]
    assert '"outcome":"done"' in kept["records"]
    assert list(_found(kept | {"answers": "\n".join(witness.seen)}, secrets)) == []
    # A caller may be told what it sent, but nobody else.
    assert list(_found(kept, [ARGUMENT])) == []


def _found(told: dict[str, str], secrets: list[str]) -> Iterator[str]:
    for place, text in told.items():
        for secret in secrets:
            # Of a token, the signature is what makes it one.
            if secret.rpartition(".")[2] in text:
                yield f"{secret[:40]} in the {place}"


async def _forge(witness: Witness) -> None:
    for forgery in FORGERIES[::5]:
        headers = {**forgery.headers(witness.app.issuer), "mcp-protocol-version": "2025-11-25"}
        await witness.post("/mcp", json=call("azure", learn=True), headers=headers)
    await witness.post("/mcp", json=LIST, headers=principal_headers())


async def _call_everything(witness: Witness, token: str) -> None:
    headers = {**bearer(token), "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
    bodies = [
        call("search_azure_updates", query=ARGUMENT, limit=1),
        call("search_azure_updates", limit=ARGUMENT),
        call("new_azure_firewall_rules", team=ARGUMENT, source=ARGUMENT, destination="1.2.3.4"),
        call("azure", tool="azure-updates", command="search_azure_updates", parameters={"query": ARGUMENT, "limit": 1}),
        call("azure", tool="azure-updates", command="search_azure_updates", parameters={"limit": ARGUMENT}),
        call("refresh_azure_updates", full=ARGUMENT),
        call("azure", tool="azure-updates", command="refresh_azure_updates", parameters={"full": ARGUMENT}),
        call("azure_change", tool="azure-updates", command="refresh_azure_updates", parameters={"full": ARGUMENT}),
    ]
    for body in bodies:
        await witness.post("/mcp", json=body, headers=headers)
        executed = {"tool": body["params"]["name"], "arguments": body["params"]["arguments"]}
        await witness.post("/tools/execute", json=executed, headers=headers)


async def _sign_in_badly_and_well(witness: Witness) -> list[str]:
    """Answer what was secret about it."""
    app = witness.app
    client = {"redirect_uris": [REDIRECT], "client_name": "Visitor", "token_endpoint_auth_method": "none"}
    client_id = (await witness.http.post(f"{app.url}/register", json=client)).json()["client_id"]
    asked = {"client_id": client_id, "redirect_uri": REDIRECT, "response_type": "code", "state": "s"}
    pkce = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    came = await sign_in(str(httpx2.URL(f"{app.url}/authorize", params={**asked, **pkce})), REDIRECT)
    code = httpx2.URL(came).params["code"]
    form = {"grant_type": "authorization_code", "client_id": client_id, "code": code, "redirect_uri": REDIRECT}
    await witness.post("/token", data={**form, "code_verifier": VERIFIER})
    await witness.post("/token", data={**form, "code": altered(code), "code_verifier": VERIFIER})
    await witness.post("/token", data={"grant_type": "refresh_token", "client_id": client_id, "refresh_token": code})
    return [code, *app.page.codes]


async def _break_the_issuer(witness: Witness) -> None:
    app = witness.app
    app.page.garbage = b"{"
    await _sign_in_badly_and_well(witness)
    app.issuer.fail("/", None)
    token = app.issuer.token(header={"kid": "unknown"})
    await witness.post("/mcp", json=LIST, headers={**bearer(token), "mcp-protocol-version": json.dumps(7)})
