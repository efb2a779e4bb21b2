"""Work in a repository, judged by the git program: what we push it reads, and what it pushes we read."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest

from refusal import Refusal
from tests.fakes.https import Asked, Told, certify, served
from tests.fakes.workspaces.git_server import GitServer, git
from tests.workspaces.bench import ADA, Bench
from workspaces.state import WorkspaceState
from workspaces.workspace import Workspace
from workspaces.workspaces import Desk

pytestmark = pytest.mark.anyio


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[GitServer]:
    (tmp_path / "server").mkdir()
    async with GitServer(tmp_path / "server").serving() as serving:
        serving.repository()
        yield serving


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "kept")


async def cloned(bench: Bench, server: GitServer, branch: str = "", depth: int = 20) -> Desk:
    await bench.desk().clone(f"{server.url}/shop.git", branch, "shop", depth)
    return bench.desk()


async def write(desk: Desk, path: str, content: str, version: str = "") -> None:
    await desk.change("shop", lambda one: one.write(path, content.encode(), version))


async def commit(desk: Desk, message: str, *paths: str) -> str:
    result, _ = await desk.change("shop", lambda one: one.commit(message, ADA, Bench.now, paths))
    return result


async def text(desk: Desk, path: str) -> str:
    return (await desk.read("shop", lambda one: one.content(path)[1])).decode()


async def paths(desk: Desk) -> list[str]:
    return await desk.read("shop", lambda one: [entry.text for entry in one.entries("")])


async def test_what_is_cloned_written_committed_and_pushed_is_what_git_has(bench: Bench, server: GitServer) -> None:
    desk = await cloned(bench, server)
    assert await paths(desk) == ["README.md", "src/app.py"]
    entry = await desk.read("shop", lambda one: one.content("README.md")[0])
    await write(desk, "README.md", "# Shop\n\nNow open.\n", entry.id.decode())
    await write(desk, "docs/é.md", "Écrit\n")
    await desk.change("shop", lambda one: one.move("src/app.py", "src/main.py"))
    await desk.change("shop", lambda one: one.switch("feature/open", is_new=True))
    made = await commit(desk, "Open the shop")
    _, state = await desk.push("shop", "")
    bare = server.folder / "shop.git"
    assert state.remote["feature/open"] == made == git(bare, "rev-parse", "feature/open")
    git(bare, "fsck", "--strict", "--no-dangling")
    assert git(bare, "show", "feature/open:README.md") == "# Shop\n\nNow open."
    assert git(bare, "-c", "core.quotepath=false", "diff", "--name-status", "-M", "main", "feature/open").split() == [
        *("M", "README.md"),
        *("A", "docs/é.md"),
        *("R100", "src/app.py", "src/main.py"),
    ]
    assert git(bare, "log", "-1", "--format=%an <%ae>|%cn|%s|%P", "feature/open") == (
        f"Ada <ada@example.net>|Ada|Open the shop|{git(bare, 'rev-parse', 'main')}"
    )


async def test_any_instance_goes_on_where_another_stopped(bench: Bench, server: GitServer) -> None:
    await cloned(bench, server)
    await write(bench.desk(), "one.txt", "1\n")
    await write(bench.desk(), "two.txt", "2\n")
    changed = await bench.desk().read("shop", lambda one: [found.text for found in one.changed()])
    assert changed == ["one.txt", "two.txt"]
    await commit(bench.desk(), "Only one", "one.txt")
    assert [found.text for found in await bench.desk().read("shop", lambda one: one.changed())] == ["two.txt"]


async def test_a_shallow_clone_has_so_many_commits_and_can_still_be_pushed_from(
    bench: Bench, server: GitServer
) -> None:
    for number in range(5):
        server.commit("shop", {"n.txt": f"{number}\n"}, f"Number {number}")
    desk = await cloned(bench, server, depth=2)
    messages = await desk.read("shop", lambda one: [found.message for found in one.log(50)])
    assert messages == [b"Number 4\n", b"Number 3\n"]
    await desk.change("shop", lambda one: one.switch("next", is_new=True))
    await write(desk, "more.txt", "more\n")
    await commit(desk, "More")
    await desk.push("shop", "")
    bare = server.folder / "shop.git"
    git(bare, "fsck", "--strict", "--no-dangling")
    assert git(bare, "rev-list", "--count", "next") == "7"


async def test_what_is_large_is_left_out_and_fetched_when_it_is_read(bench: Bench, server: GitServer) -> None:
    large = "".join(f"{number * 7919}\n" for number in range(300_000))
    server.commit("shop", {"large.csv": large}, "Large")
    desk = await cloned(bench, server)
    before = (await desk.all())["shop"].size
    assert before < 100_000
    assert await text(desk, "large.csv") == large
    assert (await bench.desk().all())["shop"].size > before
    asked = len(server.asked)
    assert await text(bench.desk(), "large.csv") == large
    assert len(server.asked) == asked


async def test_others_work_is_pulled_forward_and_merged(bench: Bench, server: GitServer) -> None:
    desk = await cloned(bench, server)
    server.commit("shop", {"theirs.txt": "theirs\n"}, "Theirs")
    how, _ = await desk.pull("shop", ADA, keeps_conflicts=False)
    assert how == "forward"
    assert (await desk.pull("shop", ADA, keeps_conflicts=False))[0] == "nothing new"
    await write(desk, "ours.txt", "ours\n")
    await commit(desk, "Ours")
    server.commit("shop", {"theirs.txt": "theirs again\n"}, "Theirs again")
    how, state = await bench.desk().pull("shop", ADA, keeps_conflicts=False)
    assert how == "merged"
    assert await paths(desk) == ["README.md", "ours.txt", "src/app.py", "theirs.txt"]
    assert await text(desk, "theirs.txt") == "theirs again\n"
    assert len((await desk.read("shop", lambda one: one.log(1)))[0].parents) == 2
    assert not state.merging


async def test_conflicts_are_told_and_nothing_is_changed_until_they_are_wanted(bench: Bench, server: GitServer) -> None:
    desk = await cloned(bench, server)
    await desk.change("shop", lambda one: one.switch("feature", is_new=True))
    first = (await desk.read("shop", lambda one: one.content("README.md")))[0]
    await write(desk, "README.md", "# Ours\n", first.id.decode())
    await commit(desk, "Ours")
    server.commit("shop", {"README.md": "# Theirs\n"}, "Theirs", branch="feature")
    before: WorkspaceState = (await desk.all())["shop"]
    with pytest.raises(Refusal, match=r"Conflicts in 1 files: README\.md\. Nothing was changed"):
        await desk.pull("shop", ADA, keeps_conflicts=False)
    after: WorkspaceState = (await desk.all())["shop"]
    assert (after.tree, after.branches, after.merging) == (before.tree, before.branches, "")
    how, _ = await desk.pull("shop", ADA, keeps_conflicts=True)
    assert how == "conflicts"
    assert await text(desk, "README.md") == "<<<<<<< ours\n# Ours\n=======\n# Theirs\n>>>>>>> theirs\n"
    with pytest.raises(Refusal, match="still has conflict markers"):
        await commit(desk, "Merge")
    marked = (await desk.read("shop", lambda one: one.content("README.md")))[0]
    await write(desk, "README.md", "# Both\n", marked.id.decode())
    await commit(desk, "Merge")
    await desk.push("shop", "")
    bare = server.folder / "shop.git"
    git(bare, "fsck", "--strict", "--no-dangling")
    assert git(bare, "log", "--format=%s", "-1", "feature") == "Merge"
    assert len(git(bare, "log", "--format=%P", "-1", "feature").split()) == 2


async def test_workspaces_that_nobody_used_for_a_week_are_deleted_by_the_next_clone(
    bench: Bench, server: GitServer
) -> None:
    desk = await cloned(bench, server)
    bench.now += timedelta(days=400)
    await desk.clone(f"{server.url}/shop.git", "", "other", 1)
    assert list(await desk.all()) == ["other"]


async def test_a_merge_can_be_given_up(bench: Bench, server: GitServer) -> None:
    desk = await cloned(bench, server)
    first = (await desk.read("shop", lambda one: one.content("README.md")))[0]
    await write(desk, "README.md", "# Ours\n", first.id.decode())
    await commit(desk, "Ours")
    server.commit("shop", {"README.md": "# Theirs\n"}, "Theirs")
    await desk.pull("shop", ADA, keeps_conflicts=True)
    await desk.change("shop", lambda one: one.give_up_merge())
    assert await text(desk, "README.md") == "# Ours\n"
    assert not await desk.read("shop", lambda one: one.changed())


async def test_nothing_on_the_server_is_overwritten(bench: Bench, server: GitServer) -> None:
    desk = await cloned(bench, server)
    await desk.change("shop", lambda one: one.switch("feature", is_new=True))
    await write(desk, "ours.txt", "ours\n")
    await commit(desk, "Ours")
    theirs = server.commit("shop", {"theirs.txt": "theirs\n"}, "Theirs", branch="feature")
    with pytest.raises(Refusal, match="has commits on the server that are not in the workspace"):
        await desk.push("shop", "")
    assert git(server.folder / "shop.git", "rev-parse", "feature") == theirs
    await desk.pull("shop", ADA, keeps_conflicts=False)
    await desk.push("shop", "")
    assert git(server.folder / "shop.git", "merge-base", "--is-ancestor", theirs, "feature") == ""


@pytest.mark.parametrize("branch", ["main", "release/1.0", "refs/heads/main"])
async def test_a_protected_branch_is_not_pushed(bench: Bench, server: GitServer, branch: str) -> None:
    desk = await cloned(bench, server)
    asked = len(server.asked)
    with pytest.raises(Refusal, match="is protected"):
        await desk.push("shop", branch)
    assert len(server.asked) == asked


async def test_of_two_who_change_the_same_workspace_one_is_told(bench: Bench, server: GitServer) -> None:
    await cloned(bench, server)
    begun, other_is_done = threading.Event(), threading.Event()

    def slowly(one: Workspace) -> None:
        begun.set()
        other_is_done.wait(30)
        one.write("first.txt", b"first\n", "")

    first = asyncio.create_task(bench.desk().change("shop", slowly))
    await asyncio.to_thread(begun.wait, 30)
    await write(bench.desk(), "second.txt", "second\n")
    other_is_done.set()
    with pytest.raises(Refusal, match="at the same time"):
        await first
    assert await paths(bench.desk()) == ["README.md", "second.txt", "src/app.py"]


async def test_nobody_finds_the_workspaces_of_another(bench: Bench, server: GitServer) -> None:
    await cloned(bench, server)
    eve = bench.desk("eve")
    assert await eve.all() == {}
    for name in ("shop", "../ada/shop", "ada/shop", "..", "shop/../../ada/shop"):
        with pytest.raises(Refusal, match=r"Workspace .* not found|A workspace name"):
            await eve.read(name, lambda one: one.changed())


async def test_many_small_packs_become_one(bench: Bench, server: GitServer) -> None:
    desk = await cloned(bench, server)
    for number in range(30):
        await write(desk, f"{number}.txt", f"{number}\n")
    assert len((await desk.all())["shop"].packs) < 12
    await commit(desk, "Thirty")
    assert len(await paths(bench.desk())) == 32


async def test_a_workspace_that_would_become_too_large_is_refused(bench: Bench, server: GitServer) -> None:
    bench.megabytes = 1
    desk = await cloned(bench, server)
    noise = b"".join((number * 2_654_435_761 % 2**32).to_bytes(4, "little") for number in range(400_000))
    with pytest.raises(Refusal, match="exceed 1 MB"):
        await desk.change("shop", lambda one: one.write("noise.bin", noise, ""))
    assert "noise.bin" not in await paths(bench.desk())


async def test_an_empty_repository_can_be_begun_in(bench: Bench, server: GitServer) -> None:
    git(server.folder, "init", "-q", "--bare", "-b", "main", "new.git")
    git(server.folder / "new.git", "config", "http.receivepack", "true")
    bench.protected = ()
    desk = bench.desk()
    cloned = await desk.clone(f"{server.url}/new.git", "", "", 20)
    assert (cloned.name, cloned.state.branch, cloned.state.head) == ("new", "main", "")
    await desk.change("new", lambda one: one.write("README.md", b"# New\n", ""))
    await desk.change("new", lambda one: one.commit("Begin", ADA, Bench.now, ()))
    await desk.push("new", "")
    assert git(server.folder / "new.git", "show", "main:README.md") == "# New"


async def test_the_sign_in_goes_to_the_server_and_is_asked_for(bench: Bench, server: GitServer) -> None:
    server.signed_in = "Basic c2VjcmV0"
    with pytest.raises(Refusal, match="rejected the sign-in"):
        await bench.desk().clone(f"{server.url}/shop.git", "", "", 20)
    bench.authorization = server.signed_in
    assert (await bench.desk().clone(f"{server.url}/shop.git", "", "", 20)).state.head


# What a clone leaves out, which each host permits in its own way


async def cloned_from_azure_repos(bench: Bench, server: GitServer, **files: str) -> Desk:
    (server.folder / "_git").symlink_to(server.folder)
    server.commit("shop", files or {"a.txt": "a\n"}, "More")
    await bench.desk().clone(f"{server.url}/_git/shop.git", "", "shop", 20)
    return bench.desk()


async def test_a_clone_from_azure_repos_asks_for_the_filter_that_it_has(bench: Bench, server: GitServer) -> None:
    server.filters = (b"blob:none", b"tree:0")
    desk = await cloned_from_azure_repos(bench, server)
    assert server.filtered == [b"blob:none"]
    assert await text(desk, "src/app.py") == "print('one')\n"
    await write(desk, "new.txt", "new\n")
    await commit(desk, "New")
    await desk.change("shop", lambda one: one.switch("new", is_new=True))
    await desk.push("shop", "")
    git(server.folder / "shop.git", "fsck", "--strict", "--no-dangling")


async def test_many_files_of_azure_repos_are_fetched_together(bench: Bench, server: GitServer) -> None:
    files = {f"{number}.txt": f"{number}\n" for number in range(30)}
    desk = await cloned_from_azure_repos(bench, server, **files)
    before = len(server.asked)

    def read_all(one: Workspace) -> list[bytes]:
        return [one.content(path)[1] for path in files]

    assert await desk.read("shop", read_all) == [content.encode() for content in files.values()]
    assert len([asked for asked in server.asked[before:] if asked.startswith("POST")]) <= 8


@pytest.mark.parametrize("azure", [True, False])
async def test_a_server_that_refuses_the_filter_sends_everything(bench: Bench, server: GitServer, azure: bool) -> None:
    server.filters = (b"tree:0",)
    desk = await (cloned_from_azure_repos if azure else cloned)(bench, server)
    assert server.filtered == [b"blob:none" if azure else b"blob:limit=1m"]
    asked = len(server.asked)
    assert await text(desk, "src/app.py") == "print('one')\n"
    assert len(server.asked) == asked


async def test_a_clone_over_tls_takes_only_a_server_whose_certificate_is_trusted(
    tmp_path: Path, bench: Bench, server: GitServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = server.url

    def passed_on(asked: Asked) -> Told:
        with httpx2.Client(trust_env=False) as http:
            answer = http.request(asked.method, plain + asked.path, headers=asked.headers, content=asked.body)
        return Told(answer.status_code, answer.content, {"content-type": answer.headers["content-type"]})

    certified = certify(tmp_path / "localhost.pem", "localhost")
    with served(certified, passed_on) as server.url:
        with pytest.raises(Refusal, match="certificate"):
            await cloned(bench, server)
        monkeypatch.setenv("SSL_CERT_FILE", str(certified.file))
        assert await paths(await cloned(bench, server)) == ["README.md", "src/app.py"]
