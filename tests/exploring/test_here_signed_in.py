"""What retires here, for people who sign in with a browser: their own list, by every way in which they come."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from app.build import SESSIONS, build
from browsing.browser import Cookie
from clients.folder_storage import FolderStorage
from clients.storage import Row, StorageError
from mcp_server.http.messages import HttpAnswer
from tests.changes.bench import (
    ORIGIN,
    OTHER,
    Browser,
    Office,
    at_app_service,
    at_the_laptop,
    in_mode_platform,
    text_of,
    ticket_on,
)
from tests.exploring.bench import HTML, ROLES, reader
from tests.exploring.estate import Estate, estate
from tests.fakes.azure.people import READER
from tests.fakes.issuer import TENANT, USER
from tests.fakes.sign_in import SECRET
from tests.fakes.signed_in_by_az import signed_in
from tests.mcp_server.records import Records
from tools import TOOLSETS

pytestmark = pytest.mark.anyio

ASKED: Final = "/here?ask=now"
RUNNER: Final[dict[str, Any]] = {"roles": ["Everything"]}
BEA: Final[dict[str, Any]] = {"oid": OTHER, "preferred_username": "bea@example.com"}
PARTITION: Final = "tokens of browsers"


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Estate]:
    async with estate(tmp_path) as opened:
        yield opened


def runner(office: Office, **claims: Any) -> Browser:
    return Browser(office, {**RUNNER, **claims}, headers=dict(HTML))


async def kept(folder: Path) -> list[Row]:
    return await FolderStorage(folder / SESSIONS).scan(PARTITION, "")


def is_list(answer: HttpAnswer) -> bool:
    return answer.status == 200 and "retirements in" in text_of(answer) and "Affected by" in answer.body.decode()


async def test_who_signs_in_with_a_browser_sees_the_list_that_their_agent_would_get(here: Estate) -> None:
    page = await runner(here.office).visit(ASKED)
    assert is_list(page)
    answer = await here.office.client(**RUNNER).call("what_retires_here", max_results=50)
    items = answer["structuredContent"]["items"]
    assert items
    assert all(item["retires"] in text_of(page) for item in items)


async def test_the_call_leaves_the_record_of_the_tool(here: Estate) -> None:
    with Records.kept() as records:
        await runner(here.office).visit(ASKED)
    (record,) = records.all
    told = [record[name] for name in ("tool", "outcome", "way", "kind", "tenant", "subject")]
    assert told == ["what_retires_here", "done", "rest", "user", TENANT, USER]


async def test_another_person_sees_their_own(here: Estate) -> None:
    here.exchange.known[OTHER] = READER
    own, others = runner(here.office), runner(here.office, **BEA)
    told = [text_of(await browser.visit(ASKED)) for browser in (own, others)]

    assert ["12 retirements in Bakery Production, Bakery Development" in page for page in told] == [True, False]
    assert ["5 retirements in Bakery Production Support" in page for page in told] == [False, True]


@pytest.mark.parametrize("claims", [{}, BEA], ids=["another browser", "another person"])
async def test_a_kept_token_is_of_no_use_to(here: Estate, tmp_path: Path, claims: dict[str, Any]) -> None:
    """Not even where somebody can write to the storage, and puts the row of one in the place of another's."""
    first, second = runner(here.office), runner(here.office, **claims)
    await first.visit("/here")
    (own,) = await kept(tmp_path)
    await second.visit("/here")
    (other,) = [row for row in await kept(tmp_path) if row.key != own.key]
    await FolderStorage(tmp_path / SESSIONS).put_row(PARTITION, Row(other.key, own.content))
    answer = await second.get(ASKED)
    assert (answer.status, "oauth2/v2.0/authorize" in answer.headers["location"]) == (302, True)
    assert here.exchange.brought == []
    assert is_list(await first.get(ASKED))


async def test_a_kept_token_opens_for_its_person_alone_whatever_their_cookie_says(here: Estate) -> None:
    browser = runner(here.office)
    await browser.visit("/here")
    ((name, value),) = browser.cookies.items()
    session = Cookie(here.office.app.visiting.seals, ORIGIN).session({"cookie": f"{name}={value}"})
    assert session
    assert session.person
    tokens, other = here.office.app.browser_tokens, replace(session.person, subject=OTHER)
    assert await tokens.token(session.kept_token, session.browser, session.person)
    assert await tokens.token(session.kept_token, session.browser, other) == ""


async def test_when_the_token_is_over_the_page_has_them_sign_in_again(here: Estate, tmp_path: Path) -> None:
    browser = runner(here.office, exp=int(time.time()) + 600)
    await browser.visit("/here")
    (first,) = await kept(tmp_path)
    here.office.app.browser_tokens.clock = lambda: time.time() + 601
    answer = await browser.get(ASKED)
    where = answer.headers["location"]
    assert (answer.status, "oauth2/v2.0/authorize" in where, "prompt" in where) == (302, True, False)
    browser.claims = RUNNER
    assert is_list(await browser.visit(ASKED))
    (second,) = await kept(tmp_path)
    assert first.key != second.key


async def test_what_is_over_goes_when_somebody_else_comes(here: Estate, tmp_path: Path) -> None:
    await runner(here.office, exp=int(time.time()) + 600).visit("/here")
    here.office.app.browser_tokens.clock = lambda: time.time() + 601
    await runner(here.office).visit("/here")
    assert len(await kept(tmp_path)) == 1


async def test_a_token_that_is_over_at_once_sends_nobody_round_in_circles(here: Estate, tmp_path: Path) -> None:
    page = await runner(here.office, exp=int(time.time()) - 10).visit(ASKED)
    assert "your sign-in is not stored on the server" in text_of(page)
    assert await kept(tmp_path) == []
    again = await runner(here.office, exp=int(time.time()) - 10).visit("/here?again=now&ask=now")
    assert "Sign in again" in text_of(again)


async def test_who_loses_the_role_sees_nothing_more_after_the_next_sign_in(here: Estate, tmp_path: Path) -> None:
    browser = runner(here.office)
    assert is_list(await browser.visit(ASKED))
    browser.claims = {"roles": ["Reader"]}
    here.office.app.browser_tokens.clock = lambda: time.time() + 3601
    assert "Your roles do not allow what_retires_here" in text_of(await browser.visit(ASKED))
    assert await kept(tmp_path) == []


async def test_what_the_roles_file_takes_away_a_kept_token_does_not_open(here: Estate, tmp_path: Path) -> None:
    browser = runner(here.office)
    await browser.visit("/here")
    asked = len(here.exchange.brought)
    async with with_roles(here, tmp_path, ROLES.replace("all: destroy", "firewall: read")) as office:
        browser.office = office
        assert "Your roles do not allow what_retires_here" in text_of(await browser.visit(ASKED))
    assert len(here.exchange.brought) == asked


@asynccontextmanager
async def with_roles(here: Estate, folder: Path, roles: str) -> AsyncIterator[Office]:
    """The same server, started again after the roles file was changed."""
    (folder / "other.yaml").write_text(roles, encoding="utf-8")
    settings = here.office.app.settings
    sign_in = replace(settings.sign_in, roles_file=str(folder / "other.yaml"))
    app = build(replace(settings, sign_in=sign_in), toolsets=TOOLSETS)
    yield Office(app, here.office.issuer, here.office.page)
    await app.close()


async def test_a_token_is_kept_only_of_those_for_whom_the_page_asks(here: Estate, tmp_path: Path) -> None:
    await reader(here.office).visit("/changes")
    assert await kept(tmp_path) == []


async def test_without_the_explorer_no_token_is_kept(tmp_path: Path) -> None:
    async with estate(tmp_path, MCP_EXPLORER="false") as there:
        await runner(there.office).signed_in()
        assert await kept(tmp_path) == []


async def test_who_signs_out_leaves_nothing(here: Estate, tmp_path: Path) -> None:
    browser = runner(here.office)
    ticket = ticket_on(await browser.visit("/changes"))
    copied = dict(browser.cookies)
    assert len(await kept(tmp_path)) == 1
    assert (await browser.post("/changes", {"ticket": ticket})).status == 200
    assert await kept(tmp_path) == []
    thief = Browser(here.office, cookies=copied, headers=dict(HTML))
    assert (await thief.get(ASKED)).status == 302
    assert here.exchange.brought == []


async def test_who_signs_in_again_has_one_token_kept(here: Estate, tmp_path: Path) -> None:
    browser = runner(here.office)
    await browser.visit("/here")
    await browser.visit("/here?again=now")
    assert len(await kept(tmp_path)) == 1


async def test_nothing_of_a_token_is_told_anywhere(
    here: Estate, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    browser = runner(here.office)
    page = await browser.visit(ASKED)
    here.exchange.failure = {"error": "invalid_grant", "error_codes": [65001]}
    another = runner(here.office, **BEA)
    failed = await another.visit(ASKED)
    assert "is not allowed to call" in text_of(failed)
    told = [caplog.text, *browser.cookies.values(), *another.cookies.values()]
    told += [text for answer in (page, failed) for text in (answer.body.decode(), *answer.headers.values())]
    told += [text for row in await kept(tmp_path) for text in (row.key, row.content.decode())]
    parts = [part[:60] for token in here.exchange.brought for part in token.split(".")[1:]]
    assert len(parts) == 4
    assert not [text for text in told for part in parts if part in text]


async def test_who_has_to_show_up_again_is_told_how(here: Estate) -> None:
    here.exchange.failure = {"error": "interaction_required", "error_codes": [50076]}
    browser = runner(here.office)
    page = await browser.visit(ASKED)
    assert ("Sign in again" in text_of(page), 'href="/here?ask=now&amp;again=now"' in page.body.decode()) == (
        True,
        True,
    )
    assert "prompt=login" in (await browser.get("/here?ask=now&again=now")).headers["location"]


async def test_while_the_storage_is_away_people_sign_in_and_nothing_is_asked(
    here: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any) -> None:
        raise StorageError

    browser = runner(here.office)
    ticket = ticket_on(await browser.visit("/changes"))
    for method in ("read_rows", "put_row", "remove_row"):
        monkeypatch.setattr(FolderStorage, method, away)
    answer = await browser.get(ASKED)
    assert (answer.status, "cannot read your stored sign-in" in text_of(answer)) == (503, True)
    assert "You are still signed in" in text_of(await browser.post("/changes", {"ticket": ticket}))
    assert "your sign-in is not stored on the server" in text_of(await runner(here.office).visit(ASKED))
    assert here.exchange.brought == []


async def test_behind_app_service_the_token_of_its_session_asks(tmp_path: Path) -> None:
    async with estate(tmp_path, **in_mode_platform, UPSTREAM_CLIENT_ID="app", UPSTREAM_CLIENT_SECRET=SECRET) as there:
        browser = at_app_service(there.office, roles="Everything")
        assert "cannot act on your behalf" in text_of(await browser.get(ASKED, **HTML))
        token = there.office.issuer.token()
        assert is_list(await browser.get(ASKED, **HTML, **{"x-ms-token-aad-access-token": token}))
        assert there.exchange.brought == [token]
        foreign = there.office.issuer.token(oid=OTHER)
        answer = await browser.get(ASKED, **HTML, **{"x-ms-token-aad-access-token": foreign})
        assert (is_list(answer), there.exchange.brought) == (False, [token])


async def test_at_a_laptop_whoever_is_signed_in_there_asks(tmp_path: Path) -> None:
    with signed_in(tmp_path):
        async with estate(tmp_path, **at_the_laptop) as there:
            browser = Browser(there.office, headers=dict(HTML), host="localhost:7071")
            assert is_list(await browser.get(ASKED))
            assert there.exchange.brought == []
