"""Attacks on pages behind App Service by programs that have a token of their user."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from time import time
from typing import Final

import pytest

from identity.platform_sign_in import SESSION_COOKIE
from tests.attacks.deciding import CELLAR, state_of
from tests.changes.bench import (
    BRICK,
    HOST,
    OTHER,
    Browser,
    Office,
    at_app_service,
    behind_platform,
    in_mode_platform,
    opened,
    path_in,
    ticket_on,
)
from tests.fakes.issuer import TENANT
from tests.mcp_server.caller import Caller

pytestmark = pytest.mark.anyio

BEA: Final = {"roles": "Bricklayer", "oid": OTHER}
COOKIE: Final = f"{SESSION_COOKIE}=opaque"
SCOPE: Final = "http://schemas.microsoft.com/identity/claims/scope"
# What comes with the principal of the approver, that no browser has which App Service signed in.
PROGRAMS: Final[Mapping[str, tuple[dict[str, str], dict[str, str]]]] = {
    "a scope": ({"scp": "access"}, {"cookie": COOKIE}),
    "a scope by its long name": ({SCOPE: "access"}, {"cookie": COOKIE}),
    "two scopes": ({"scp": "access other"}, {"cookie": COOKIE}),
    "a bearer token": ({}, {"cookie": COOKIE, "authorization": "Bearer x"}),
    "another scheme": ({}, {"cookie": COOKIE, "authorization": "Basic eDp5"}),
    "an empty Authorization": ({}, {"cookie": COOKIE, "authorization": ""}),
    "a session token": ({}, {"cookie": COOKIE, "x-zumo-auth": "x"}),
    "an empty session token": ({}, {"cookie": COOKIE, "x-zumo-auth": ""}),
    "no cookie": ({}, {}),
    "an empty cookie": ({}, {"cookie": f"{SESSION_COOKIE}="}),
    "another cookie": ({}, {"cookie": "session=opaque"}),
    "a cookie with a longer name": ({}, {"cookie": f"x{COOKIE}"}),
    "the name as a value": ({}, {"cookie": f"x={SESSION_COOKIE}"}),
    "a cookie in other case": ({}, {"cookie": COOKIE.lower()}),
    "the cookie in another header": ({}, {"cookie2": COOKIE}),
}


@pytest.fixture
async def behind(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path, AUTH_ALLOWED_TENANTS=TENANT, **in_mode_platform) as office:
        yield office


async def asked(office: Office, room: str = CELLAR) -> str:
    caller = Caller(office.app.endpoint, "all", {"host": HOST, **behind_platform(roles="Bricklayer")})
    return path_in(await caller.told(BRICK, room=room))


@pytest.mark.parametrize(("claims", "headers"), PROGRAMS.values(), ids=PROGRAMS)
async def test_no_program_with_a_token_opens_a_page_or_approves(
    behind: Office, claims: dict[str, str], headers: dict[str, str]
) -> None:
    path = await asked(behind)
    ticket = ticket_on(await at_app_service(behind, **BEA).visit(path))
    program = Browser(behind, headers={**behind_platform(**BEA, **claims), **headers})
    for page in (path, f"{path}?state", f"{path}?again", "/changes"):
        answer = await program.get(page)
        assert answer.status in {401, 403}, page
        assert CELLAR.encode() not in answer.body, page
    for decision in ("approve", "deny"):
        answer = await program.post(path, {"ticket": ticket, "decision": decision, "why": "x"})
        assert answer.status in {401, 403}
    assert (await program.post("/changes", {"ticket": ticket})).status in {401, 403}
    assert await state_of(behind, path) == "waiting"


async def test_no_token_counts_as_a_recent_sign_in(behind: Office) -> None:
    path = await asked(behind, "vault")
    keeper = {"roles": "Keeper", "oid": OTHER, "auth_time": str(int(time()))}
    ticket = ticket_on(await at_app_service(behind, **keeper).visit(path))
    program = Browser(behind, headers={**behind_platform(**keeper, scp="access"), "authorization": "Bearer x"})
    assert (await program.post(path, {"ticket": ticket, "decision": "approve"})).status in {401, 403}
    assert await state_of(behind, path) == "waiting"


async def test_the_same_person_approves_in_a_browser(behind: Office) -> None:
    path = await asked(behind)
    browser = at_app_service(behind, **BEA)
    browser.cookies = {"theme": "dark", f"{SESSION_COOKIE}1": "chunk", **browser.cookies}
    assert (await browser.decides(path, "approve")).status == 303
    assert await state_of(behind, path) == "approved"
