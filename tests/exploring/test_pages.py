"""The explorer: who sees what, what its addresses mean, and what others wrote in it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from mcp_server.http.messages import HttpRequest
from tests.changes.bench import OTHER, Browser, Office, at_app_service, at_the_laptop, in_mode_platform, opened, text_of
from tests.exploring.bench import HTML, ROLES, explored, reader, visited
from tests.exploring.planted import FIRST_HOSTILE, HOSTILE_TITLES, SLIPS, WITHDRAWN
from tests.fakes.issuer import TENANT
from tests.sweeps import Sweep
from tools import TOOLSETS
from tools.azure_updates.access import UPDATES
from updates.searching.search import FILTERS

pytestmark = pytest.mark.anyio


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with explored(tmp_path) as house:
        yield house


@pytest.fixture
async def laptop(tmp_path: Path) -> AsyncIterator[Office]:
    async with explored(tmp_path, **at_the_laptop) as office:
        yield office


def sitting_at(office: Office) -> Browser:
    return Browser(office, host="localhost:7071", headers=dict(HTML))


async def shown(office: Office, path: str) -> str:
    answer = await visited(sitting_at(office), path)
    assert answer.status == 200, text_of(answer)
    return text_of(answer)


async def test_who_has_not_signed_in_is_greeted_and_told_how_to_connect(office: Office) -> None:
    answer = await office.browser().get("/", **HTML)
    assert answer.status == 200
    assert 'href="/?sign-in"' in answer.body.decode()
    assert "claude mcp add --transport http azure-team https://office.example.com/mcp" in text_of(answer)
    assert "lamp" not in text_of(answer)


async def test_a_shared_address_leads_there_after_the_sign_in(office: Office) -> None:
    answer = await visited(reader(office), "/updates?query=lamp&sortBy=title%3Aasc")
    assert answer.status == 200
    assert "The old lamp service retires later" in text_of(answer)


async def test_who_signs_in_at_the_root_sees_what_is_new_and_what_retires(office: Office) -> None:
    told = text_of(await visited(reader(office), "/?sign-in"))
    for words in ("Solar panels for data centres", "Retiring next", "Nothing waits for you.", "ada@example.com"):
        assert words in told


async def test_each_number_on_the_start_page_leads_to_as_many_updates(laptop: Office) -> None:
    page = (await visited(sitting_at(laptop), "/")).body.decode()
    figures = re.findall(r'href="(/updates\?[^"]+)"><strong>([\d,]+)</strong>', page)
    assert len(figures) == 2
    assert any(count != "0" for _, count in figures)
    for path, count in figures:
        listed = (await visited(sitting_at(laptop), path.replace("&amp;", "&"))).body.decode()
        assert (f"<strong>{count}</strong> update" if count != "0" else "Nothing matches.") in listed


@pytest.mark.parametrize("name", FILTERS)
async def test_a_search_keeps_each_filter_when_words_are_added(laptop: Office, name: str) -> None:
    index = await (await laptop.app.providers.get(UPDATES)).library.index()
    value = next(iter(index.vocabulary.counts.get(name, {"": 0}))) or {"dateField": "created"}.get(name, "2020-01")
    page = (await visited(sitting_at(laptop), f"/updates?{urlencode({name: value})}")).body.decode()
    assert 'role="alert"' not in page
    form = page[page.index("<form") : page.index("</form>")]
    assert re.search(f'name="{name}"', form)
    assert re.search(f'value="{re.escape(escape(value))}"', form)
    assert ("Clear all" in page) == (name != "dateField")


@pytest.mark.parametrize("path", ["/updates", f"/updates/{SLIPS}", "/retirements", "/calendar"])
async def test_without_the_role_of_the_tool_its_pages_stay_closed(office: Office, path: str) -> None:
    answer = await visited(office.browser(roles=["Doorkeeper"]), path)
    assert answer.status == 403
    assert "search_azure_updates" in text_of(answer)
    assert "lamp" not in text_of(answer)


async def test_without_that_role_the_start_page_and_the_tools_show_the_rest_only(office: Office) -> None:
    keeper = office.browser(roles=["Doorkeeper"])
    start, tools = text_of(await visited(keeper, "/?sign-in")), text_of(await visited(keeper, "/connect"))
    assert ("lamp" in start, "Waiting for your approval" in start) == (False, True)
    assert ("new_azure_firewall_rules" in tools, "search_azure_updates" in tools) == (True, False)


async def test_a_tool_that_an_operator_denies_shows_no_page(tmp_path: Path) -> None:
    async with explored(tmp_path, MCP_DENIED="search_azure_updates", **at_the_laptop) as office:
        assert (await sitting_at(office).get("/updates")).status == 404
        assert "lamp" not in await shown(office, "/")


async def test_on_the_internet_without_sign_in_everybody_sees_what_is_public(tmp_path: Path) -> None:
    on_azure = {"AZURE_FUNCTIONS_ENVIRONMENT": "Production", "WEBSITE_HOSTNAME": "office.example.com"}
    storage = {"STORAGE_FOLDER": str(tmp_path)}
    async with explored(tmp_path, AUTH_MODE="none", AUTH_BRIDGE_CLIENT_ID="", **on_azure, **storage) as office:
        anybody = office.browser()
        assert "old lamp service" in text_of(await visited(anybody, "/updates"))
        start, tools = text_of(await visited(anybody, "/")), text_of(await visited(anybody, "/connect"))
        assert "approval" not in start.casefold()
        assert ("search_azure_updates" in tools, "refresh_azure_updates" in tools) == (True, False)


async def test_behind_app_service_the_browser_is_known_by_its_cookie(tmp_path: Path) -> None:
    async with explored(tmp_path, AUTH_ALLOWED_TENANTS=TENANT, **in_mode_platform) as office:
        stranger = await office.browser().get("/updates?query=lamp")
        assert stranger.headers["location"].startswith("/.auth/login/aad?post_login_redirect_uri=%2Fupdates%3Fquery")
        known = at_app_service(office, roles="Reader")
        assert "old lamp service" in text_of(await visited(known, "/updates?query=lamp"))


async def test_where_nobody_can_sign_in_with_a_browser_the_start_page_says_what_is_missing(tmp_path: Path) -> None:
    async with explored(tmp_path, AUTH_BRIDGE_CLIENT_ID="") as office:
        start = await office.browser().get("/", **HTML)
        assert (start.status, "AUTH_BRIDGE_CLIENT_ID" in text_of(start)) == (200, True)
        assert (await office.browser().get("/updates")).status == 400


async def test_a_program_at_the_root_is_told_what_is_where(office: Office) -> None:
    answer = await office.browser().get("/")
    assert answer.headers["content-type"].startswith("text/plain")
    assert b"POST /mcp" in answer.body


async def test_an_operator_turns_the_explorer_off(tmp_path: Path) -> None:
    async with explored(tmp_path, MCP_EXPLORER="false", **at_the_laptop) as office:
        start = await sitting_at(office).get("/", **HTML)
        assert ("lamp" in text_of(start), 'href="/updates"' in start.body.decode()) == (False, False)


async def test_each_value_to_filter_by_tells_how_many_are_left_and_its_link_leaves_as_many(laptop: Office) -> None:
    page = (await sitting_at(laptop).get("/updates")).body.decode()
    filters = re.findall(r'<a href="(/updates\?[^"]+)"><span>.*?</span> <span class="number">(\d+)</span>', page)
    assert len(filters) > 8
    for path, count in filters:
        told = await shown(laptop, path.replace("&amp;", "&"))
        assert f" {count} update" in told, path


async def test_of_what_an_update_has_once_another_value_takes_its_place(laptop: Office) -> None:
    page = (await sitting_at(laptop).get("/updates?availabilityRing=Retirement")).body.decode()
    others = re.findall(r'href="/updates\?availabilityRing=([^"&]+)"', page)
    assert "Preview" in others


async def test_a_filter_that_is_set_is_taken_away_by_one_link(laptop: Office) -> None:
    page = (await sitting_at(laptop).get("/updates?query=lamp&products=Lamps&page=1")).body.decode()
    chip = re.search(r'<a href="([^"]+)"><span class="vh">Remove </span><span class="small">Product', page)
    assert chip
    assert parse_qs(urlsplit(chip[1]).query) == {"query": ["lamp"]}


@Sweep(
    "query",
    ["products=Nothing", "dateFrom=soon", "sortBy=colour", "query=" + "x" * 3000, "page=-1", "page=99999999", "a=b"],
    every=2,
)
async def test_an_address_that_makes_no_sense_says_why_and_still_shows_updates(laptop: Office, query: str) -> None:
    answer = await sitting_at(laptop).get(f"/updates?{query}")
    assert answer.status in {200, 400}
    assert "filters" in answer.body.decode()


async def test_an_update_shows_its_history_side_by_side(laptop: Office) -> None:
    told = await shown(laptop, f"/updates/{SLIPS}")
    assert "Dates \u2212 Before Retirement 2027-[removed: 03] + After Retirement 2027-[added: 09]" in told
    assert "retires + After Retirement: The old lamp service retires[added: later]" in told


async def test_a_withdrawn_update_says_so(laptop: Office) -> None:
    assert "Withdrawn by Microsoft" in await shown(laptop, f"/updates/{WITHDRAWN}")


@pytest.mark.parametrize("name", ["nothing", "%3Cscript%3E", "..%2f..%2fchanges", "x" * 500])
async def test_an_update_that_is_not_there_is_not_found(laptop: Office, name: str) -> None:
    answer = await sitting_at(laptop).get(f"/updates/{name}")
    assert (answer.status, "<script>" in answer.body.decode()) == (404, False)


async def test_the_timeline_counts_what_its_months_list(laptop: Office) -> None:
    page = (await sitting_at(laptop).get("/retirements?from=2027-01")).body.decode()
    bars = re.findall(r'from=(2027-\d\d)#list"><span class="vh">[^<]+</span>.*?class="number">(\d+)<', page)
    assert dict(bars) == {"2027-04": "1", "2027-05": str(len(HOSTILE_TITLES)), "2027-09": "1"}
    assert f"May 2027 {len(HOSTILE_TITLES)}" in text_of(await sitting_at(laptop).get("/retirements?from=2027-05"))


async def test_the_calendar_has_what_says_its_day_on_that_day_and_the_rest_above(laptop: Office) -> None:
    page = (await sitting_at(laptop).get("/calendar?month=2027-04")).body.decode()
    day = re.search(r'<span class="number">14</span><ul>(.*?)</ul>', page, re.DOTALL)
    assert day
    assert "Candles" in day[1]
    assert "In September 2027, day not announced" in await shown(laptop, "/calendar?month=2027-09")


@pytest.mark.parametrize("path", ["/calendar?month=2027-13", "/calendar?month=x", "/retirements?from=0000-00"])
async def test_a_month_that_is_none_is_this_one(laptop: Office, path: str) -> None:
    assert "Retirements" in await shown(laptop, path)


class Markup(HTMLParser):
    """What a browser would make of a page: its elements, the addresses that it names, and what it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.addresses: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src", "action"}]
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]


@Sweep(
    "path",
    ["/updates?sortBy=title", "/retirements?from=2027-05", "/calendar?month=2027-05"]
    + [f"/updates/{FIRST_HOSTILE + number}" for number in range(len(HOSTILE_TITLES))],
    every=3,
)
async def test_what_others_wrote_is_nothing_but_text(laptop: Office, path: str) -> None:
    page = (await sitting_at(laptop).get(path)).body.decode()
    markup = Markup()
    markup.feed(page)
    assert not markup.elements & {"script", "img", "iframe", "object", "base", "meta http-equiv"}
    assert markup.handlers == []
    assert [one for one in markup.addresses if not re.match(r"/(?!/)|#|https://[\w.-]+/[^\s\"<>]*$|data:,$", one)] == []
    assert "evil.example>" not in page
    assert "\u202e" not in page


async def test_before_the_first_sync_each_page_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path, ROLES, TOOLSETS, UPDATES_SAMPLE="false", **at_the_laptop) as office:
        assert "the first sync is running" in await shown(office, "/")
        for path in ("/updates", "/retirements", "/calendar"):
            answer = await sitting_at(office).get(path)
            assert (answer.status, "the first sync is running" in text_of(answer)) == (503, True)


async def test_invented_updates_are_marked_in_large_letters_on_each_page(tmp_path: Path) -> None:
    async with opened(tmp_path, ROLES, TOOLSETS, **at_the_laptop) as office:
        for path in ("/", "/updates", "/retirements", "/calendar"):
            assert "Demo: all updates on this page are made up." in await shown(office, path)


async def test_without_azure_the_page_about_ones_own_resources_says_what_an_operator_has_to_set(laptop: Office) -> None:
    told = await shown(laptop, "/here?ask=now")
    assert ("Azure" in told, "Ask Azure now" in told) == (True, False)
    assert "retirement_report" in told


async def test_without_the_role_of_the_tool_the_page_about_ones_own_resources_asks_nothing(tmp_path: Path) -> None:
    async with explored(tmp_path, AZURE_SUBSCRIPTION_ID=OTHER) as office:
        assert "Your roles do not allow what_retires_here" in text_of(await visited(reader(office), "/here?ask=now"))


async def test_a_search_is_given_as_files_where_nobody_signs_in(laptop: Office) -> None:
    await check_file(sitting_at(laptop))


async def test_a_search_is_given_as_files_that_are_the_readers_own(office: Office) -> None:
    await check_file(reader(office))


async def check_file(browser: Browser) -> None:
    page = (await visited(browser, "/updates?products=Candles")).body.decode()
    (path,) = re.findall(r'href="(/updates\.csv\?[^"]+)"', page)
    table = await browser.office.pages.updates(request_of(browser, path.replace("&amp;", "&")), "csv")
    assert (table.status, table.body.count(b"Candles retire"), table.body.count(b"old lamp")) == (200, 1, 0)


def request_of(browser: Browser, path: str) -> HttpRequest:
    """A request of a program, which brings nothing but the address."""
    parts = urlsplit(path)
    return HttpRequest("GET", parts.path, {"host": browser.host}, b"", parts.query, "192.0.2.7")
