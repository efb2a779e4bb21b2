"""A real browser, and what it complains about."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Frame, Page, expect, sync_playwright

from tests.npm import installed

CHROMIUM: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# How long a page may take until it shows something, while all other tests run beside it.
expect.set_options(timeout=30_000)
needs_chromium: Final = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed on this machine.")


@contextmanager
def chromium() -> Iterator[Browser]:
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]) as browser,
    ):
        yield browser


def axe() -> str:
    folder = installed(Path(__file__).parents[1] / "changes" / "axe").folder
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page | Frame, script: str) -> list[tuple[str, str]]:
    """What stands in the way of somebody, with everything unfolded."""
    page.evaluate(script)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    found: dict[str, Any] = page.evaluate("axe.run()")
    return [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]]


@contextmanager
def hearing(page: Page, **handlers: Callable[[Any], object]) -> Iterator[None]:
    """Handle these events for as long as it takes: a page that several tests share has no handlers of another."""
    for event, handle in handlers.items():
        page.on(event, handle)  # type: ignore[call-overload]  # the name of any event
    try:
        yield
    finally:
        for event, handle in handlers.items():
            page.remove_listener(event, handle)


@contextmanager
def complaints(page: Page) -> Iterator[list[str]]:
    """The errors of the page from now on."""
    told: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            told.append(message.text)

    with hearing(page, console=note, pageerror=lambda error: told.append(str(error))):
        yield told
