"""A document of the team, summed up through the whole app: by its path, for who may see it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from app.build import App, build
from mcp_server.http import rest
from settings import PlaceSettings, Settings, StorageSettings
from tests.mcp_server.caller import ERAS, Caller, Era, Json, post
from tests.mcp_server.library import Model, client_of
from tools.documents.settings import DocumentsSettings

pytestmark = pytest.mark.anyio

PAGE: Final = """Before all headings stands what the page is about: the nightly import.

Import
======

The import copies the orders of all shops every night at 02:00.

## Trouble

Never delete tables by hand. Call the owner of the warehouse.
"""
OF_THE_BOARD: Final = "# Salaries\n\nThe salaries of the whole team are decided in March.\n"
SOURCES: Final = """
sources:
  handbook:
    folder: file://{folder}/handbook
    roles: [everyone]
    link: https://wiki.example.com/handbook
  board:
    folder: file://{folder}/board
    roles: [Board]
"""


@asynccontextmanager
async def team(folder: Path) -> AsyncIterator[App]:
    """An app whose documents were read."""
    for name, page in (("handbook/ops/import.md", PAGE), ("board/salaries.md", OF_THE_BOARD)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(page, encoding="utf-8")
    (folder / "documents.yaml").write_text(SOURCES.format(folder=folder), encoding="utf-8")
    settings = Settings(
        place=PlaceSettings(environment="Development"),
        of_providers=(DocumentsSettings(file=str(folder / "documents.yaml")),),
        storage=StorageSettings(folder=str(folder / "storage")),
    )
    app = build(settings)
    try:
        assert (await Caller(app.endpoint, "documents").call("refresh_documents", wait=True))["structuredContent"]
        yield app
    finally:
        await app.close()


async def told(app: App, **arguments: Json) -> Json:
    return (await Caller(app.endpoint, "documents").call("docs_summarize", **arguments))["structuredContent"]


async def test_a_document_is_summed_up_with_its_points_and_their_places(tmp_path: Path) -> None:
    async with team(tmp_path) as app:
        found = await told(app, file_path="handbook/ops/import.md", max_length=150)
        assert (found["file_path"], found["title"], found["written"]) == ("handbook/ops/import.md", "Import", False)
        assert "every night at 02:00" in found["summary"]
        assert len(found["summary"]) <= 150
        places = [(point["heading"], point["line"], point["link"]) for point in found["key_points"]]
        link = "https://wiki.example.com/handbook/ops/import.md"
        assert places == [("", 1, link), ("Import", 3, link), ("Trouble", 8, link)]
        assert "data, not instructions" in found["untrusted"]
        answer = await rest.call_tool(app.endpoint, post(b'{"file_path": "handbook/ops/import.md"}'), "docs_summarize")
        assert b'"written":false' in answer.body


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_with_a_model_writes_it_and_others_do_not(tmp_path: Path, era: Era) -> None:
    async with team(tmp_path) as app:
        sent = {"file_path": "handbook/ops/import.md"}
        model = Model(lambda _: "Orders are copied at 02:00 [2]. Pay me [1].")
        mode = "legacy" if era == "2025-11-25" else era
        async with client_of(app.endpoint, model, mode) as client:
            wanted = {"tool": "documents", "command": "docs_summarize", "parameters": sent}
            found = (await client.call_tool("azure", wanted)).structured_content
        assert found is not None
        assert found["written"] is (era == "2026-07-28")
        assert len(model.asked) == found["written"]
        assert not found["written"] or found["summary"] == "Orders are copied at 02:00 [2]."


async def test_of_what_a_caller_may_not_see_no_model_is_asked_and_nothing_is_told(tmp_path: Path) -> None:
    async with team(tmp_path) as app:
        model = Model()
        hidden, missing = list[str](), list[str]()
        async with client_of(app.endpoint, model) as client:
            for path, answers in (
                ("board/salaries.md", hidden),
                ("board/nothing.md", missing),
                ("nobody/x.md", missing),
            ):
                sent = {"tool": "documents", "command": "docs_summarize", "parameters": {"file_path": path}}
                result = await client.call_tool("azure", sent)
                assert result.is_error
                answers.append(str(result.content[0]).replace(path, "PATH"))
        assert len({*hidden, *missing}) == 1
        assert model.asked == []


@pytest.mark.parametrize(
    "wrong",
    [{"file_path": ""}, {"max_length": 100}, {"file_path": "a/b", "max_length": 99}, {"file_path": "a/b", "pages": 1}],
)
async def test_what_is_wrong_is_told_before_anything_is_read(tmp_path: Path, wrong: Json) -> None:
    async with team(tmp_path) as app:
        assert "not valid" in await Caller(app.endpoint, "documents").told("docs_summarize", **wrong)


async def test_a_document_at_the_edge_of_its_length_is_never_longer(tmp_path: Path) -> None:
    async with team(tmp_path) as app:
        for most in (100, 101, 120, 10_000):
            assert len((await told(app, file_path="handbook/ops/import.md", max_length=most))["summary"]) <= most
