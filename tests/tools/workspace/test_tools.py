"""Work in a repository as an agent does it: over MCP, from clone to the pull request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from identity.caller import Caller as Who
from identity.caller import CallerKind
from tests.fakes.workspaces.git_server import git
from tests.sweeps import Sweep
from tests.tools.workspace.office import Office, opened
from tools.workspace.parameters import author_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path) as made:
        yield made


async def test_an_agent_works_from_clone_to_push(office: Office) -> None:
    cloned = await office("git_clone", repo_url=f"{office.server.url}/shop.git")
    assert cloned["repo_dir"] == "shop"
    assert cloned["commit_hash"] == git(office.server.folder / "shop.git", "rev-parse", "main")
    listed = await office("git_list", repo_dir="shop", pattern="*.py")
    assert listed["files"] == [{"path": "src/app.py"}]
    found = await office("git_search", repo_dir="shop", text="PRINT")
    assert found["lines"] == [{"path": "src/app.py", "line": 1, "text": "print('one')"}]
    await office("git_branch", repo_dir="shop", branch="feature/two", create=True)
    read = await office("git_read", repo_dir="shop", path="src/app.py")
    assert (read["text"], read["lines"]) == ("print('one')\n", 1)
    edits = [{"old": "'one'", "new": "'two'"}]
    written = await office("git_write", repo_dir="shop", path="src/app.py", edits=edits, etag=read["etag"])
    assert written["etag"] != read["etag"]
    status = await office("git_status", repo_dir="shop")
    assert status["changed_files"] == [{"path": "src/app.py", "change": "changed"}]
    assert status["pushed"] == "not on the server"
    diff = await office("git_diff", repo_dir="shop")
    assert diff["diff"].splitlines()[2:] == ["@@ -1 +1 @@", "-print('one')", "+print('two')"]
    commit = await office("git_commit", repo_dir="shop", message="Print two")
    log = await office("git_log", repo_dir="shop")
    assert [entry["message"] for entry in log["commits"]] == ["Print two", "Begin"]
    pushed = await office("git_push", repo_dir="shop")
    assert pushed["commit_hash"] == commit["commit_hash"]
    assert git(office.server.folder / "shop.git", "show", "feature/two:src/app.py") == "print('two')"
    assert (await office("git_status", repo_dir="shop"))["pushed"] == "same as on the server"
    branches = await office("git_branches", repo_dir="shop")
    assert [entry["branch"] for entry in branches["branches"]] == ["feature/two", "main"]
    assert [entry["repo_dir"] for entry in (await office("git_workspaces"))["workspaces"]] == ["shop"]


async def test_what_was_read_is_not_written_over_unless_its_etag_is_given(office: Office) -> None:
    await office("git_clone", repo_url=f"{office.server.url}/shop.git")
    without = await office.refused("git_write", repo_dir="shop", path="README.md", content="x")
    assert "Read the file with git_read" in without
    wrong = await office.refused("git_write", repo_dir="shop", path="README.md", content="x", etag="0" * 40)
    assert "Read the file again" in wrong
    etag = (await office("git_read", repo_dir="shop", path="README.md"))["etag"]
    twice = [{"old": "o", "new": "0"}]
    assert "must occur exactly once" in await office.refused(
        "git_write", repo_dir="shop", path="README.md", edits=[{"old": "nothing", "new": ""}], etag=etag
    )
    await office("git_write", repo_dir="shop", path="README.md", edits=twice, etag=etag)
    await office("git_restore", repo_dir="shop", path="README.md")
    assert (await office("git_status", repo_dir="shop"))["changed_files"] == []


async def test_a_part_of_a_long_file_is_read_and_the_next_line_told(office: Office) -> None:
    office.server.commit("shop", {"long.txt": "".join(f"{number}\n" for number in range(1, 3001))}, "Long")
    await office("git_clone", repo_url=f"{office.server.url}/shop.git")
    read = await office("git_read", repo_dir="shop", path="long.txt", first_line=2990, lines=5)
    assert (read["text"], read["next_line"]) == ("2990\n2991\n2992\n2993\n2994\n", 2995)
    assert "next_line" not in await office("git_read", repo_dir="shop", path="long.txt", first_line=2995)


async def test_a_workspace_is_dropped_after_it_was_shown_what_is_lost(office: Office) -> None:
    await office("git_clone", repo_url=f"{office.server.url}/shop.git")
    await office("git_write", repo_dir="shop", path="new.txt", content="new\n")
    shown = await office.refused("git_drop", repo_dir="shop")
    assert "Drop the workspace shop" in shown
    assert "files not committed: 1" in shown


async def test_whoever_commits_is_named_by_their_sign_in() -> None:
    ada = Who(CallerKind.USER, "t", "s", name="Ada Lovelace", claims={"email": frozenset({"ada@example.net"})})
    assert author_of(ada).line == b"Ada Lovelace <ada@example.net>"
    assert author_of(Who(CallerKind.APP, "t", "robot")).line == b"robot <robot@users.noreply.invalid>"
    odd = Who(CallerKind.USER, "t", "s", name="A\n<b>", claims={"email": frozenset({"a@b\n<x>"})})
    assert author_of(odd).line == b"Ab <a@bx>"


@Sweep(
    ("url", "why"),
    [
        ("https://github.com/acme/shop", "is not allowed. Allowed hosts: 127.0.0.1"),
        ("http://ada:secret@127.0.0.1/shop.git", "must not contain a password"),
        ("file:///etc", "repo_url must look like"),
        ("ssh://127.0.0.1/shop.git", "repo_url must look like"),
        ("http://127.0.0.1/../etc", "repo_url must look like"),
        ("http://127.0.0.1/a%2fb", "repo_url must look like"),
        ("http://127.0.0.1/shop.git?x=1", "repo_url must look like"),
        ("http://[::1]/shop.git", "is not allowed"),
        ("http://127.0.0.1:99999/shop.git", "repo_url must look like"),
        ("http://0177.0.0.1/shop.git", "is not allowed"),
    ],
    every=2,
)
async def test_an_address_that_is_not_named_is_refused_and_not_asked(office: Office, url: str, why: str) -> None:
    said = await office.refused("git_clone", repo_url=url)
    assert why in said
    assert "secret" not in said
    assert office.server.asked == []


async def test_only_paths_that_an_operator_named_are_worked_with(tmp_path: Path) -> None:
    async with opened(tmp_path, places=("127.0.0.1/acme",)) as office:
        said = await office.refused("git_clone", repo_url=f"{office.server.url}/shop.git")
        assert "Allowed: 127.0.0.1/acme" in said
        assert office.server.asked == []


async def test_a_token_goes_to_its_host_and_into_no_answer(tmp_path: Path) -> None:
    async with opened(tmp_path, tokens="127.0.0.1=t0psecret") as office:
        cloned = await office("git_clone", repo_url=f"{office.server.url}/shop.git")
        assert {headers["authorization"] for headers in office.server.lowered} == {"Basic Z2l0OnQwcHNlY3JldA=="}
        kept = b"".join(path.read_bytes() for path in (tmp_path / "kept").rglob("*") if path.is_file())
        assert b"t0psecret" not in kept
        assert "t0psecret" not in str(cloned)
