"""Every tool that changes something is raced, or changes only what is its caller's own or is added."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.changes.exact.elsewhere.scenes import SCENES
from tests.changes.exact.services import NAMES
from tests.changes.exact.windows import ADDING, CONDITIONAL, MAKING, OWN
from tests.fakes.workspaces.git_server import git
from tests.tools.workspace.office import Office, opened
from tools import TOOLSETS

CHANGING: Final = {tool.name for toolset in TOOLSETS for tool in toolset.tools if not tool.annotations["readOnlyHint"]}
_SHOP: Final = {"repo_dir": "shop"}
# In this order, each finds what it changes.
WORK: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("git_branch", {**_SHOP, "branch": "feature", "create": True}),
    ("git_write", {**_SHOP, "path": "new.txt", "content": "new\n"}),
    ("git_commit", {**_SHOP, "message": "Add a file"}),
    ("git_move", {**_SHOP, "path": "new.txt", "to": "moved.txt"}),
    ("git_restore", _SHOP),
    ("git_delete", {**_SHOP, "path": "README.md"}),
    ("git_restore", _SHOP),
    ("git_branch", {**_SHOP, "branch": "main"}),
    ("git_pull", _SHOP),
)


def test_every_tool_that_changes_something_is_raced_or_changes_nothing_of_others() -> None:
    assert {*NAMES, *SCENES, *OWN, *ADDING, *MAKING} == CHANGING
    assert {*SCENES} & {*OWN} == set()
    assert {*SCENES} <= {*CONDITIONAL, *ADDING, "accept_reading", "remove_extension"}


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path) as made:
        await made("git_clone", repo_url=f"{made.server.url}/shop.git")
        yield made


async def test_work_in_a_workspace_sends_nothing_to_the_server_of_the_repository(desk: Office) -> None:
    bare = desk.server.folder / "shop.git"
    before = git(bare, "for-each-ref")
    for name, arguments in WORK:
        await desk(name, **arguments)
    assert git(bare, "for-each-ref") == before
    assert [asked for asked in desk.server.asked if "receive-pack" in asked] == []
    assert {name for name, _ in WORK} | {"git_clone"} == {name for name in OWN if name.startswith("git_")}
