"""The explorer in a real browser: usable by everybody, without a script, on a telephone, in print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import pytest
from anyio.from_thread import start_blocking_portal
from playwright.sync_api import Browser, Page, Request, ViewportSize

from tests.e2e.site import PROJECT
from tests.exploring.browsers import axe, chromium, complaints, hearing, needs_chromium, violations
from tests.exploring.planted import FIRST_HOSTILE, HOSTILE_TITLES, SLIPS, plant
from tests.offline import offline
from tests.sweeps import Sweep, pairs
from tests.warm.app import running

pytestmark = needs_chromium

PAGES = {
    "overview": "/",
    "updates": "/updates",
    "filtered": "/updates?query=lamp&products=Lamps&dateFrom=2026-01",
    "nothing": "/updates?query=%22nothing+like+this%22",
    "wrong": "/updates?products=Nothing",
    "update": f"/updates/{SLIPS}",
    "hostile": f"/updates/{FIRST_HOSTILE}",
    "endless": f"/updates/{FIRST_HOSTILE + 6}",
    "timeline": "/retirements?from=2027-01",
    "calendar": "/calendar?month=2027-05",
    "here": "/here",
    "connect": "/connect",
}


Scheme = Literal["dark", "light"]
WIDE: Final[ViewportSize] = {"width": 1440, "height": 900}
VIEWS: Final[Sequence[tuple[int, Scheme]]] = [(360, "dark"), (768, "light"), (1440, "light")]


@dataclass
class Shown:
    browser: Browser
    url: str

    def page(self, **options: Any) -> Page:
        return self.browser.new_page(base_url=self.url, viewport=WIDE, **options)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("explorer")
    settings = offline(folder) | {"UPDATES_SAMPLE": "false"}
    with start_blocking_portal() as portal:
        portal.call(plant, folder)
        with portal.wrap_async_context_manager(running(PROJECT, settings=settings)) as url, chromium() as browser:
            yield Shown(browser, url)


@pytest.fixture(scope="module")
def page_of_all(shown: Shown) -> Page:
    """One page for all tests that leave nothing behind in it: to open another costs more than what it shows."""
    return shown.page()


@pytest.fixture
def page(page_of_all: Page) -> Page:
    page_of_all.emulate_media(media="null", color_scheme="null")
    page_of_all.set_viewport_size(WIDE)
    return page_of_all


@Sweep(("name", "checked"), pairs(PAGES, VIEWS), every=2 * len(VIEWS))
def test_no_page_stands_in_anybodys_way(page: Page, name: str, checked: tuple[int, Scheme]) -> None:
    received: list[int] = []

    def note(request: Request) -> None:
        received.append(request.sizes()["responseBodySize"])

    with complaints(page) as told, hearing(page, requestfinished=note):
        page.goto(PAGES[name], wait_until="networkidle")
        assert sum(received) < 100_000
        assert [width for width, _ in VIEWS if not _fits(page, width)] == []
        _show(page, *checked)
        assert violations(page, axe()) == []
    # That a search is wrong, the status says as well.
    assert [line for line in told if "400" not in line] == []


def _show(page: Page, width: int, scheme: Scheme) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)


def _fits(page: Page, width: int) -> bool:
    page.set_viewport_size({"width": width, "height": 900})
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_no_page_asks_for_anything_elsewhere_or_runs_what_others_wrote(shown: Shown, page: Page) -> None:
    asked: list[str] = []
    with hearing(
        page,
        request=lambda request: asked.append(request.url),
        dialog=lambda dialog: asked.append(dialog.message),
    ):
        for number in range(len(HOSTILE_TITLES)):
            page.goto(f"/updates/{FIRST_HOSTILE + number}")
        page.goto("/updates?sortBy=title")
    assert [one for one in asked if not one.startswith(shown.url)] == []


def test_somebody_searches_and_filters_with_keys_alone(shown: Shown) -> None:
    page = shown.page(java_script_enabled=False)
    page.goto("/updates")
    page.focus("#query")
    page.keyboard.type("lamp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/updates?query=lamp*")
    page.focus(".filters a[href*='products=Lamps']")
    page.keyboard.press("Enter")
    page.wait_for_url("**products=Lamps*")
    assert "Remove Product Lamps" in " ".join(page.inner_text(".chips").split())
    page.go_back()
    assert page.input_value("#query") == "lamp"


def test_a_month_of_the_timeline_leads_to_what_it_has(page: Page) -> None:
    page.goto("/retirements?from=2027-01")
    page.click(".year a:has-text('Apr 2027')")
    page.wait_for_url("**from=2027-04*")
    assert page.inner_text(".agenda li").startswith("14 Apr")


def test_both_sides_of_an_edit_stand_beside_each_other(page: Page) -> None:
    page.goto(f"/updates/{SLIPS}")
    before, after = (page.locator(f".history .{side}").first.bounding_box() for side in ("before", "after"))
    assert before
    assert after
    assert (before["y"], before["x"] < after["x"]) == (after["y"], True)


def test_in_print_there_is_what_was_found_and_nothing_to_press(page: Page) -> None:
    page.goto("/updates")
    page.emulate_media(media="print")
    assert page.locator(".update").first.is_visible()
    assert not any(page.locator(part).first.is_visible() for part in (".search", ".filters", "header nav"))
