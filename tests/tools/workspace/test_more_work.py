"""What an agent does beside the straight way: files moved and deleted, branches, both sides changed, asked before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.workspaces.git_server import git
from tests.tools.workspace.office import Office, opened

pytestmark = pytest.mark.anyio


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path) as made:
        await made("git_clone", repo_url=f"{made.server.url}/shop.git")
        yield made


@pytest.fixture
async def asking(tmp_path: Path) -> AsyncIterator[Office]:
    """Where a rule has whoever pushes asked before."""
    roles = tmp_path / "roles.yaml"
    roles.write_text("roles: {}\nchanges:\n- tools: [workspace/git_push]\n  ask: caller\n")
    async with opened(tmp_path, rules=str(roles)) as made:
        await made("git_clone", repo_url=f"{made.server.url}/shop.git")
        await made("git_branch", repo_dir="shop", branch="feature", create=True)
        yield made


async def write(office: Office, path: str, content: str, message: str = "") -> None:
    await office("git_write", repo_dir="shop", path=path, content=content)
    if message:
        await office("git_commit", repo_dir="shop", message=message)


async def test_files_and_folders_are_moved_and_deleted_and_come_back(office: Office) -> None:
    await office("git_move", repo_dir="shop", path="src", to="lib/python")
    assert (await office("git_delete", repo_dir="shop", path="README.md"))["files"] == 1
    status = await office("git_status", repo_dir="shop")
    assert {one["path"]: one["change"] for one in status["changed_files"]} == {
        "README.md": "deleted",
        "lib/python/app.py": "added",
        "src/app.py": "deleted",
    }
    for said, tool, arguments in (
        ("already exists", "git_move", {"path": "lib", "to": "lib/python/more"}),
        ("Path 'src' not found", "git_move", {"path": "src", "to": "source"}),
        ("Path 'README.md' not found", "git_delete", {"path": "README.md"}),
        ("was never committed", "git_restore", {"path": "lib"}),
        ("Folder 'src' not found", "git_list", {"path": "src"}),
        ("is a folder, not a file", "git_read", {"path": "lib"}),
        ("File 'README.md' not found", "git_read", {"path": "README.md"}),
        ("Path 'nowhere' not found", "git_diff", {"path": "nowhere"}),
    ):
        assert said in await office.refused(tool, repo_dir="shop", **arguments)
    assert (await office("git_restore", repo_dir="shop"))["restored"] == "everything"
    assert (await office("git_status", repo_dir="shop"))["changed_files"] == []


async def test_what_is_no_text_is_told_and_neither_read_nor_searched_nor_compared(office: Office) -> None:
    work = office.server.folder / "shop-work"
    (work / "picture.png").write_bytes(b"\0\0\0print")
    (work / "latin.txt").write_bytes("Öfen print".encode("latin-1"))
    (work / "marked.txt").write_bytes(b"\xef\xbb\xbfprint\n")
    office.server.commit("shop", {}, "Add what is no text")
    await office("git_pull", repo_dir="shop")
    assert "is not text (8 bytes)" in await office.refused("git_read", repo_dir="shop", path="picture.png")
    assert "is not UTF-8 text" in await office.refused("git_read", repo_dir="shop", path="latin.txt")
    found = await office("git_search", repo_dir="shop", text="print")
    assert ({line["path"] for line in found["lines"]}, found["not_searched"]) == (
        {"latin.txt", "marked.txt", "src/app.py"},
        1,
    )
    read = await office("git_read", repo_dir="shop", path="marked.txt")
    assert read["text"] == "print\n"
    edits = [{"old": "print", "new": "paint"}]
    await office("git_write", repo_dir="shop", path="marked.txt", edits=edits, etag=read["etag"])
    # The file keeps the mark with which it began.
    assert "-\ufeffprint\n+\ufeffpaint" in (await office("git_diff", repo_dir="shop", path="marked.txt"))["diff"]
    compared = await office("git_diff", repo_dir="shop", base=(await _commits(office))[-1], path="picture.png")
    assert compared["diff"] == "(binary, or too large to compare)"
    assert "has only 1 lines" in await office.refused("git_read", repo_dir="shop", path="src/app.py", first_line=9)


async def _commits(office: Office) -> list[str]:
    return [one["commit_hash"] for one in (await office("git_log", repo_dir="shop"))["commits"]]


async def test_a_branch_of_the_server_is_gone_on_with_once_everything_is_committed(office: Office) -> None:
    office.server.commit("shop", {"other.txt": "other\n"}, "Other", branch="other")
    await office("git_pull", repo_dir="shop")
    await write(office, "new.txt", "new\n")
    assert "Some changes are not committed" in await office.refused("git_branch", repo_dir="shop", branch="other")
    assert "Branch absent not found" in await office.refused("git_branch", repo_dir="shop", branch="absent")
    assert "Branch other already exists" in await office.refused(
        "git_branch", repo_dir="shop", branch="other", create=True
    )
    await office("git_commit", repo_dir="shop", message="New")
    await office("git_branch", repo_dir="shop", branch="other")
    assert (await office("git_read", repo_dir="shop", path="other.txt"))["text"] == "other\n"
    between = await office("git_diff", repo_dir="shop", base="main", revision="other")
    assert {one["path"]: one["change"] for one in between["files"]} == {"new.txt": "deleted", "other.txt": "added"}
    assert "is not a branch or commit" in await office.refused("git_log", repo_dir="shop", revision="no such")
    assert "is not the id of a commit" in await office.refused("git_log", repo_dir="shop", revision="0" * 12)
    begin = (await _commits(office))[-1]
    assert (await office("git_log", repo_dir="shop", revision=begin[:12]))["count"] == 1


async def test_what_both_sides_changed_is_marked_settled_and_committed_whole(office: Office) -> None:
    read = await office("git_read", repo_dir="shop", path="README.md")
    await office("git_write", repo_dir="shop", path="README.md", content="# Ours\n", etag=read["etag"])
    await office("git_commit", repo_dir="shop", message="Ours")
    office.server.commit("shop", {"README.md": "# Theirs\n"}, "Theirs")
    assert "Conflicts in 1 files" in await office.refused("git_pull", repo_dir="shop")
    pulled = await office("git_pull", repo_dir="shop", keep_conflicts=True)
    assert (pulled["result"], pulled["conflicts"]) == ("conflicts", ["README.md"])
    assert "still has conflict markers" in await office.refused("git_commit", repo_dir="shop", message="Settle")
    assert "A merge is not finished" in await office.refused("git_pull", repo_dir="shop")
    etag = (await office("git_read", repo_dir="shop", path="README.md"))["etag"]
    await office("git_write", repo_dir="shop", path="README.md", content="# Both\n", etag=etag)
    part = await office.refused("git_commit", repo_dir="shop", message="Settle", files=["README.md"])
    assert "A merge must be committed completely" in part
    await office("git_commit", repo_dir="shop", message="Settle")
    assert "Nothing has changed" in await office.refused("git_commit", repo_dir="shop", message="Again")
    assert "message is required" in await office.refused("git_commit", repo_dir="shop", message=" ")


async def test_whoever_pushes_is_shown_all_that_the_server_does_not_have(asking: Office) -> None:
    await write(asking, "one.txt", "one\n", "Add one")
    await write(asking, "two.txt", "two\n", "Add two")
    shown = await asking.refused("git_push", repo_dir="shop")
    assert f"Push to feature of {asking.server.url}/shop.git" in shown
    assert "number of commits: 2" in shown
    assert "files: one.txt, two.txt" in shown
    assert "Add one" in shown
    assert asking.server.asked[-1].startswith("POST /shop.git/git-upload-pack")


async def test_what_was_merged_hides_no_commit_from_whoever_pushes(asking: Office) -> None:
    git(asking.server.folder / "shop.git", "branch", "feature", "main")
    await write(asking, "one.txt", "one\n", "Add one")
    asking.server.commit("shop", {"later.txt": "later\n"}, "Theirs, later", branch="feature")
    await asking("git_pull", repo_dir="shop")
    shown = await asking.refused("git_push", repo_dir="shop")
    assert "number of commits: 2" in shown
    assert "Add one" in shown
    assert "Theirs, later" not in shown
    assert "files: one.txt" in shown


async def test_a_push_that_would_be_refused_asks_nobody(asking: Office) -> None:
    assert "Branch absent has no commits" in await asking.refused("git_push", repo_dir="shop", branch="absent")
    assert "main is protected" in await asking.refused("git_push", repo_dir="shop", branch="main")
    assert "Workspace 'nothing' not found" in await asking.refused("git_push", repo_dir="nothing", branch="x")
