"""The pages where nobody signs in through Entra: behind App Service, on a laptop, and where nobody can sign in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from changes.approval_request import ApprovalRequest, RequiredApprover, Who
from changes.plan import Plan
from changes.preview import Preview
from tests.changes.bench import (
    ADA,
    BRICK,
    Browser,
    Office,
    at_app_service,
    at_the_laptop,
    behind_platform,
    in_mode_platform,
    opened,
    path_in,
    text_of,
    ticket_on,
)
from tests.fakes.issuer import TENANT, USER
from tests.identity.agents import AGENT
from tests.mcp_server.caller import Caller
from tests.mcp_server.records import Records

OTHER = "0b1ec7ed-0000-4000-8000-0000000000ff"


@pytest.fixture
async def platform(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path, AUTH_ALLOWED_TENANTS=TENANT, **in_mode_platform) as office:
        yield office


@pytest.fixture
async def laptop(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path, **at_the_laptop) as office:
        yield office


def person(office: Office, **claims: str) -> Browser:
    return at_app_service(office, roles="Bricklayer", **claims)


async def told_by_platform(office: Office, room: str) -> str:
    caller = Caller(office.app.endpoint, "all", {"host": "office.example.com", **behind_platform(roles="Bricklayer")})
    return await caller.told(BRICK, room=room)


async def test_behind_app_service_an_answer_leads_through_its_sign_in_to_the_page(platform: Office) -> None:
    told = await told_by_platform(platform, "cellar")
    address = next(word for word in told.split() if word.startswith("https://"))
    parts = urlsplit(address)
    assert parts.path == "/.auth/login/aad"
    # What stands after it is one value, with nothing in it that ends it.
    assert parts.query == f"post_login_redirect_uri={parts.query.partition('=')[2]}"
    assert not {*parts.query.partition("=")[2]} & {*"/?&#"}
    (path,) = parse_qs(parts.query)["post_login_redirect_uri"]
    assert (await person(platform, oid=OTHER).decides(path, "approve")).status == 303
    assert "Approved" in text_of(await person(platform).visit(path))


async def test_behind_app_service_who_has_not_signed_in_is_sent_there_and_back_here(platform: Office) -> None:
    path = path_in(await told_by_platform(platform, "attic"))
    answer = await Browser(platform).get(path)
    assert answer.status == 302
    assert answer.headers["location"] == f"/.auth/login/aad?post_login_redirect_uri={path.replace('/', '%2F')}"
    assert (await Browser(platform).get(f"{path}?state")).status == 401


@pytest.mark.parametrize("name", ["x&post_login_redirect_uri=https://evil.example", "//evil.example", "a%0d%0ab"])
async def test_behind_app_service_nobody_is_sent_elsewhere(platform: Office, name: str) -> None:
    answer = await Browser(platform).get(f"/changes/{name.replace('/', '%2f')}")
    (back,) = parse_qs(urlsplit(answer.headers["location"]).query)["post_login_redirect_uri"]
    assert back.startswith("/changes/")
    assert unquote(back).count("\n") == 0 or "%0" in back


async def test_behind_app_service_its_headers_tell_an_agent_from_a_person(platform: Office) -> None:
    path = path_in(await told_by_platform(platform, "cellar"))
    with Records.kept() as records:
        answer = await person(platform, azp=AGENT, scp="access", xms_act_fct="11 9", oid=OTHER).visit(path)
    assert (answer.status, "Only people can decide on changes." in text_of(answer)) == (403, True)
    assert records.attempts[-1]["outcome"] == "denied"


async def test_behind_app_service_a_ticket_is_for_one_person(platform: Office) -> None:
    path = path_in(await told_by_platform(platform, "cellar"))
    bea = person(platform, oid=OTHER)
    form = {"ticket": ticket_on(await bea.visit(path)), "decision": "approve"}
    bea.headers = behind_platform(roles="Bricklayer", oid=OTHER.replace("ff", "fe"))
    assert (await bea.post(path, form)).status == 400


async def test_behind_app_service_a_recent_sign_in_is_one_after_signing_out(platform: Office) -> None:
    path = path_in(await told_by_platform(platform, "vault"))
    keeper = at_app_service(platform, roles="Keeper", oid=OTHER, auth_time="1")
    assert "Sign in again" in text_of(await keeper.visit(path))
    where = (await keeper.get(f"{path}?again")).headers["location"]
    (onward,) = parse_qs(urlsplit(where).query)["post_logout_redirect_uri"]
    assert urlsplit(where).path == "/.auth/logout"
    assert onward == f"/.auth/login/aad?post_login_redirect_uri={path.replace('/', '%2F')}"


async def test_without_app_service_its_headers_open_nothing(tmp_path: Path) -> None:
    settings = in_mode_platform | {"WEBSITE_AUTH_ENABLED": "false", "AUTH_ALLOWED_TENANTS": TENANT}
    async with opened(tmp_path, **settings) as office:
        assert (await person(office).get("/changes")).status == 302


async def test_on_a_laptop_whoever_sits_there_decides_and_the_record_says_that_this_proves_no_person(
    laptop: Office,
) -> None:
    path = path_in(await Caller(laptop.app.endpoint, "all").told(BRICK, room="cellar"))
    browser = Browser(laptop, host="localhost:7071")
    assert "by: laptop" in text_of(await browser.visit(path))
    with Records.kept() as records:
        assert (await browser.decides(path, "approve")).status == 303
    assert records.attempts[-1]["by"] == "laptop"
    assert "the page of a laptop without sign-in" in text_of(await browser.visit(path))
    assert not (await Caller(laptop.app.endpoint, "all").call(BRICK, room="cellar"))["isError"]


@pytest.mark.parametrize(("host", "status"), [("office.example.com", 400), ("evil.example:7071", 421), ("", 421)])
async def test_on_a_laptop_the_page_is_shown_on_that_machine_only(laptop: Office, host: str, status: int) -> None:
    path = path_in(await Caller(laptop.app.endpoint, "all").told(BRICK, room="attic"))
    browser = Browser(laptop, host=host)
    for answer in (await browser.get(path), await browser.get("/changes"), await browser.post(path, {})):
        assert (answer.status, b"attic" in answer.body) == (status, False)


async def test_on_a_laptop_no_other_page_decides(laptop: Office) -> None:
    path = path_in(await Caller(laptop.app.endpoint, "all").told(BRICK, room="attic"))
    browser = Browser(laptop, host="localhost:7071")
    ticket = ticket_on(await browser.visit(path))
    for headers in ({"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "", "origin": "http://localhost:3000"}):
        assert (await browser.post(path, {"ticket": ticket, "decision": "approve"}, **headers)).status == 400
    assert (await browser.post(path, {"decision": "approve"})).status == 400


async def test_a_laptop_that_keeps_the_rules_has_nobody_who_could_be_another_person(tmp_path: Path) -> None:
    async with opened(tmp_path, **at_the_laptop, MCP_RULES_WITHOUT_SIGN_IN="true") as office:
        path = path_in(await Caller(office.app.endpoint, "all").told(BRICK, room="cellar"))
        browser = Browser(office, host="localhost:7071")
        page = await browser.visit(path)
        assert "it cannot check that the approver is another person" in text_of(page)
        assert b"<form" not in page.body


WITHOUT_PAGES = {
    "key": ({"AUTH_MODE": "key", "AUTH_KEY_ROLE": "Bricklayer", "AUTH_BRIDGE_CLIENT_ID": ""}, "AUTH_MODE is key"),
    "no bridge": ({"AUTH_BRIDGE_CLIENT_ID": ""}, "set AUTH_BRIDGE_CLIENT_ID"),
    "nobody on Azure": (
        {**at_the_laptop, "AZURE_FUNCTIONS_ENVIRONMENT": "Production", "WEBSITE_HOSTNAME": "office.example.com"},
        "AUTH_MODE is none",
    ),
}


@pytest.mark.parametrize(("settings", "words"), WITHOUT_PAGES.values(), ids=WITHOUT_PAGES)
async def test_where_nobody_can_sign_in_a_page_says_what_an_operator_sets(
    tmp_path: Path, settings: dict[str, str], words: str
) -> None:
    async with opened(tmp_path, **settings) as office:
        path = await _kept(office)
        for where in (path, "/changes", "/changes/none"):
            answer = await Browser(office).get(where)
            assert (answer.status, words in text_of(answer), "attic" in text_of(answer)) == (400, True, False)
        assert (await Browser(office).post(path, {"decision": "approve"})).status == 400


async def _kept(office: Office) -> str:
    plan = Plan("office-doors", BRICK, "destroy", {"room": "attic"}, Preview(what="The door of the attic"))
    change = ApprovalRequest(
        id="",
        call=plan.call,
        digest=plan.digest,
        toolset=plan.toolset,
        tool=plan.tool,
        access=plan.access,
        what=plan.preview.what,
        asked_by=Who(TENANT, USER),
        asks=RequiredApprover.ANOTHER,
        created=0.0,
        until=0.0,
    )
    return f"/changes/{(await office.app.approvals.kept().propose(plan, change)).id}"


async def test_what_an_operator_puts_first_stands_first_on_pages_too(tmp_path: Path) -> None:
    async with opened(tmp_path, MCP_NOTICE="This is a <trial>.") as office:
        ada = office.browser(**ADA)
        for path in (await _kept(office), "/changes", "/changes/none"):
            page = await ada.visit(path)
            assert '<p class="caution">This is a &lt;trial&gt;.</p>' in page.body.decode()


async def test_who_comes_too_often_is_told_when_to_come_again(tmp_path: Path) -> None:
    async with opened(tmp_path, RATE_LIMIT_PER_CALLER="5") as office:
        ada = office.browser(**ADA)
        answers = [await ada.visit("/changes") for _ in range(8)]
        assert answers[-1].status == 429
        assert int(answers[-1].headers["retry-after"]) > 0
        assert "Too many requests" in text_of(answers[-1])
