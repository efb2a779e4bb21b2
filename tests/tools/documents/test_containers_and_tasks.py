"""Documents in a container, and reading them as long work, through the whole app."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest

from app.build import App, build
from clients.container_files import ContainerFiles
from refusal import Refusal
from settings import PlaceSettings, Settings, StorageSettings
from tests.fakes.azurite import connection_string_of_azurite
from tests.mcp_server.caller import Caller
from tests.tools.documents.world import answer, world, written
from tools.documents.provider import lacks
from tools.documents.settings import DocumentsSettings


async def test_documents_in_a_container_are_read_below_a_folder_and_again_when_they_change(tmp_path: Path) -> None:
    files = ContainerFiles.from_connection_string(connection_string_of_azurite(), f"documents-{uuid4().hex[:20]}")
    file = "sources: {team: {container: documents, below: guides, roles: [everyone]}}"
    first = await files.write("guides/a.md", b"# Oven\n\nIt bakes.\n", "text/markdown", "")
    await files.write("other.md", b"# Oven\n\nIt hides.\n", "text/markdown", "")
    async with world(tmp_path, file, files={"documents": files}) as opened:
        assert (await opened.read()).documents == 1
        found = await answer(opened.person(), "docs_search", query="oven")
        assert [(one["file_path"], one["line"]) for one in found["results"]] == [("team/a.md", 1)]
        await files.write("guides/a.md", b"# Oven\n\nIt roasts.\n", "text/markdown", first.version)
        assert (await opened.read()).read == 1
        assert (await answer(opened.person(), "docs_search", query="roasts"))["total"] == 1


def _app(folder: Path, handbook: Path) -> App:
    file = folder / "documents.yaml"
    file.write_text(f"sources: {{handbook: {{folder: 'file://{handbook}', roles: [everyone]}}}}")
    storage = StorageSettings(folder=str(folder / "storage"))
    place = PlaceSettings(environment="Development")
    return build(Settings(place=place, of_providers=(DocumentsSettings(file=str(file)),), storage=storage))


async def test_refreshing_begins_a_task_that_reads_everything(tmp_path: Path) -> None:
    handbook = written(tmp_path / "handbook", {f"{number}.md": f"# Page {number}\n" for number in range(40)})
    app = _app(tmp_path, handbook)
    try:
        who = Caller(app.endpoint, "documents,tasks")
        task = (await answer(who, "refresh_documents"))["task"]
        told = await answer(who, "get_task", id=task)
        while told["state"] == "working":
            await asyncio.sleep(0.05)
            told = await answer(who, "get_task", id=task)
        assert told["result"] == {"done": True, "outcome": "done"}
        assert (await answer(who, "docs_search", query="page"))["total"] == 40
        now = await answer(who, "refresh_documents", wait=True)
        assert now == {"done": True, "outcome": "done"}
        (job,) = [job for job in app.jobs.all() if job.name == "read_documents"]
        await job.run()
    finally:
        await app.close()


async def test_the_first_search_begins_the_first_reading(tmp_path: Path) -> None:
    app = _app(tmp_path, written(tmp_path / "handbook", {"a.md": "# Page\n"}))
    try:
        assert "for the first time" in await Caller(app.endpoint, "documents").told("docs_search", query="page")
    finally:
        await app.close()


@pytest.mark.parametrize(
    ("source", "place", "storage", "lacking"),
    [
        ("folder: 'file:///x'", PlaceSettings(), "", "only on a laptop"),
        ("container: documents", PlaceSettings(environment="Development"), "", "requires a storage account"),
        ("container: documents", PlaceSettings(environment="Development"), "UseDevelopmentStorage=true", ""),
        ("wiki: A/b", PlaceSettings(environment="Development"), "", ""),
    ],
)
def test_what_cannot_be_read_here_is_told_to_operators(
    tmp_path: Path, source: str, place: PlaceSettings, storage: str, lacking: str
) -> None:
    file = tmp_path / "documents.yaml"
    file.write_text(f"sources: {{one: {{{source}, roles: [everyone]}}}}")
    of_the_app = Settings(place=place, storage=StorageSettings(connection=storage))
    told = lacks(DocumentsSettings(file=str(file)), of_the_app)
    assert lacking in told
    assert bool(told) == bool(lacking)


def test_a_documents_file_that_is_not_there_keeps_the_server_from_starting(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="does not exist"):
        build(Settings(of_providers=(DocumentsSettings(file=str(tmp_path / "absent.yaml")),)))
