"""Every step of a sign-in through the bridge is on record: who asked, where the access goes, and what came of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from app.build import App
from app.pages import AppPages
from mcp_server.http.messages import HttpAnswer, HttpRequest
from tests.mcp_server.records import Records
from tests.offline import app_of, offline

pytestmark = pytest.mark.anyio

TENANT = "7e7a7700-0000-4000-8000-00000000aaaa"
REDIRECT = "https://client.example/back"
SIGN_IN = {
    "AUTH_MODE": "oauth",
    "AUTH_ISSUER": f"https://login.microsoftonline.com/{TENANT}/v2.0",
    "AUTH_AUDIENCE": "app",
    "AUTH_SCOPE": "api://app/access",
    "AUTH_BRIDGE_CLIENT_ID": "app",
    "AUTH_BRIDGE_CLIENT_SECRET": "s3cret",
    "MCP_REQUEST_STATE_KEY": "k" * 32,
}


@dataclass
class Browser:
    app: App
    cookies: dict[str, str] = field(default_factory=dict)

    async def send(self, method: str, address: str, body: bytes = b"", kind: str = "") -> HttpAnswer:
        parts = urlsplit(address)
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"host": "localhost:7071", "content-type": kind, "content-length": str(len(body)), "cookie": cookie}
        request = HttpRequest(method, parts.path, headers, body, parts.query, "192.0.2.7")
        answer = await AppPages(self.app).sign_in(request)
        if given := answer.headers.get("set-cookie"):
            name, _, value = given.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    async def submit(self, address: str, **form: str) -> HttpAnswer:
        return await self.send("POST", address, urlencode(form).encode(), "application/x-www-form-urlencoded")

    async def register(self) -> str:
        body = {"client_name": "A client", "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"}
        answer = await self.send("POST", "/register", json.dumps(body).encode(), "application/json")
        return str(json.loads(answer.body)["client_id"])

    async def asked(self, client: str) -> str:
        wanted = {
            "response_type": "code",
            "client_id": client,
            "redirect_uri": REDIRECT,
            "code_challenge": "c" * 43,
            "code_challenge_method": "S256",
        }
        page = (await self.send("GET", f"/authorize?{urlencode(wanted)}")).body.decode()
        found = re.search(r'name="?consent"? value="([^"]+)"', page)
        assert found, page
        return found[1]


@pytest.fixture
def records() -> Iterator[Records]:
    with Records.kept() as kept:
        yield kept


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(app_of(offline(tmp_path) | SIGN_IN))


def told(records: Records) -> list[tuple[str, str, str]]:
    return [(attempt["tried"], attempt["outcome"], attempt.get("towards", "")) for attempt in records.attempts]


async def test_who_registers_and_what_people_answer_is_on_record(records: Records, browser: Browser) -> None:
    client = await browser.register()
    await browser.submit("/authorize", consent=await browser.asked(client), decision="deny")
    allowed = await browser.submit("/authorize", consent=await browser.asked(client), decision="approve")
    assert told(records) == [
        ("sign-in: register", "done", "client.example"),
        ("sign-in: deny", "done", "client.example"),
        ("sign-in: allow", "done", "client.example"),
    ]
    assert len({attempt["client"] for attempt in records.attempts}) == 1
    assert {attempt["address"] for attempt in records.attempts} == {"192.0.2.7"}
    assert client not in json.dumps(records.attempts)
    assert allowed.status == 200


async def test_who_comes_back_is_on_record(records: Records, browser: Browser) -> None:
    consent = await browser.asked(await browser.register())
    page = (await browser.submit("/authorize", consent=consent, decision="approve")).body.decode()
    (address,) = re.findall(r'https://login\.microsoftonline\.com/[^"]+', page)[:1]
    state = parse_qs(urlsplit(address.replace("&amp;", "&")).query)["state"][0]
    await browser.send("GET", f"/callback?{urlencode({'state': state, 'code': 'c0de'})}")
    assert told(records)[-1] == ("sign-in: come back", "done", "client.example")
    assert "c0de" not in json.dumps(records.attempts)


async def test_what_is_forged_is_on_record_as_refused(records: Records, browser: Browser) -> None:
    await browser.send("POST", "/register", b"{}", "application/json")
    await browser.submit("/authorize", consent="forged", decision="approve")
    await browser.send("GET", "/callback?state=forged&code=forged")
    form = dict.fromkeys(("refresh_token", "client_id"), "forged")
    await browser.submit("/token", grant_type="refresh_token", **form)
    assert told(records) == [
        ("sign-in: register", "refused", ""),
        ("sign-in: allow", "refused", ""),
        ("sign-in: come back", "refused", ""),
        ("sign-in: renew tokens", "denied", ""),
    ]
    assert "forged" not in json.dumps(records.attempts)


@pytest.mark.parametrize("body", [b"\xff\xfe", b"&".join(b"a=b" for _ in range(200)), b""])
async def test_a_form_that_cannot_be_read_is_on_record_as_asking_for_tokens(
    records: Records, browser: Browser, body: bytes
) -> None:
    answer = await browser.send("POST", "/token", body, "application/x-www-form-urlencoded")
    assert 400 <= answer.status < 500
    assert told(records) == [("sign-in: ask for tokens", "denied", "")]


async def test_a_flood_of_registrations_leaves_few_records(records: Records, browser: Browser) -> None:
    for _ in range(50):
        await browser.register()
    assert len(records.attempts) <= 12
