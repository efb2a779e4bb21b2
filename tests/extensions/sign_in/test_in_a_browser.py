"""The page of a sign-in at an extension in a real browser, behind the real host: usable by everybody."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from playwright.sync_api import Page, sync_playwright

from tests.e2e.site import Site, site
from tests.extensions.place import entry_of
from tests.extensions.sign_in.counter import CONSENT, ROLES, signed_peer
from tests.npm import installed

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("There is no Chromium on this machine, and these tests look at pages in one.", allow_module_level=True)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("stage")
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(signed_peer()) as peer:
        (folder / "extensions.yaml").write_text(f"extensions:\n{entry_of(peer, CONSENT)}", encoding="utf-8")
        (folder / "roles.yaml").write_text(ROLES.replace("office", "firewall"), encoding="utf-8")
        files = {"EXTENSIONS_FILE": "extensions.yaml", "AUTH_ROLES_FILE": "roles.yaml"}
        settings = {name: str(folder / file) for name, file in files.items()}
        with portal.wrap_async_context_manager(site(folder, None, **settings)) as started:
            token = started.page.token
            started.page.token = lambda: started.issuer.token(scp="access", roles=["Actor"])
            yield started
            started.page.token = token


@pytest.fixture
def page(stage: Site) -> Iterator[Page]:
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as browser,
    ):
        yield browser.new_context(
            base_url=stage.url, color_scheme="dark", viewport={"width": 360, "height": 740}, ignore_https_errors=True
        ).new_page()


def seen(page: Page, axe: str) -> None:
    page.evaluate(axe)
    found: Any = page.evaluate("axe.run()")
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    # On a telephone nothing has to be pushed sideways.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_somebody_signs_in_and_out_and_nothing_stands_in_their_way(page: Page) -> None:
    folder = installed(Path(__file__).parents[2] / "changes" / "axe").folder
    axe = (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto("/extensions/stage")
    seen(page, axe)
    page.click("button[value=begin]")
    seen(page, axe)
    page.click("main a.button")
    page.wait_for_url("**/extensions/stage")
    assert "yes, last renewed" in page.inner_text("main")
    seen(page, axe)
    page.click("button[value=sign-out]")
    assert "The issuer confirmed that your sign-in is revoked." in page.inner_text("[role=status]")
    seen(page, axe)
    assert complaints == []
