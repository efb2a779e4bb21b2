"""The app that hosts show in a chat, in a real browser and a host out of the reference bridge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from playwright.sync_api import FrameLocator, Page, expect

from tests.e2e.site import PROJECT
from tests.exploring.app_hosting import AppHost, hosting
from tests.exploring.browsers import axe, chromium, complaints, needs_chromium, violations
from tests.exploring.planted import HOSTILE_TITLES, SLIPS, plant
from tests.offline import offline
from tests.sweeps import Sweep
from tests.warm.app import running

pytestmark = needs_chromium

TOOL = "search_azure_updates"


@dataclass
class Chat:
    """A host that can call the tools of a server, and the page that it runs in."""

    only_page: Page
    host: AppHost
    server: str

    def page(self, arguments: dict[str, Any], width: int = 760, **more: str) -> Page:
        """The call in the page of all tests, which leaves behind what it showed before."""
        page = self.only_page
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(self.host.showing(f"{self.server}/mcp", TOOL, arguments, **more))
        page.wait_for_function("window.seen?.isReady")
        return page


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chat]:
    folder = tmp_path_factory.mktemp("chat")
    settings = offline(folder) | {"UPDATES_SAMPLE": "false"}
    with start_blocking_portal() as portal:
        portal.call(plant, folder)
        with (
            portal.wrap_async_context_manager(running(PROJECT, settings=settings)) as server,
            portal.wrap_async_context_manager(hosting()) as host,
            chromium() as browser,
        ):
            yield Chat(browser.new_page(), host, server)


def app_in(page: Page) -> FrameLocator:
    """The app, whose buttons are pressed by key: its frame grows while counts arrive, so that a click could miss."""
    return page.frame_locator("iframe").frame_locator("iframe")


def test_the_tool_names_the_app_and_the_host_shows_what_it_found(chat: Chat) -> None:
    page = chat.page({"query": "lamp"})
    expect(app_in(page).get_by_role("button", name="The old lamp service retires later")).to_be_visible()
    shown = page.evaluate("seen.page")
    assert shown["mimeType"] == "text/html;profile=mcp-app"
    assert shown["size"] < 25_000


def test_a_filter_calls_the_tool_again(chat: Chat) -> None:
    page = chat.page({})
    app = app_in(page)
    app.get_by_label("Product", exact=True).select_option("Candles")
    expect(app.get_by_text("1 update: 1 to 1")).to_be_visible()
    app.get_by_label("Search updates").fill("nothing like this")
    app.get_by_role("button", name="Search").press("Enter")
    expect(app.get_by_text("Nothing matches.")).to_be_visible()
    last = page.evaluate("seen.calls.at(-1)")
    assert (last["query"], last["filters"]) == ("nothing like this", {"products": ["Candles"]})


def test_the_timeline_shows_what_retires_in_a_month(chat: Chat) -> None:
    app = app_in(chat.page({}))
    app.get_by_role("button", name="Retirements").press("Enter")
    app.get_by_role("button", name=f"{len(HOSTILE_TITLES)} May").press("Enter")
    expect(app.get_by_role("heading", name=f"May 2027: {len(HOSTILE_TITLES)}")).to_be_visible()


def test_an_update_shows_its_history_and_opens_outside(chat: Chat) -> None:
    page = chat.page({"query": "lamp"})
    app = app_in(page)
    app.get_by_role("button", name="The old lamp service retires later").press("Enter")
    expect(app.get_by_text("Retirement 2027-03")).to_be_visible()
    app.get_by_role("button", name="Open this update").press("Enter")
    page.wait_for_function("seen.links.length")
    assert page.evaluate("seen.links") == [f"https://azure.microsoft.com/updates?id={SLIPS}"]


def test_counts_of_the_filters_replace_nothing_that_could_be_pressed(chat: Chat) -> None:
    found = {"results": [{"id": SLIPS, "title": "Shown before the counts"}], "total": 1, "offset": 0, "limit": 50}
    app = app_in(chat.page({}, result=json.dumps({"structuredContent": found, "content": []})))
    expect(app.get_by_label("Product", exact=True)).to_contain_text("Candles (1)")
    expect(app.get_by_role("button", name="Shown before the counts")).to_be_visible()


def test_one_update_that_was_asked_for_is_shown_alone(chat: Chat) -> None:
    expect(app_in(chat.page({"id": SLIPS})).get_by_role("heading", name="History")).to_be_visible()


def test_a_host_that_calls_no_tools_for_apps_still_shows_what_was_found(chat: Chat) -> None:
    page = chat.page({"query": "lamp"}, silent="yes")
    app = app_in(page)
    expect(app.get_by_role("search")).to_be_hidden()
    app.get_by_role("button", name="The old lamp service retires later").press("Enter")
    page.wait_for_function("seen.links.length")
    assert page.evaluate("seen.calls") == []


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ({"content": [{"type": "text", "text": "The storage is away."}], "isError": True}, "The storage is away."),
        ({"content": [{"type": "text", "text": "No JSON"}]}, "The answer has no updates."),
        ({"content": []}, "The answer has no updates."),
    ],
)
def test_a_call_that_failed_is_told_in_words(chat: Chat, result: dict[str, Any], told: str) -> None:
    app = app_in(chat.page({}, result=json.dumps(result)))
    expect(app.get_by_role("alert")).to_contain_text(told)


def test_the_theme_of_the_host_is_that_of_the_app(chat: Chat) -> None:
    page = chat.page({}, theme="dark")
    expect(app_in(page).locator("html")).to_have_attribute("data-theme", "dark")
    page.evaluate("bridge.setHostContext({theme: 'light'})")
    expect(app_in(page).locator("html")).to_have_attribute("data-theme", "light")


@Sweep(("theme", "width"), [("dark", 360), ("light", 760)], every=2)
def test_nothing_is_wrong_with_the_app_whatever_others_wrote(chat: Chat, theme: str, width: int) -> None:
    script = axe()
    with complaints(chat.only_page) as told:
        page = chat.page({"sortBy": "title"}, width, theme=theme)
        app = app_in(page)
        expect(app.get_by_role("button", name="<script>alert(1)</script>")).to_be_visible()
        frame = next(frame for frame in page.frames if frame.url == "about:srcdoc")
        expect(app.get_by_label("Product", exact=True)).to_contain_text("Candles (1)")
        assert violations(frame, script) == []
        assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth")
        app.get_by_role("button", name="javascript:alert(1)", exact=True).press("Enter")
        expect(app.get_by_role("button", name="Open this update")).to_be_visible()
        assert violations(frame, script) == []
        assert frame.locator("main img, main script, main a").count() == 0
    # The client of the host asks whether there is a stream, and is told that there is none.
    assert [line for line in told if "405" not in line] == []
    assert page.evaluate("seen.errors") == []
