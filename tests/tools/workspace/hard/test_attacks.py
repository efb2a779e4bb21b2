"""Callers that mean no good, and what others put into files: nobody gets further than their own workspaces."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from identity.caller import Caller as Who
from identity.caller import CallerKind
from refusal import Refusal
from tests.fakes.workspaces.git_server import git
from tests.tools.workspace.office import Office, opened
from tests.workspaces.bench import ADA, Bench
from tools.workspace.access import WorkspacesAccess
from tools.workspace.settings import WorkspacesSettings
from workspaces.keeping import WorkspaceKeeper
from workspaces.workspaces import Workspaces

pytestmark = pytest.mark.anyio

PLACES: Final = ("127.0.0.1", "git.example.net/acme", "dev.azure.com/acme")
TOKEN: Final = "t0psecret"  # noqa: S105 - invented


@pytest.fixture(scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Office]:
    folder = tmp_path_factory.mktemp("office")
    async with opened(folder, places=PLACES, tokens=f"127.0.0.1={TOKEN},git.example.net={TOKEN}") as made:
        (made.server.folder / "shop-work" / "marked.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
        (made.server.folder / "shop-work" / "long.js").write_text("x" * 60_500 + "\n")
        (made.server.folder / "shop-work" / "longer.js").write_text("x" * 60_500 + "\nlast\n")
        made.server.commit("shop", {"many.txt": "a\n" * 20_000}, "More")
        await made("git_clone", repo_url=f"{made.server.url}/shop.git")
        made.server.asked.clear()
        yield made


@pytest.mark.parametrize(
    "url",
    [
        # Other hosts, however they are written.
        *(
            "https://evil.example/acme/x",
            "https://git.example.net.evil.example/acme/x",
            "https://git.example.net./acme/x",
        ),
        *("https://git.example.net@evil.example/acme/x", "https://evil.example#@git.example.net/acme/x"),
        *("https://evil.example?@git.example.net/acme/x", "https://evil.example\\@git.example.net/acme/x"),
        *("https://git.example.net\\@evil.example/acme/x", "https://git.example.net%2eevil.example/acme/x"),
        *("https://git.example.net%00.evil.example/acme/x", "https://git.example.net;evil.example/acme/x"),
        *(
            "https://\uff47it.example.net/acme/x",
            "https://git\u3002example\u3002net/acme/x",
            "https://xn--git-.example.net/acme/x",
        ),
        *("http://2130706433/x", "http://0x7f000001/x", "http://127.1/x", "http://0/x", "http://0177.0.0.1/x"),
        *(
            "http://[::1]/x",
            "http://[::ffff:127.0.0.1]/x",
            "http://[::]/x",
            "http://[fe80::1%25eth0]/x",
            "http://[::1/x",
        ),
        *("http://169.254.169.254/metadata", "https://localhost/x", "https://metadata.google.internal/x"),
        # Other ways there.
        *("http://git.example.net/acme/x", "git://git.example.net/acme/x", "ssh://git@git.example.net/acme/x"),
        *(
            "git@git.example.net:acme/x",
            "file:///etc/passwd",
            "file://127.0.0.1/etc",
            "ext::sh -c id",
            "ftp://127.0.0.1/x",
        ),
        *(
            "javascript:alert(1)",
            "-oProxyCommand=id",
            "--upload-pack=id",
            "/etc",
            "C:\\x",
            "//127.0.0.1/x",
            "127.0.0.1/x",
        ),
        *("https://git.example.net:8443/acme/x", "https://git.example.net:80/acme/x", "http://127.0.0.1:99999/x"),
        *("http://127.0.0.1:-1/x", "http://127.0.0.1:x/x"),
        # Other repositories at the host.
        *(
            "https://git.example.net/other/x",
            "https://git.example.net/acme/../other/x",
            "https://git.example.net/acmes/x",
        ),
        *("https://git.example.net/acme/%2e%2e/other/x", "https://git.example.net/acme/%2E./other/x"),
        *("https://git.example.net/acme%2f..%2fother/x", "https://git.example.net/acme/..%2fother/x"),
        *(
            "https://git.example.net/acme/%252e%252e/other/x",
            "https://git.example.net//acme/x",
            "https://git.example.net/./acme/x",
        ),
        *(
            "https://git.example.net/acme\\..\\other/x",
            "https://git.example.net/acme/%5c../x",
            "https://git.example.net",
        ),
        *(
            "https://git.example.net/acme/x%00",
            "https://git.example.net/acme/x%0d%0aHost:%20evil",
            "https://git.example.net/",
        ),
        *("https://dev.azure.com/other/shop/_git/shop", "https://dev.azure.com/acme@x/shop/_git/shop"),
        # With more than an address.
        *(f"http://ada:{TOKEN}@127.0.0.1/x", f"http://:{TOKEN}@127.0.0.1/x", "http://127.0.0.1/x?token=1"),
        *(
            "http://127.0.0.1/x#main",
            "http://127.0.0.1/x\r\nHost: evil",
            "http://127.0.0.1/x\ty",
            "http://127.0.0.1/a b",
        ),
        *("http://127.0.0.1/\u202egit", "http://127.0.0.1/" + "a" * 990, " ", "https://", "https:///acme/x"),
    ],
    ids=ascii,
)
async def test_an_address_that_leads_elsewhere_is_refused_and_nobody_asked(office: Office, url: str) -> None:
    said = await office.refused("git_clone", repo_url=url, target_dir="elsewhere")
    assert office.server.asked == []
    assert TOKEN not in said
    assert "incident" not in said.lower()


async def test_after_all_these_nothing_else_is_kept(office: Office) -> None:
    assert [one["repo_dir"] for one in (await office("git_workspaces"))["workspaces"]] == ["shop"]


@pytest.mark.parametrize(
    "branch",
    ["main", "master", "release/1", "release/1/2", "refs/heads/main", "refs/heads/release/x"],
)
async def test_a_protected_branch_is_neither_shown_nor_pushed(office: Office, branch: str) -> None:
    assert "is protected" in await office.refused("git_push", repo_dir="shop", branch=branch)
    assert office.server.asked == []


@pytest.mark.parametrize(
    "branch",
    [
        *(
            "+main",
            ":main",
            "main:main",
            "HEAD:main",
            "+HEAD:refs/heads/main",
            "refs/heads/refs/heads/main\0",
            "--force",
        ),
        *("--mirror", "--delete", "main\n", " main", "refs/tags/v1", "@", "HEAD", "*", "refs/heads/*"),
    ],
    ids=ascii,
)
async def test_no_branch_is_pushed_by_a_name_that_says_more(office: Office, branch: str) -> None:
    await office.refused("git_push", repo_dir="shop", branch=branch)
    assert office.server.asked == []


@pytest.mark.parametrize("branch", ["Main", "MAIN", "Release/1"])
async def test_a_protected_branch_is_protected_in_any_case(branch: str) -> None:
    with pytest.raises(Refusal, match="is protected"):
        access(Bench(Path())).desk(caller("ada"), reaches_everything=True).refuse_protected(branch)


def caller(subject: str, kind: CallerKind = CallerKind.USER, **more: str) -> Who:
    return replace(Who(kind, "tenant", subject), **more)  # type: ignore[arg-type]


def access(bench: Bench) -> WorkspacesAccess:
    settings = WorkspacesSettings(places=("127.0.0.1",), folder=str(bench.folder))
    return WorkspacesAccess(bench.workspaces, settings, None, {})


CALLERS: Final = [
    caller("ada"),
    caller("eve"),
    caller("ADA"),
    caller("ada "),
    caller(""),
    caller("ada", CallerKind.APP),
    Who(CallerKind.USER, "other tenant", "ada"),
    Who(CallerKind.USER, "", "tenantada"),
    Who(CallerKind.USER, "tenantada", ""),
    Who(CallerKind.USER, "t", "enantada"),
    Who(CallerKind.USER, "tenant", "ada\0"),
    Who(CallerKind.USER, "tenant", "../ada"),
    Who(CallerKind.USER, "tenant/ada", "shop"),
]


@pytest.mark.parametrize("other", CALLERS[1:], ids=lambda one: ascii((str(one.kind), one.tenant, one.subject)))
async def test_nobody_has_what_another_has(tmp_path: Path, office: Office, other: Who) -> None:
    bench = Bench(tmp_path)
    mine = access(bench).desk(CALLERS[0], reaches_everything=True)
    theirs = access(bench).desk(other, reaches_everything=True)
    office.server.signed_in = ""
    await mine.clone(f"{office.server.url}/shop.git", "main", "mine", 1)
    office.server.asked.clear()
    assert await theirs.all() == {}
    for work in (theirs.read("mine", lambda one: one.state), theirs.change("mine", lambda one: one.state)):
        with pytest.raises(Refusal, match=r"Workspace .* not found"):
            await work
    for transfer in (theirs.push("mine", "x"), theirs.pull("mine", ADA, keeps_conflicts=False), theirs.drop("mine")):
        with pytest.raises(Refusal, match=r"Workspace .* not found"):
            await transfer
    assert [*await mine.all()] == ["mine"]
    assert office.server.asked == []


async def test_a_sign_in_is_for_its_host_alone_and_in_no_text() -> None:
    keeper = WorkspaceKeeper(Bench(Path()).workspaces.keeper._files, 1, 1)  # noqa: SLF001 - nothing is written
    settings = WorkspacesSettings(places=PLACES, tokens=f"git.example.net={TOKEN}")
    made = WorkspacesAccess(Workspaces(keeper, ()), settings, None, {"git.example.net": f"Basic {TOKEN}"})
    assert TOKEN not in repr(made)
    place = await made._place("https://git.example.net/acme/x", CALLERS[0], reaches_everything=True)  # noqa: SLF001
    assert TOKEN not in f"{place!r} {place}"
    other = await made._place("http://127.0.0.1/x", CALLERS[0], reaches_everything=True)  # noqa: SLF001
    assert other.authorization == ""


async def test_an_edit_changes_what_it_names_alone(office: Office) -> None:
    etag = (await office("git_read", repo_dir="shop", path="marked.txt"))["etag"]
    edits = [{"old": "two", "new": "2"}]
    await office("git_write", repo_dir="shop", path="marked.txt", edits=edits, etag=etag)
    diff = (await office("git_diff", repo_dir="shop", path="marked.txt"))["diff"]
    await office("git_restore", repo_dir="shop", path="marked.txt")
    assert [line for line in diff.splitlines() if line.startswith(("-", "+"))][2:] == ["-two", "+2"]


async def test_of_a_line_that_is_cut_it_is_told(office: Office) -> None:
    read = await office("git_read", repo_dir="shop", path="long.js")
    assert len(read["text"]) > 60_500 or {*read} - {"untrusted", "path", "etag", "lines", "text"}


async def test_no_line_makes_an_answer_too_long(office: Office) -> None:
    assert len((await office("git_read", repo_dir="shop", path="longer.js"))["text"]) <= 60_000


async def test_what_is_pushed_by_others_meanwhile_is_never_overwritten(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        await office("git_clone", repo_url=f"{office.server.url}/shop.git")
        await office("git_branch", repo_dir="shop", branch="mine", create=True)
        await office("git_write", repo_dir="shop", path="a.txt", content="a\n")
        await office("git_commit", repo_dir="shop", message="A")
        theirs = office.server.commit("shop", {"b.txt": "b\n"}, "B", branch="mine")
        bare = office.server.folder / "shop.git"
        assert "git_pull" in await office.refused("git_push", repo_dir="shop")
        # Others went back by force: it is still theirs, and ours comes on top only where it descends.
        git(bare, "update-ref", "refs/heads/mine", git(bare, "rev-parse", "main"))
        await office("git_push", repo_dir="shop")
        git(bare, "update-ref", "refs/heads/mine", theirs)
        assert "git_pull" in await office.refused("git_push", repo_dir="shop")
        assert git(bare, "rev-parse", "mine") == theirs


async def test_a_branch_is_pushed_from_a_clone_in_part_after_the_server_has_gone_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        office.server.commit("shop", {"large.csv": "".join(f"{n * 7919}\n" for n in range(200_000))}, "Large")
        await office("git_clone", repo_url=f"{office.server.url}/shop.git")
        await office("git_branch", repo_dir="shop", branch="mine", create=True)
        await office("git_write", repo_dir="shop", path="a.txt", content="a\n")
        commit = (await office("git_commit", repo_dir="shop", message="A"))["commit_hash"]
        office.server.commit("shop", {"b.txt": "b\n"}, "Others go on")
        await office("git_push", repo_dir="shop")
        assert git(office.server.folder / "shop.git", "rev-parse", "mine") == commit


async def test_what_was_taken_back_here_stays_so_when_others_work_is_merged(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        work = office.server.folder / "shop-work"
        office.server.commit("shop", {"rate.txt": "1\n"}, "One")
        git(work, "branch", "aside")
        office.server.commit("shop", {"rate.txt": "2\n"}, "Two")
        await office("git_clone", repo_url=f"{office.server.url}/shop.git")
        etag = (await office("git_read", repo_dir="shop", path="rate.txt"))["etag"]
        await office("git_write", repo_dir="shop", path="rate.txt", content="1\n", etag=etag)
        await office("git_commit", repo_dir="shop", message="One again")
        for number in range(3):
            office.server.commit("shop", {"other.txt": f"{number}\n"}, f"Other {number}")
        git(work, "checkout", "-q", "aside")
        git(work, "commit", "-q", "--allow-empty", "-m", "Aside")
        git(work, "checkout", "-q", "main")
        git(work, "merge", "-q", "--no-ff", "-m", "Join", "aside")
        git(work, "push", "-q", "origin", "main")
        assert (await office("git_pull", repo_dir="shop"))["result"] == "merged"
        assert (await office("git_read", repo_dir="shop", path="rate.txt"))["text"] == "1\n"
