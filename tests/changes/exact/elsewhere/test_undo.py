"""What changes files, records, extensions and repositories says whether and how it can be undone, and that is so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from changes.preview import Preview
from tests.changes.exact.elsewhere.boundaries import Boundaries
from tests.changes.exact.elsewhere.scenes import SCENES
from tests.changes.exact.undoing import call_in, check
from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.workspace.office import opened

# How one sees what is there; where one call undoes the change.
SEEN_BY: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "write_resource": ("read_resource", {"uri": "file:///notes/1.md"}),
    "delete_resource": ("read_resource", {"uri": "file:///notes/1.md"}),
    "cosmos_db_delete": ("cosmos_db_read", {"id": "1"}),
    "install_extension": ("list_extensions", {}),
    "update_watch": ("show_watch", {"name": "lamps"}),
}
_OF_A_MOMENT: Final = {"etag", "modified", "updated_at", "request_units"}


@pytest.fixture
def boundaries(monkeypatch: pytest.MonkeyPatch) -> Boundaries:
    watched = Boundaries()
    watched.watch(monkeypatch)
    return watched


async def _applied(caller: Caller, boundaries: Boundaries, tool: str, arguments: Mapping[str, Any]) -> Preview | None:
    """What was shown of a call that was done, where somebody had to agree to it."""
    result = await caller.call(tool, **arguments)
    if not result.get("isError"):
        return None
    shown = await boundaries.shown()
    await boundaries.approve()
    result = await caller.call(tool, **arguments)
    assert not result.get("isError"), result["content"][0]["text"]
    return shown


async def _seen(caller: Caller, tool: str, arguments: Mapping[str, Any]) -> Any:
    return _lasting((await caller.call(tool, **arguments))["structuredContent"])


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name: one for name, one in value.items() if name not in _OF_A_MOMENT and not name.startswith("_")}
        return {name: _lasting(one) for name, one in kept.items()}
    return [_lasting(one) for one in value] if isinstance(value, list) else value


@Sweep("name", SCENES, every=2)
async def test_each_says_how_it_is_undone(name: str, tmp_path: Path, boundaries: Boundaries) -> None:
    async with SCENES[name](tmp_path) as scene:
        await scene.caller.told(scene.tool, **scene.arguments)
        shown = await boundaries.shown()
        check(shown)
        assert shown.can_be_undone is (name in SEEN_BY)


@pytest.mark.parametrize("name", SEEN_BY)
async def test_the_call_that_it_names_undoes_it(name: str, tmp_path: Path, boundaries: Boundaries) -> None:
    async with SCENES[name](tmp_path) as scene:
        caller = scene.caller
        before = await _seen(caller, *SEEN_BY[name])
        shown = await _applied(caller, boundaries, scene.tool, scene.arguments)
        assert shown
        await _applied(caller, boundaries, *call_in(shown.undo.line))
        assert await _seen(caller, *SEEN_BY[name]) == before


async def test_a_file_that_was_moved_is_moved_back(tmp_path: Path, boundaries: Boundaries) -> None:
    (rules := tmp_path / "roles.yaml").write_text(
        "roles: {}\nchanges:\n- {tools: [workspace/git_move], ask: caller}\n", encoding="utf-8"
    )
    moved = {"repo_dir": "shop", "path": "README.md", "to": "docs/README.md"}
    async with opened(tmp_path, rules=str(rules)) as office:
        await office("git_clone", repo_url=f"{office.server.url}/shop.git")
        caller = Caller(office.app.endpoint, "workspace")
        before = await office("git_read", repo_dir="shop", path="README.md")
        shown = await _applied(caller, boundaries, "git_move", moved)
        assert shown
        assert shown.can_be_undone
        await _applied(caller, boundaries, *call_in(shown.undo.line))
        assert await office("git_read", repo_dir="shop", path="README.md") == before
