"""Names of files, branches and workspaces that mean something else somewhere: none is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from refusal import Refusal
from tests.workspaces.bench import Bench
from workspaces.objects import Objects
from workspaces.state import WorkspaceState
from workspaces.trees import empty
from workspaces.workspace import Workspace

NOW: Final = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with closing(Objects({})) as objects:
        tree = empty(objects).decode()
        yield Workspace(WorkspaceState(url="https://host/shop", branch="main", tree=tree, made=NOW, used=NOW), objects)


KEPT_BY_GIT: Final = [
    *(".git", ".GIT", ".Git", ".gIt", "git~1", "GIT~1", "Git~1", ".git ", ".git.", ".git. ", ".git::$INDEX_ALLOCATION"),
    *(".g\u200cit", ".git\u200d", "\u200e.git", ".\ufeffgit", ".gi\u2060t", ".g\u00adit", ".git\u202e", ".git\\config"),
]
DEVICES: Final = ["con", "CON", "con.txt", "Aux", "nul", "NUL.tar.gz", "prn", "COM1", "lpt9.log", "conin$", "CONOUT$"]
UNSEEN: Final = [
    *("a\0b", "a\nb", "a\tb", "a\x1b[31mb", "a\x7fb", "a\x85b", "a\u200bb", "a\u202eb", "a\u2028b", "a\u2029b"),
    *("a\ufe01b", "a\U000e0101b", "a\u3164b", "a\u2800b", "a\u115fb", "a\u034fb"),
    *("a\ufffdb", "a\ue000b", "a\ufffeb", "a\U000e0041b", "\u2066a"),
]
FORBIDDEN: Final = ["a:b", "C:", "c:\\x", "a\\b", "a*", "a?", 'a"b', "a<b", "a>b", "a|b", "x:y:$DATA"]
ENDS: Final = ["a.", "a ", "a..", "...", "a. ", " ."]
ELSEWHERE: Final = ["", "/", "//", ".", "..", "../a", "a/../b", "a/./b", "a//b", "/../etc/passwd", "a/.."]
NOT_NORMAL: Final = ["e\u0301", "\u212b", "\u212a", "\u1e9b\u0323x\u0307\u0323", "ガ".replace("ガ", "カ\u3099")]
TOO_LONG: Final = ["a" * 256, "é" * 128, "a/" * 500 + "a", "/".join("a" * 61), "a" * 1001]


@pytest.mark.parametrize(
    "path",
    [
        *(name for name in (*KEPT_BY_GIT, *DEVICES, *UNSEEN, *FORBIDDEN, *ENDS, *NOT_NORMAL)),
        *(f"a/{name}/b" for name in (".git", "GIT~1", "nul", ".g\u200cit")),
        *ELSEWHERE,
        *TOO_LONG,
        "\ud800",
        *("com¹", "LPT³.x"),
        "con .txt",
    ],
    ids=ascii,
)
def test_no_file_is_written_or_moved_to_a_name_that_means_something_else(workspace: Workspace, path: str) -> None:
    workspace.write("here.txt", b"x", "")
    before = workspace.state
    with pytest.raises(Refusal):
        workspace.write(path, b"x", "")
    with pytest.raises(Refusal):
        workspace.move("here.txt", path)
    assert workspace.state == before


@pytest.mark.parametrize(
    "path",
    [
        *(".github/workflows/ci.yml", ".gitignore", ".gitattributes", "git", "a.git", "a b.txt", "-rf", "~", "$HOME"),
        *("écrit.md", "日本語.txt", "👍.md", "con1", "console", "auxiliary.c", "a" * 255, "/".join("a" * 60), "a/b/"),
    ],
)
def test_a_name_that_is_only_odd_is_written(workspace: Workspace, path: str) -> None:
    workspace.write(path, b"x", "")
    assert workspace.content(path)[1] == b"x"


@pytest.mark.parametrize(
    ("there", "like"),
    [
        *(("a.txt", "A.txt"), ("Src/a", "src/b"), ("a", "A/b"), ("x/y/z", "x/Y/w")),
        *(("é.txt", "É.txt"), ("д", "Д"), ("ǆ", "Ǆ")),
    ],
)
def test_what_differs_in_its_case_only_is_not_written(workspace: Workspace, there: str, like: str) -> None:
    workspace.write(there, b"x", "")
    with pytest.raises(Refusal):
        workspace.write(like, b"x", "")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "..",
            "-x",
            "--force",
            "+main:main",
            ":main",
            "a b",
            "a..b",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[",
            "a\\b",
        ),
        *("@", "@{-1}", "a@{1}", "HEAD", "refs/heads/HEAD", "refs/heads/", "a.lock", "a.lock/b", ".a", "a/.b", "a//b"),
        *("/a", "a/", "a.", "a\nb", "a\0b", "a\x7f", "1" * 40, "a" * 300, "\u202ea", "\uff4dain"),
    ],
    ids=ascii,
)
def test_no_branch_is_made_whose_name_git_would_not_take_or_takes_for_more(workspace: Workspace, name: str) -> None:
    before = workspace.state
    for is_new in (True, False):
        with pytest.raises(Refusal):
            workspace.switch(name, is_new=is_new)
    assert workspace.state == before


@pytest.mark.anyio
@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../eve",
        "a/b",
        "a\\b",
        "/etc",
        "~",
        "-x",
        "_x",
        "a.b",
        "a b",
        "a\0",
        "a\n",
        "é",
        "x" * 61,
        "%2e%2e",
    ],
    ids=ascii,
)
async def test_no_workspace_is_looked_for_by_a_name_that_leads_elsewhere(tmp_path: Path, name: str) -> None:
    desk = Bench(tmp_path).desk()
    with pytest.raises(Refusal):
        await desk.read(name, lambda one: one.state)
    with pytest.raises(Refusal):
        await desk.drop(name)
    if name:
        with pytest.raises(Refusal, match="A workspace name"):
            await desk.clone("http://127.0.0.1/shop.git", "", name, 1)
    assert written(tmp_path) == []


def written(folder: Path) -> list[Path]:
    return [*folder.rglob("*")]
