"""A server in a package, named in the file of extensions, as callers have it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import indent

import pytest

from app.build import App, build
from extensions.entries_file import entries_in
from refusal import Refusal
from settings import Settings, StorageSettings
from tests.extensions.place import LAPTOP, running
from tests.fakes.extension_sources.registries import NPM, registries
from tests.mcp_server.caller import Caller
from tools.extensions import toolset as ours
from tools.extensions.provider import provider
from tools.extensions.settings import ExtensionSettings


def app_with(folder: Path, url: str, more: str) -> App:
    file = folder / "extensions.yaml"
    entry = f"description: Props.\npackage: {NPM!r}\ntools: {{'*': read}}\n{more}\n"
    file.write_text(f"extensions:\n  stage:\n{indent(entry, '    ')}", encoding="utf-8")
    own = ExtensionSettings(file=str(file), folder=str(folder / "packages"), npm=url, pypi=f"{url}/simple")
    settings = Settings(place=LAPTOP, storage=StorageSettings(folder=str(folder / "kept")), of_providers=(own,))
    return build(settings, toolsets=[ours], providers=[provider], surface=())


async def test_it_is_installed_when_it_is_first_seen_once_its_hash_is_written(tmp_path: Path) -> None:
    async with registries().served() as fake:
        async with running(app_with(tmp_path, fake.url, "")) as app:
            told = await Caller(app.endpoint, "extensions").call("list_extensions")
            found = re.search(r"add `(hash: sha256:[0-9a-f]{64})` next to `package`", json.dumps(told))
            assert found
        assert not list((tmp_path / "packages").iterdir())
        more = f"{found[1]}\nenvironment: {{COLOUR: red}}"
        async with running(app_with(tmp_path, fake.url, more)) as app:
            caller = Caller(app.endpoint, "stage")
            assert await caller.tool_names() == ["stage_tell"]
            answer = (await caller.call("stage_tell"))["structuredContent"]
            assert answer["environment"]["COLOUR"] == "red"


ENTRY = "extensions:\n  docs:\n    description: Words.\n    package: npm:peer@1.0.0\n"
PYPI_ENTRY = ENTRY.replace("npm:peer@1.0.0", "pypi:peer==1.0.0")
URL_ENTRY = ENTRY.replace("package: npm:peer@1.0.0", "url: https://a.example.com/mcp")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ENTRY.replace("peer@1.0.0", "peer@latest"), "line 4: 'npm:peer@latest' must be a package with one version"),
        (f"{ENTRY}    hash: sha256:12", "line 5: hash must be `sha256:` followed by 64 hexadecimal digits"),
        (f"{ENTRY}    url: https://a.example.com", "line 3: docs must have exactly one of url, command, package"),
        (f"{ENTRY}    folder: nowhere", "line 5: folder must be the absolute path of an existing folder"),
        (f"{ENTRY}    folder: /no/such/folder", "line 5: folder must be the absolute path of an existing folder"),
        (f"{ENTRY}    with: [mcp<2]", "line 5: 'mcp<2' must be a valid constraint, for example zod@"),
        (f"{ENTRY}    with: [zod@file:x]", "line 5: 'zod@file:x' must be a valid constraint"),
        (f"{PYPI_ENTRY}    with: [zod@^3]", "line 5: 'zod@\\^3' must be a valid constraint, for example mcp<2"),
        (
            f"{PYPI_ENTRY}    with: ['mcp @ https://a.example']",
            "line 5: 'mcp @ https://a.example' must be a valid constraint",
        ),
        (
            f"{ENTRY.replace('npm:peer', 'azd:peer')}    with: [mcp<2]",
            "line 5: `with` works only for PyPI and npm packages",
        ),
        (f"{URL_ENTRY}    with: [mcp<2]", "line 5: 'with' requires `package`"),
        (f"{URL_ENTRY}    folder: /", "line 5: 'folder' requires `command` or `package`"),
        (f"{ENTRY}    arguments: start", "line 5: must be a list of 1 to 50 words"),
    ],
)
def test_what_is_wrong_of_a_package_is_named_with_its_line(text: str, told: str) -> None:
    with pytest.raises(Refusal, match=told):
        entries_in(text, "extensions.yaml", [], {})


def test_where_no_process_may_be_started_no_package_can_be_named() -> None:
    with pytest.raises(Refusal, match="line 4: processes may be started only"):
        entries_in(ENTRY, "extensions.yaml", [])
