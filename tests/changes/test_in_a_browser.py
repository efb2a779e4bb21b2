"""The pages in a real browser: usable by everybody, with scripts and without, and safe from what others wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.changes.gallery import ADA, BEA, Gallery, opened
from tests.exploring.browsers import axe, chromium, hearing, needs_chromium, violations
from tests.sweeps import Sweep

pytestmark = needs_chromium

WIDE: Final[ViewportSize] = {"width": 1280, "height": 720}
NARROW: Final[ViewportSize] = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    with opened(tmp_path_factory.mktemp("gallery")) as shown:
        yield shown


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened_browser:
        yield opened_browser


@pytest.fixture(scope="module")
def page_of_ada(browser: Browser, gallery: Gallery) -> Page:
    """The page of all tests that need no other: to open another costs more than what it shows."""
    return _looking(browser, gallery)


@pytest.fixture
def page(page_of_ada: Page) -> Page:
    page_of_ada.set_viewport_size(WIDE)
    page_of_ada.emulate_media(color_scheme="null")
    return page_of_ada


def _looking(browser: Browser, gallery: Gallery, **options: Any) -> Page:
    gallery.signs_in(ADA)
    return browser.new_page(base_url=gallery.url, viewport=WIDE, **options)


NAMES = [
    "waiting",
    "own",
    "for another",
    "denied",
    "approved",
    "applied",
    "applying",
    "outdated",
    "port",
    "plain",
    "hostile",
    "",
    "none",
]


@Sweep(
    ("name", "scheme"),
    [*((name, "light") for name in NAMES), ("waiting", "dark"), ("port", "dark"), ("", "dark")],
    every=3,
)
def test_nothing_stands_in_anybodys_way(
    page: Page, gallery: Gallery, name: str, scheme: Literal["light", "dark"]
) -> None:
    path = gallery.paths.get(name, f"/changes/{name}".rstrip("/"))
    told: list[str] = []
    page.set_viewport_size(NARROW)
    page.emulate_media(color_scheme=scheme)
    with hearing(page, console=lambda message: told.append(message.text)):
        page.goto(path)
        assert violations(page, axe()) == []
        # On a telephone nothing has to be pushed sideways.
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [line for line in told if "404" not in line] == []


def test_somebody_decides_with_keys_alone(page: Page, gallery: Gallery) -> None:
    page.goto(gallery.paths["waiting"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    names = []
    while page.evaluate("document.activeElement.value") != "approve":
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.tagName"))
        assert len(names) < 30, names
    page.keyboard.press("Enter")
    page.wait_for_url("**" + gallery.paths["waiting"])
    assert "Approved by ada@example.com" in page.inner_text("main")


def test_what_others_wrote_runs_nothing(page: Page, gallery: Gallery) -> None:
    ran: list[Any] = []
    page.goto("/changes")
    with hearing(
        page, dialog=lambda dialog: ran.append(dialog.message), request=lambda request: ran.append(request.url)
    ):
        page.goto(gallery.paths["hostile"])
    own = [gallery.url + path for path in (gallery.paths["hostile"], "/assets/")]
    assert [one for one in ran if not str(one).startswith(tuple(own))] == []
    assert (page.locator("main form").count(), page.locator("main button").count()) == (1, 2)
    assert "U+202E" in page.inner_text("h1")


def test_a_page_that_waits_looks_again_by_itself(browser: Browser, gallery: Gallery) -> None:
    path = gallery.paths["own"]
    with _looking(browser, gallery) as here, _looking(browser, gallery) as there:
        here.goto(path)
        there.goto(path)
        there.fill("#why", "because")
        there.click("button[value=deny]")
        here.get_by_text("Nothing was done, and the same call is rejected").wait_for()


def test_what_is_being_typed_is_not_lost_when_somebody_else_decides(browser: Browser, gallery: Gallery) -> None:
    path = gallery.paths["for another"]
    with _looking(browser, gallery) as here, _looking(browser, gallery) as there:
        for page in (here, there):
            gallery.signs_in(BEA)
            page.goto(path)
        here.fill("#why", "I am not sure, because")
        there.click("button[value=approve]")
        here.get_by_text("This change has been updated since the page was loaded.").wait_for()
        assert here.input_value("#why") == "I am not sure, because"


def test_without_scripts_everything_is_there_but_the_looking_again(browser: Browser, gallery: Gallery) -> None:
    with _looking(browser, gallery, java_script_enabled=False) as page:
        page.goto(gallery.paths["hostile"])
        page.click("button[value=deny]")
        assert "Enter a reason" in page.inner_text("[role=alert]")
        page.click(".again a")
        page.fill("#why", "no")
        page.click("button[value=deny]")
        assert "Denied by ada@example.com" in page.inner_text("main")


def test_no_page_frames_these_or_sends_their_forms(browser: Browser, page: Page, gallery: Gallery) -> None:
    page.goto(gallery.paths["approved"])
    evil = browser.new_page()
    evil.set_content(f"<iframe src='{gallery.url}{gallery.paths['approved']}'></iframe>")
    evil.wait_for_load_state("networkidle")
    assert all("Approved" not in frame.content() for frame in evil.frames)
    evil.close()


@pytest.mark.parametrize(("width", "height"), [(360, 640), (1440, 900)])
def test_both_buttons_are_seen_without_scrolling_and_that_of_a_deletion_names_what_goes(
    page: Page, gallery: Gallery, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(gallery.paths["undecided"])
    for value in ("approve", "deny"):
        box = page.locator(f"button[value={value}]").bounding_box()
        assert box
        assert 0 <= box["y"] < box["y"] + box["height"] <= height
    approving = page.locator("button[value=approve]")
    assert approving.inner_text() == "Delete work item 11 'Cards are charged twice'"
    assert approving.get_attribute("class") == "danger"


def test_the_list_says_what_is_asked_for_by_whom_for_whom_and_until_when(page: Page, gallery: Gallery) -> None:
    page.goto("/changes")
    asked = page.locator("tr", has=page.locator(f"a[href='{gallery.paths['port']}']")).inner_text()
    for words in (
        "Replace the security rule AllowSshAny of nsg-shop-prod (allows port 22 from anywhere)",
        "Agent a9e47000-0000-4000-8000-000000000005",
        "For bea@example.com",
        "Expires 20",
        "for another person who can make the same change",
    ):
        assert words in " ".join(asked.split()), asked


def test_who_opens_the_server_in_a_browser_gets_to_what_waits(browser: Browser, gallery: Gallery) -> None:
    page = _looking(browser, gallery)
    page.goto("/")
    page.click("text=Sign in")
    page.click("nav >> text=Approvals")
    page.wait_for_url("**/changes")
    assert page.inner_text("h1") == "Changes"


def test_an_unseen_character_is_named_on_the_red_button_too(page: Page, gallery: Gallery) -> None:
    page.goto(gallery.paths["port"])
    unseen = "<span class='unseen'>U+202E</span>"
    page.evaluate("unseen => document.querySelector('button.danger').insertAdjacentHTML('beforeend', unseen)", unseen)
    named = page.locator("button.danger .unseen").evaluate("one => getComputedStyle(one).color")
    assert named != page.locator("button.danger").evaluate("one => getComputedStyle(one).backgroundColor")
