"""What hostile callers, repositories and servers try: refused in words, bounded, and nothing is changed by it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from operator import methodcaller
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from refusal import Refusal
from tests.fakes.workspaces.git_server import GitServer, git
from tests.workspaces.bench import ADA, Bench
from workspaces.paths import checked_path
from workspaces.remote_repository import RemoteRepository, checked_url
from workspaces.state import checked_branch, checked_new_branch, is_branch
from workspaces.workspaces import Desk, checked_name

pytestmark = pytest.mark.anyio


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[GitServer]:
    (tmp_path / "server").mkdir()
    async with GitServer(tmp_path / "server").serving() as serving:
        serving.repository()
        yield serving


@pytest.fixture
async def desk(tmp_path: Path, server: GitServer) -> Desk:
    bench = Bench(tmp_path / "kept")
    await bench.desk().clone(f"{server.url}/shop.git", "", "shop", 20)
    return bench.desk()


PATHS = [
    *("", "/", "//", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a/..", "/..", "a/" * 100 + "b"),
    *(
        ".git",
        ".GIT",
        ".Git/config",
        "a/.git/hooks/pre-commit",
        "GIT~1",
        "git~1/config",
        ".git.",
        ".git ",
        ".g\u200cit",
        ".gi\u200dt",
    ),
    *(
        "con",
        "CON",
        "aux.txt",
        "a/nul",
        "com1",
        "LPT9.log",
        "CONIN$",
        "a:b",
        "a:$DATA",
        ".git::$INDEX_ALLOCATION",
        "C:\\a",
        "a\\b",
    ),
    *("a\x00b", "a\nb", "a\tb", "\x1b[2J", "a\u202eb", "a\ud800", "a\ufffd", "a\u2028b", "\u200b", "e\u0301.txt"),
    *("a.", "a ", "a/b.", "a|b", "a?b", "a*b", 'a"b', "<a>", "a" * 256, "é" * 128, "a/" + "b" * 1000),
]


@pytest.mark.parametrize("path", PATHS)
def test_no_file_is_written_where_another_machine_could_take_it_for_something_else(path: str) -> None:
    with pytest.raises(Refusal):
        checked_path(path)


@pytest.mark.parametrize(
    "path",
    ["a", "a/b.txt", ".github/workflows/ci.yml", ".gitignore", ".gitattributes", "é.md", "日本/語", "a b", "a+b@c"],
)
def test_usual_paths_are_written(path: str) -> None:
    assert b"/".join(checked_path(path)).decode() == path


@given(st.text(max_size=30))
def test_whatever_is_written_stays_below_the_repository_and_is_no_file_of_git(path: str) -> None:
    try:
        names = checked_path(path)
    except Refusal:
        return
    assert all(name not in {b"", b".", b".."} and b"/" not in name and b"\\" not in name for name in names)
    assert not any(name.lower().rstrip(b". ") == b".git" or b"\0" in name for name in names)


URLS = [
    *(
        "",
        "github.com/acme/shop",
        "ssh://git@git.example/shop",
        "git@git.example:acme/shop.git",
        "git://git.example/shop",
    ),
    *("file:///etc/passwd", "http://git.example/shop", "https://git.example:8443/shop", "https://git.example"),
    *(
        "https://git.example.attacker.example/shop",
        "https://attacker.example/git.example/shop",
        "https://git.example@attacker.example/s",
    ),
    *(
        "https://user:secret@git.example/shop",
        "https://:secret@git.example/shop",
        "https://git.example\\@attacker.example/shop",
    ),
    *(
        "https://git.example/../shop",
        "https://git.example/a/%2e%2e/b",
        "https://git.example/a%2fb",
        "https://git.example/a%00b",
    ),
    *(
        "https://git.example/a%5cb",
        "https://git.example//shop",
        "https://git.example/shop?service=x",
        "https://git.example/shop#x",
    ),
    *(
        "https://127.0.0.1/shop",
        "https://[::1]/shop",
        "https://2130706433/shop",
        "https://git.example./shop",
        "https://GIT.example\n/s",
    ),
    *(
        "https://git.ex\u0430mple/shop",
        "https://git.example:99999/shop",
        "https://git.example:/../shop",
        "https://git.example/" + "a" * 1000,
    ),
    *(
        "https://git.example/a%25b",
        "https://git.example/ a",
        "HTTPS://attacker.example/shop",
        "//git.example/shop",
        "ext::sh -c x",
    ),
]


@pytest.mark.parametrize("url", URLS)
def test_no_address_leads_anywhere_but_to_a_host_that_was_named(url: str) -> None:
    with pytest.raises(Refusal) as refused:
        checked_url(url, ["git.example"])
    assert "secret" not in str(refused.value)


def test_a_users_name_in_an_address_is_left_out() -> None:
    assert (
        checked_url("https://acme@git.example/acme/shop/_git/shop/", ["git.example"])
        == "https://git.example/acme/shop/_git/shop"
    )


BRANCHES = [
    "",
    "HEAD",
    "-x",
    "a..b",
    "a//b",
    "/a",
    "a/",
    "a.lock",
    "a/.b",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[",
    "a\\b",
    "@{1}",
    "a@{b",
    ".a",
    "a.",
    "a\x00",
    "é",
    "a" * 300,
    "0" * 40,
]


@pytest.mark.parametrize("name", [*BRANCHES, "refs/heads/../x", "refs/heads/"])
def test_no_branch_has_a_name_that_git_takes_for_something_else(name: str) -> None:
    with pytest.raises(Refusal):
        checked_branch(name)


AMBIGUOUS = [
    *("heads/main", "refs/heads/heads/main", "tags/v1", "remotes/origin/main", "refs/x", "refs/heads/refs/heads/x"),
    *("FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "stash", "heads/a/b"),
]


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_no_branch_is_made_with_a_name_that_git_looks_up_elsewhere(name: str) -> None:
    with pytest.raises(Refusal, match="ambiguous"):
        checked_new_branch(name)
    for fine in ("main", "feature/heads/x", "headset", "refsheet/a", "tagged/b", "head"):
        assert checked_new_branch(fine) == fine


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "a.b", ".a", "a b", "é", "a\x00", "-a", "a" * 61])
def test_no_workspace_has_a_name_that_leads_elsewhere(name: str) -> None:
    with pytest.raises(Refusal):
        checked_name(name)


def odd_tree(bare: Path, *entries: tuple[str, str]) -> None:
    """A branch whose tree has names that no git would check out: written as bytes, past every check of git."""
    blob_id = git(bare, "hash-object", "-w", "--stdin", content=b"evil\n")
    tree = b"".join(f"{mode} ".encode() + name.encode() + b"\0" + bytes.fromhex(blob_id) for mode, name in entries)
    tree_id = git(bare, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", content=tree)
    commit = git(bare, "commit-tree", "-m", "Odd", tree_id)
    git(bare, "update-ref", "refs/heads/odd", commit)


@pytest.mark.parametrize("name", [".git", "..", "a/b", "GIT~1"])
async def test_odd_names_of_others_are_shown_and_nothing_is_done_by_them(
    tmp_path: Path, server: GitServer, name: str
) -> None:
    odd_tree(server.folder / "shop.git", ("100644", name), ("100644", "good.txt"))
    bench = Bench(tmp_path / "kept")
    await bench.desk().clone(f"{server.url}/shop.git", "odd", "odd", 20)
    assert not (tmp_path / "kept").joinpath("..", "b").exists()
    names = await bench.desk().read("odd", lambda one: [entry.text for entry in one.entries("")])
    assert "good.txt" in names


async def test_links_and_submodules_are_neither_followed_nor_written(tmp_path: Path, server: GitServer) -> None:
    work = server.folder / "shop-work"
    (work / "link").symlink_to("/etc")
    (work / "file-link").symlink_to("README.md")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{git(work, 'rev-parse', 'HEAD')},module")
    git(work, "add", "link", "file-link")
    git(work, "commit", "-q", "-m", "Links")
    git(work, "push", "-q", "origin", "main")
    desk = Bench(tmp_path / "kept").desk()
    await desk.clone(f"{server.url}/shop.git", "", "shop", 20)
    kinds = await desk.read("shop", lambda one: {entry.text: entry.kind for entry in one.entries("")})
    assert (kinds["link"], kinds["file-link"], kinds["module"]) == ("link", "link", "submodule")
    for path in ("link", "file-link", "module", "link/passwd", "module/a"):
        with pytest.raises(Refusal):
            await desk.read("shop", methodcaller("content", path))
        with pytest.raises(Refusal):
            await desk.change("shop", methodcaller("write", path, b"x", ""))
    await desk.change("shop", lambda one: one.move("link", "moved"))
    assert (await desk.read("shop", lambda one: one.entry("moved"))).kind == "link"  # type: ignore[union-attr]


async def test_names_that_differ_in_their_case_only_are_refused(desk: Desk) -> None:
    with pytest.raises(Refusal, match=r"README\.md already exists"):
        await desk.change("shop", lambda one: one.write("readme.MD", b"x", ""))
    with pytest.raises(Refusal, match="src already exists"):
        await desk.change("shop", lambda one: one.write("SRC/a", b"x", ""))


@pytest.mark.parametrize("path", ["README.md/a", "src", "src/app.py/b/c"])
async def test_files_and_folders_do_not_take_each_others_place(desk: Desk, path: str) -> None:
    with pytest.raises(Refusal):
        await desk.change("shop", lambda one: one.write(path, b"x", ""))


@asynccontextmanager
async def answering(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/shop.git"
    finally:
        await runner.cleanup()


def line(text: bytes) -> bytes:
    return f"{len(text) + 4:04x}".encode() + text


TYPE = "application/x-git-upload-pack-advertisement"
SERVICE = line(b"# service=git-upload-pack\n") + b"0000"
ID = b"1" * 40
ANSWERS = {
    "a page": web.Response(text="<html>sign in</html>", content_type="text/html"),
    "nothing": web.Response(body=b"", content_type=TYPE),
    "no lines": web.Response(body=b"\xff" * 100, content_type=TYPE),
    "half a line": web.Response(body=SERVICE + b"00ff" + ID, content_type=TYPE),
    "a length that is none": web.Response(body=SERVICE + b"zzzz", content_type=TYPE),
    "too many branches": web.Response(
        body=SERVICE
        + line(ID + b" HEAD\0agent=x\n")
        + b"".join(line(ID + b" refs/heads/%d\n" % n) for n in range(3000))
        + b"0000",
        content_type=TYPE,
    ),
    "not found": web.Response(status=404),
    "an error": web.Response(status=500, text="https://attacker.example/" + "x" * 5000),
    "a sign-in": web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="give me your token"'}),
    "forbidden": web.Response(status=403),
}


@pytest.mark.parametrize("told", ANSWERS)
async def test_a_server_that_answers_oddly_is_told_so_and_nothing_is_kept(tmp_path: Path, told: str) -> None:
    made = ANSWERS[told]

    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(status=made.status, body=made.body, headers={**made.headers})

    bench = Bench(tmp_path / "kept", authorization="Basic t0psecret")
    async with answering(answer) as url:
        with pytest.raises(Refusal) as refused:
            await bench.desk().clone(url, "", "", 20)
    said = str(refused.value)
    assert len(said) < 600
    assert not {"t0psecret", "attacker"} & set(said.replace("/", " ").replace(".", " ").split())
    assert await bench.desk().all() == {}


@pytest.mark.parametrize(
    "ref", [b"xyz refs/heads/main", ID + b" refs/heads/../../x", ID + b" refs/heads/a b", b"0 " + ID]
)
async def test_of_names_and_ids_that_are_none_nothing_is_taken(tmp_path: Path, ref: bytes) -> None:
    async def answer(_request: web.Request) -> web.StreamResponse:
        return web.Response(body=SERVICE + line(ref + b"\0agent=x\n") + b"0000", headers={"Content-Type": TYPE})

    async with answering(answer) as url:
        done = await Bench(tmp_path / "kept").desk().clone(url, "", "", 20)
    assert (done.state.branches, done.state.remote) == ({}, {})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed_and_no_sign_in_goes_along(tmp_path: Path, status: int) -> None:
    elsewhere: list[dict[str, str]] = []

    async def attacker(request: web.Request) -> web.StreamResponse:
        elsewhere.append(dict(request.headers))
        return web.Response()

    async with answering(attacker) as their_url:

        async def answer(request: web.Request) -> web.StreamResponse:
            return web.Response(status=status, headers={"Location": f"{their_url}{request.path_qs}"})

        async with answering(answer) as url:
            with pytest.raises(Refusal):
                await Bench(tmp_path / "kept", authorization="Basic t0psecret").desk().clone(url, "", "", 20)
    assert elsewhere == []


def test_a_sign_in_is_in_no_text_of_its_place() -> None:
    assert "t0psecret" not in repr(RemoteRepository("https://git.example/shop", "Basic t0psecret"))


async def test_a_branch_of_others_that_has_an_odd_name_is_left_out(tmp_path: Path, server: GitServer) -> None:
    bare = server.folder / "shop.git"
    packed = f"{git(bare, 'rev-parse', 'main')} refs/heads/{'0' * 40}\n"
    (bare / "packed-refs").write_text(packed, encoding="utf-8")
    done = await Bench(tmp_path / "kept").desk().clone(f"{server.url}/shop.git", "", "", 20)
    assert set(done.state.remote) == {"main"}
    assert all(map(is_branch, done.state.remote))


async def test_a_message_of_a_commit_cannot_forge_its_head(desk: Desk, server: GitServer) -> None:
    await desk.change("shop", lambda one: one.switch("odd", is_new=True))
    await desk.change("shop", lambda one: one.write("a", b"a", ""))
    await desk.change(
        "shop", lambda one: one.commit("Subject\n\nauthor Eve <eve@x> 1 +0000\ngpgsig x", ADA, Bench.now, ())
    )
    await desk.push("shop", "")
    bare = server.folder / "shop.git"
    git(bare, "fsck", "--strict", "--no-dangling")
    assert git(bare, "log", "-1", "--format=%an", "odd") == "Ada"
