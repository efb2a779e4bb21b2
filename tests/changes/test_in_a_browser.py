"""The pages in a real browser: usable by everybody, with scripts and without, and safe from what others wrote."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.changes.gallery import ADA, BEA, Gallery, opened
from tests.npm import installed

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("There is no Chromium on this machine, and these tests look at pages in one.", allow_module_level=True)


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    with opened(tmp_path_factory.mktemp("gallery")) as shown:
        yield shown


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as browser,
    ):
        yield browser


@pytest.fixture
def page(chromium: Browser, gallery: Gallery) -> Iterator[Page]:
    with _looking(chromium, gallery) as looking:
        yield looking


def _looking(chromium: Browser, gallery: Gallery, **options: Any) -> Any:
    gallery.signs_in(ADA)
    return chromium.new_context(base_url=gallery.url, **options).new_page()


@pytest.fixture(scope="session")
def axe() -> str:
    folder = installed(Path(__file__).parent / "axe").folder
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


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


@pytest.mark.parametrize(
    ("name", "scheme"), [*((name, "light") for name in NAMES), ("waiting", "dark"), ("port", "dark"), ("", "dark")]
)
def test_nothing_stands_in_anybodys_way(chromium: Browser, gallery: Gallery, axe: str, name: str, scheme: str) -> None:
    narrow = {"width": 360, "height": 740}
    path = gallery.paths.get(name, f"/changes/{name}".rstrip("/"))
    complaints: list[str] = []
    with _looking(chromium, gallery, color_scheme=scheme, viewport=narrow) as page:
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(path)
        page.evaluate(axe)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        found = page.evaluate("axe.run()")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
        # On a telephone nothing has to be pushed sideways.
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [line for line in complaints if "404" not in line] == []


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
    page.on("dialog", lambda dialog: ran.append(dialog.message))
    page.goto("/changes")
    page.on("request", lambda request: ran.append(request.url))
    page.goto(gallery.paths["hostile"])
    own = [gallery.url + path for path in (gallery.paths["hostile"], "/assets/")]
    assert [one for one in ran if not str(one).startswith(tuple(own))] == []
    assert (page.locator("main form").count(), page.locator("main button").count()) == (1, 2)
    assert "U+202E" in page.inner_text("h1")


def test_a_page_that_waits_looks_again_by_itself(chromium: Browser, gallery: Gallery) -> None:
    path = gallery.paths["own"]
    with _looking(chromium, gallery) as here, _looking(chromium, gallery) as there:
        here.goto(path)
        there.goto(path)
        there.fill("#why", "because")
        there.click("button[value=deny]")
        here.get_by_text("Nothing was done, and the same call is refused").wait_for()


def test_what_is_being_typed_is_not_lost_when_somebody_else_decides(chromium: Browser, gallery: Gallery) -> None:
    path = gallery.paths["for another"]
    with _looking(chromium, gallery) as here, _looking(chromium, gallery) as there:
        for page in (here, there):
            gallery.signs_in(BEA)
            page.goto(path)
        here.fill("#why", "I am not sure, because")
        there.click("button[value=approve]")
        here.get_by_text("This change has been updated since the page was loaded.").wait_for()
        assert here.input_value("#why") == "I am not sure, because"


def test_without_scripts_everything_is_there_but_the_looking_again(chromium: Browser, gallery: Gallery) -> None:
    with _looking(chromium, gallery, java_script_enabled=False) as page:
        page.goto(gallery.paths["hostile"])
        page.click("button[value=deny]")
        assert "Enter a reason" in page.inner_text("[role=alert]")
        page.click(".again a")
        page.fill("#why", "no")
        page.click("button[value=deny]")
        assert "Denied by ada@example.com" in page.inner_text("main")


def test_no_page_frames_these_or_sends_their_forms(page: Page, gallery: Gallery) -> None:
    page.goto(gallery.paths["approved"])
    evil = page.context.browser.new_page()  # type: ignore[union-attr]  # it was opened by one
    evil.set_content(f"<iframe src='{gallery.url}{gallery.paths['approved']}'></iframe>")
    evil.wait_for_load_state("networkidle")
    assert all("Approved" not in frame.content() for frame in evil.frames)
    evil.close()


@pytest.mark.parametrize(("width", "height"), [(360, 640), (1440, 900)])
def test_both_buttons_are_seen_without_scrolling_and_that_of_a_deletion_names_what_goes(
    chromium: Browser, gallery: Gallery, width: int, height: int
) -> None:
    page = _looking(chromium, gallery, viewport={"width": width, "height": height})
    page.goto(gallery.paths["undecided"])
    for value in ("approve", "deny"):
        box = page.locator(f"button[value={value}]").bounding_box()
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


def test_who_opens_the_server_in_a_browser_gets_to_what_waits(page: Page) -> None:
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
