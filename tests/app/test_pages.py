"""Pages and files: who may see them, by which address, and how often."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from app.build import App
from app.pages import AppPages
from mcp_server.http.messages import HttpAnswer, HttpRequest
from tests.fakes.issuer import AUDIENCE, CLIENT, SCOPE, Issuer, issuing
from tests.identity.principals import principal, principal_headers
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline

pytestmark = pytest.mark.anyio

OTHER = "0b1ec7ed-0000-4000-8000-0000000000ff"
CLOSED = "signed-in:\n  firewall: read\nroles:\n  Reader:\n    all: read\n"
KEY = "k" * 32


@dataclass
class Place:
    app: App
    issuer: Issuer

    async def get(self, address: str, method: str = "GET", **headers: str) -> HttpAnswer:
        parts = urlsplit(address)
        request = HttpRequest(method, parts.path, {"host": "localhost:7071", **headers}, b"", parts.query, "192.0.2.7")
        pages = AppPages(self.app)
        if parts.path == "/health":
            return await pages.health(request)
        return await pages.updates(request, parts.path.rpartition(".")[2])

    def bearing(self, **claims: Any) -> dict[str, str]:
        return {"authorization": f"Bearer {self.issuer.token(**claims)}"}

    async def feeds(self, **claims: Any) -> dict[str, str]:
        caller = Caller(self.app.endpoint, "azure-updates", self.bearing(**claims))
        result = await caller.call("get_azure_updates_feeds")
        assert not result["isError"], result
        return dict(result["structuredContent"])


@asynccontextmanager
async def place(folder: Path, **settings: str) -> AsyncIterator[Place]:
    async with issuing() as issuer:
        sign_in = {
            "AUTH_MODE": "oauth",
            "AUTH_ISSUER": issuer.url,
            "AUTH_AUDIENCE": AUDIENCE,
            "AUTH_SCOPE": SCOPE,
            "MCP_REQUEST_STATE_KEY": KEY,
        }
        app = app_of(offline(folder) | sign_in | settings)
        yield Place(app, issuer)
        await app.close()


async def test_who_signed_in_reads_the_updates_as_a_file(tmp_path: Path) -> None:
    async with place(tmp_path) as office:
        answer = await office.get("/updates.csv?limit=1", **office.bearing())
        assert (answer.status, answer.headers["content-type"]) == (200, "text/csv; charset=utf-8")
        assert answer.headers["cache-control"] == "private, max-age=300"


async def test_a_stranger_is_told_how_to_sign_in(tmp_path: Path) -> None:
    async with place(tmp_path) as office:
        answer = await office.get("/updates.csv")
        assert answer.status == 401
        assert "oauth-protected-resource/mcp" in answer.headers["www-authenticate"]


async def test_only_the_clients_that_are_allowed_come_with_a_token(tmp_path: Path) -> None:
    async with place(tmp_path, AUTH_ALLOWED_CLIENTS=f"other, {CLIENT.upper()}") as office:
        assert (await office.get("/updates.csv?limit=1", **office.bearing())).status == 200
        for denied in (office.bearing(azp="stranger"), office.bearing(azp="stranger", appid=CLIENT)):
            answer = await office.get("/updates.csv?limit=1", **denied)
            assert (answer.status, b"an application that this server does not serve" in answer.body) == (403, True)
            assert "www-authenticate" not in answer.headers  # signing in again by that client would not help


@pytest.mark.parametrize("claims", [{"without": ["azp"]}, {"without": ["azp"], "client_id": "stranger"}])
async def test_who_names_no_client_is_none_of_the_allowed(tmp_path: Path, claims: dict[str, Any]) -> None:
    async with place(tmp_path, AUTH_ALLOWED_CLIENTS=CLIENT) as office:
        assert (await office.get("/updates.csv?limit=1", **office.bearing(**claims))).status == 403


async def test_behind_app_service_an_allowed_client_is_needed_too(tmp_path: Path) -> None:
    own = {"AUTH_MODE": "platform", "WEBSITE_AUTH_ENABLED": "true", "AUTH_ALLOWED_CLIENTS": "stranger"}
    async with place(tmp_path, **own) as office:
        caller = Caller(office.app.endpoint, "all", principal_headers())
        assert (await caller.send("tools/list")).status == 403


CLAIMS: Final = "acct=0, groups=red, groups=blue"


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"acct": 0, "groups": ["green", "red"]}, 200),
        ({"acct": "0", "groups": "blue"}, 200),
        ({"acct": 1, "groups": ["red"]}, 403),
        ({"acct": 0, "groups": ["green"]}, 403),
        ({"groups": ["red"]}, 403),
    ],
)
async def test_a_user_comes_only_with_the_claims_that_are_required(
    tmp_path: Path, claims: dict[str, Any], status: int
) -> None:
    async with place(tmp_path, AUTH_REQUIRED_CLAIMS=CLAIMS) as office:
        answer = await office.get("/updates.csv?limit=1", **office.bearing(**claims))
        assert answer.status == status
        assert status == 200 or b"does not accept your sign-in, because the claim" in answer.body


@pytest.mark.parametrize(("groups", "status"), [(["green", "red"], 200), (["green"], 403), ([], 403)])
async def test_behind_app_service_a_user_needs_the_required_claims_too(
    tmp_path: Path, groups: list[str], status: int
) -> None:
    own = {"AUTH_MODE": "platform", "WEBSITE_AUTH_ENABLED": "true", "AUTH_REQUIRED_CLAIMS": CLAIMS}
    async with place(tmp_path, **own) as office:
        document = principal(("acct", "0"), *(("groups", group) for group in groups))
        caller = Caller(office.app.endpoint, "all", principal_headers(document))
        assert (await caller.send("tools/list")).status == status


async def test_roles_that_close_updates_close_the_files(tmp_path: Path) -> None:
    roles = tmp_path / "roles.yaml"
    roles.write_text(CLOSED, encoding="utf-8")
    async with place(tmp_path, AUTH_ROLES_FILE=str(roles)) as office:
        assert (await office.get("/updates.ics", **office.bearing())).status == 403
        assert (await office.get("/updates.ics?limit=1", **office.bearing(roles=["Reader"]))).status == 200


@pytest.mark.parametrize("denied", ["azure-updates", "search_azure_updates"])
async def test_what_nobody_may_search_is_no_page_either(tmp_path: Path, denied: str) -> None:
    async with place(tmp_path, MCP_DENIED=denied) as office:
        assert (await office.get("/updates.rss", **office.bearing())).status == 404


async def test_a_calendar_reads_by_the_address_that_its_owner_was_given(tmp_path: Path) -> None:
    async with place(tmp_path) as office:
        feeds = await office.feeds()
        for name in ("calendar", "feed", "table"):
            assert (await office.get(f"{feeds[name]}&limit=1")).status == 200
        assert feeds["calendar"].startswith("http://localhost:7071/updates.ics?feed=")


async def test_an_address_that_was_changed_opens_nothing(tmp_path: Path) -> None:
    async with place(tmp_path) as office:
        address = (await office.feeds())["table"]
        for forged in (address[:-2], address[:-1] + ("A" if address[-1] != "A" else "B"), "/updates.csv?feed=x"):
            assert (await office.get(forged)).status == 401


async def test_an_address_ends_with_all_others_of_its_owner_and_with_nobody_elses(tmp_path: Path) -> None:
    async with place(tmp_path) as office:
        first, second = await office.feeds(), await office.feeds()
        others = await office.feeds(oid=OTHER)
        assert (await office.get(first["feed"], "DELETE")).status == 200
        assert (await office.get(first["table"])).status == 401
        assert (await office.get(second["calendar"])).status == 401
        assert (await office.get(f"{others['table']}&limit=1")).status == 200
        again = await office.feeds()
        assert (await office.get(f"{again['table']}&limit=1")).status == 200


async def test_an_address_opens_no_more_than_the_roles_of_its_owner_open_now(tmp_path: Path) -> None:
    async with place(tmp_path) as office:
        address = (await office.feeds())["table"]
    roles = tmp_path / "roles.yaml"
    roles.write_text(CLOSED, encoding="utf-8")
    async with place(tmp_path, AUTH_ROLES_FILE=str(roles)) as office:
        assert (await office.get(address)).status == 403


async def test_an_address_sealed_elsewhere_opens_nothing(tmp_path: Path) -> None:
    async with place(tmp_path, MCP_REQUEST_STATE_KEY="other" * 8) as office:
        address = (await office.feeds())["table"]
    async with place(tmp_path) as office:
        assert (await office.get(address)).status == 401
        assert (await office.get(address, "DELETE")).status == 401


async def test_without_a_key_that_all_instances_have_no_addresses_are_given(tmp_path: Path) -> None:
    async with place(tmp_path, MCP_REQUEST_STATE_KEY="") as office:
        caller = Caller(office.app.endpoint, "azure-updates", office.bearing())
        assert "MCP_REQUEST_STATE_KEY" in await caller.told("get_azure_updates_feeds")


async def test_where_nobody_signs_in_the_plain_addresses_do(tmp_path: Path) -> None:
    async with place(tmp_path, AUTH_MODE="none") as office:
        caller = Caller(office.app.endpoint, "azure-updates")
        feeds = (await caller.call("get_azure_updates_feeds"))["structuredContent"]
        assert feeds["table"] == "http://localhost:7071/updates.csv"
        assert (await office.get("/updates.csv?limit=1")).status == 200


async def test_behind_app_service_only_a_personal_address_opens_a_file(tmp_path: Path) -> None:
    async with place(tmp_path, AUTH_MODE="platform", WEBSITE_AUTH_ENABLED="true") as office:
        assert (await office.get("/updates.csv", **principal_headers())).status == 401


async def test_the_key_of_the_functions_host_is_no_filter(tmp_path: Path) -> None:
    async with place(tmp_path, AUTH_MODE="key") as office:
        assert (await office.get("/updates.csv?code=abc&limit=1")).status == 200


@pytest.mark.parametrize("path", ["/health", "/updates.csv"])
async def test_a_flood_of_pages_is_held_back(tmp_path: Path, path: str) -> None:
    async with place(tmp_path, RATE_LIMIT_PER_ADDRESS="2") as office:
        answers = [await office.get(path) for _ in range(3)]
        assert answers[-1].status == 429
        assert int(answers[-1].headers["retry-after"]) > 0
        assert 429 not in {answer.status for answer in answers[:-1]}


async def test_one_person_has_one_limit_by_however_many_clients(tmp_path: Path) -> None:
    async with place(tmp_path, RATE_LIMIT_PER_CALLER="2") as office:
        clients = [office.bearing(azp=f"client-{number}") for number in range(3)]
        answers = [(await office.get("/updates.csv?limit=1", **client)).status for client in clients]
        assert answers == [200, 200, 429]
        assert (await office.get("/updates.csv?limit=1", **office.bearing(oid=OTHER))).status == 200


@pytest.mark.parametrize("path", ["/health", "/updates.csv"])
async def test_pages_are_for_our_own_names_only(tmp_path: Path, path: str) -> None:
    async with place(tmp_path) as office:
        assert (await office.get(path, host="evil.example.com")).status == 421


async def test_a_wrong_method_is_told_the_right_ones(tmp_path: Path) -> None:
    async with place(tmp_path) as office:
        answer = await office.get("/health", "POST")
        assert (answer.status, answer.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize(
    ("method", "path", "status", "told"),
    [
        ("GET", "/", 200, "a Model Context Protocol (MCP) server"),
        ("GET", "/sse", 404, "Connect MCP clients to /mcp, over Streamable HTTP."),
        ("POST", "/", 404, "Connect MCP clients to /mcp"),
        ("POST", "/api/mcp", 404, "Connect MCP clients to /mcp"),
        ("GET", "/tools/execute", 405, "/tools/execute accepts only POST requests."),
        ("POST", "/health/", 405, "/health accepts only GET requests."),
        ("POST", "/updates.ics", 405, "/updates.ics accepts only GET requests."),
        ("GET", "/wp-login.php", 404, "Page not found."),
    ],
)
async def test_who_comes_to_a_wrong_address_is_told_what_is_where(
    tmp_path: Path, method: str, path: str, status: int, told: str
) -> None:
    async with place(tmp_path) as office:
        request = HttpRequest(method, path, {"host": "localhost:7071"}, b"")
        answer = await AppPages(office.app).directions(request)
        assert answer.status == status
        assert told in answer.body.decode()
        assert "POST /mcp" in answer.body.decode()


async def test_without_the_explorer_a_browser_at_the_root_gets_a_page_that_leads_to_what_waits(tmp_path: Path) -> None:
    async with place(tmp_path, MCP_NOTICE="All data is made up.", MCP_EXPLORER="false") as office:
        request = HttpRequest("GET", "/", {"host": "localhost:7071", "accept": "text/html,*/*"}, b"")
        answer = await AppPages(office.app).directions(request)
        assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert '<a class="button" href="/changes">' in answer.body.decode()
        assert '<p class="caution">All data is made up.</p>' in answer.body.decode()
