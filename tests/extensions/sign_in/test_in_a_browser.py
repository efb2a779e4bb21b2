"""The page of a sign-in at an extension in a real browser, behind the real host: usable by everybody."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anyio.from_thread import start_blocking_portal
from playwright.sync_api import Page

from tests.e2e.site import Site, site
from tests.exploring.browsers import axe, chromium, complaints, needs_chromium, violations
from tests.extensions.place import entry_of
from tests.extensions.sign_in.counter import CONSENT, ROLES, signed_peer

pytestmark = needs_chromium


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
    with chromium() as browser:
        yield browser.new_page(
            base_url=stage.url, color_scheme="dark", viewport={"width": 360, "height": 740}, ignore_https_errors=True
        )


def seen(page: Page) -> None:
    assert violations(page, axe()) == []
    # On a telephone nothing has to be pushed sideways.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_somebody_signs_in_and_out_and_nothing_stands_in_their_way(page: Page) -> None:
    with complaints(page) as told:
        page.goto("/extensions/stage")
        seen(page)
        page.click("button[value=begin]")
        seen(page)
        page.click("main a.button")
        page.wait_for_url("**/extensions/stage")
        assert "yes, last renewed" in page.inner_text("main")
        seen(page)
        page.click("button[value=sign-out]")
        assert "The issuer confirmed that your sign-in is revoked." in page.inner_text("[role=status]")
        seen(page)
    assert told == []
