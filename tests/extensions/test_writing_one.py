"""What the page on writing an extension prints, as it is printed there."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.extensions.place import app_at, running
from tests.mcp_server.caller import Caller
from tests.npm import Packages, installed

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "writing-an-extension.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def packages() -> Packages:
    return installed(Path(__file__).parent / "peers")


def printed(section: str, language: str) -> str:
    after = PAGE.partition(f"\n## {section}\n")[2]
    found = re.search(rf"```{language}\n(.*?)```", after, re.DOTALL)
    assert found, section
    return found[1]


@asynccontextmanager
async def put_up(folder: Path, section: str, language: str, name: str, program: str) -> AsyncIterator[Caller]:
    """The server of a section, behind ours by the entry of that section."""
    file = folder / name
    file.write_text(printed(section, language), encoding="utf-8")
    entry = printed(section, "yaml").partition("\n")[2].replace(name, str(file))
    entry = entry.replace(f"[{language_program(language)},", f"[{program},")
    async with running(app_at(folder, entry)) as app:
        yield Caller(app.endpoint, "all")


def language_program(language: str) -> str:
    return {"python": "python3", "javascript": "node"}[language]


async def test_the_one_in_python(tmp_path: Path) -> None:
    async with put_up(tmp_path, "In Python", "python", "notes.py", sys.executable) as somebody:
        written = await somebody.call("notes_write_note", title="Oven", text="Clean on Fridays.")
        assert "1 notes are stored." in str(written["content"])
        found = await somebody.call("notes_find_notes", words="oven")
        assert found["structuredContent"]["result"] == ["Oven"]
        assert (await somebody.call("notes_write_note", title="Oven"))["isError"]


async def test_the_one_in_javascript(tmp_path: Path, packages: Packages) -> None:
    (tmp_path / "node_modules").symlink_to(packages.folder / "node_modules")
    node = shutil.which("node", path=packages.variables["PATH"])
    async with put_up(tmp_path, "In JavaScript", "javascript", "rates.mjs", str(node)) as somebody:
        await somebody.call("rates_set_rate", currency="CHF", rate=0.5)
        converted = await somebody.call("rates_convert", euros=10, currency="CHF")
        assert converted["structuredContent"]["amount"] == 5
        assert (await somebody.call("rates_convert", euros=10, currency="USD"))["isError"]
        listed = {tool["name"]: tool for tool in (await somebody.result("tools/list"))["tools"]}
        assert listed["rates_convert"]["annotations"]["readOnlyHint"]
        assert not listed["rates_set_rate"]["annotations"]["readOnlyHint"]
