"""Repositories in which others wrote what no git would: told as they are, and nothing of them leads elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from operator import methodcaller
from pathlib import Path
from typing import Final

import pytest
from dulwich.objects import ObjectID, RawObjectID, ShaFile, Tree

from refusal import Refusal
from tests.fakes.workspaces.git_server import GitServer, git
from tests.sweeps import Sweep
from tests.workspaces.bench import ADA, Bench
from tests.workspaces.hard.hostile_server import BLOB, TREE, commit_of, name_of, pack, packed, tree_of
from tools.workspace.history import _compared, _logged
from workspaces.diffs import differences
from workspaces.limits import MOST_ENTRIES
from workspaces.objects import Objects
from workspaces.workspaces import Desk

pytestmark = pytest.mark.anyio

TEXT: Final = name_of(BLOB, b"x\n")
# Written without a look, as whoever attacks does.
_ANYHOW: Final = ("hash-object", "-w", "--literally", "--stdin", "-t")


@dataclass
class Yard:
    bench: Bench
    server: GitServer

    @property
    def bare(self) -> Path:
        return self.server.folder / "shop.git"

    def put(self, kind: str, content: bytes) -> str:
        return git(self.bare, *_ANYHOW, kind, content=content)

    def branch(self, tree: str, *parents: str) -> str:
        return self.at(commit_of(tree, *parents))

    def at(self, commit: bytes) -> str:
        made = self.put("commit", commit)
        git(self.bare, "update-ref", "refs/heads/odd", made)
        return made

    async def cloned(self, branch: str = "odd", depth: int = 20) -> Desk:
        await self.bench.desk().clone(f"{self.server.url}/shop.git", branch, "shop", depth)
        return self.bench.desk()


@pytest.fixture
async def yard(tmp_path: Path) -> AsyncIterator[Yard]:
    (tmp_path / "server").mkdir()
    async with GitServer(tmp_path / "server").serving() as server:
        server.repository()
        yield Yard(Bench(tmp_path / "kept"), server)


@pytest.mark.parametrize("size", [1_000, 60_000, 70_000, 300_000])
async def test_texts_of_any_usual_size_are_cloned(yard: Yard, size: int) -> None:
    texts = {f"{name}.txt": f"{name} {name * 60}\n" * (size // 63) for name in "abc"}
    yard.server.commit("shop", texts, "Texts")
    desk = await yard.cloned("main")
    assert await desk.read("shop", lambda one: one.content("a.txt")[1].decode()) == texts["a.txt"]


@pytest.mark.parametrize(
    ("mode", "name", "kind"),
    [
        ("120000", b"link", "link"),
        ("160000", b"module", "submodule"),
        ("160000", b".git", "submodule"),
        ("120000", b".gitmodules", "link"),
    ],
)
async def test_links_and_submodules_are_shown_and_neither_read_nor_written(
    yard: Yard, mode: str, name: bytes, kind: str
) -> None:
    target = "1" * 40 if kind == "submodule" else yard.put("blob", b"/etc/passwd")
    yard.branch(yard.put("tree", tree_of((mode, name, target))))
    desk, path = await yard.cloned(), name.decode()
    assert await desk.read("shop", lambda one: [(each.text, each.kind) for each in one.entries("")]) == [(path, kind)]
    with pytest.raises(Refusal, match=f"is a {kind}"):
        await desk.read("shop", lambda one: one.content(path))
    for at in (path, f"{path}/x") if not path.startswith(".git") else (path,):
        with pytest.raises(Refusal):
            await desk.change("shop", methodcaller("write", at, b"x", ""))
    if kind == "link":
        with pytest.raises(Refusal):
            await desk.read("shop", lambda one: one.content(f"{path}/root"))


@Sweep(
    "name",
    [
        b"..",
        b".git",
        b"../../etc/passwd",
        b"a/b",
        b"\xff\xfe",
        b"\x1b[31m\n",
        b".",
        b"C:\\x",
        b"con",
        "e\u0301".encode(),
    ],
    ids=ascii,
    every=2,
)
async def test_names_that_lead_elsewhere_are_told_and_lead_nowhere(yard: Yard, name: bytes, tmp_path: Path) -> None:
    text = yard.put("blob", b"x\n")
    yard.branch(yard.put("tree", tree_of(("100644", name, text))))
    desk = await yard.cloned()
    (entry,) = await desk.read("shop", lambda one: list(one.entries("")))
    assert entry.path == name
    await desk.change("shop", lambda one: one.write("fine.txt", b"x", ""))
    await desk.change("shop", lambda one: one.commit("Fine", ADA, Bench.now, ["fine.txt"]))
    kept = [path.relative_to(tmp_path / "kept") for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert {path.parent.as_posix() for path in kept} == {"ada/shop"}


@Sweep("hidden", ["\ufe01", "\U000e0101", "\u3164", "\u2800", "\u200b", "\u202e"], ids=ascii, every=3)
async def test_invisible_characters_in_names_of_others_are_listed_as_escapes(yard: Yard, hidden: str) -> None:
    name = f"a{hidden}b"
    yard.branch(yard.put("tree", tree_of(("100644", name.encode(), yard.put("blob", b"x\n")))))
    desk = await yard.cloned()
    (entry,) = await desk.read("shop", lambda one: list(one.entries("")))
    assert entry.text == ascii(name)[1:-1]
    assert await desk.read("shop", lambda one: one.content(name))


async def test_what_git_keeps_is_not_moved_to_another_place(yard: Yard) -> None:
    config = yard.put("tree", tree_of(("100644", b"config", yard.put("blob", b"x\n"))))
    yard.branch(yard.put("tree", tree_of(("40000", b"d", yard.put("tree", tree_of(("40000", b".git", config)))))))
    desk = await yard.cloned()
    with pytest.raises(Refusal):
        await desk.change("shop", lambda one: one.move("d", "e"))


async def test_a_file_whose_name_leads_through_folders_is_committed_or_refused(yard: Yard) -> None:
    inner = yard.put("tree", tree_of(("100644", b"a/b", yard.put("blob", b"x\n"))))
    yard.branch(yard.put("tree", tree_of(("40000", b"d", inner))))
    desk = await yard.cloned()
    await desk.change("shop", lambda one: one.move("d", "e"))
    await desk.change("shop", lambda one: one.commit("Moved", ADA, Bench.now, ()))


@Sweep(
    "who",
    [
        "E <e@e> 99999999999999 +0000",
        f"E <e@e> {10**30} +0000",
        "E <e@e> -99999999999 +0000",
        "E",
        "E 1 +0000",
        "",
        "E <e@e> 1 +99999999",
        "E <e@e> 1 zz",
        "\udcff <\udcfe> 1 +0000",
        "E <<e>> 1 +0000",
        "<> 1 +0000",
    ],
    ids=ascii,
    every=3,
)
async def test_a_commit_by_whomever_and_whenever_is_told(yard: Yard, who: str) -> None:
    tree = git(yard.bare, "rev-parse", "main^{tree}")
    commit = f"tree {tree}\nauthor {who}\ncommitter {who}\n\nOdd\n"
    yard.at(commit.encode(errors="surrogateescape"))
    desk = await yard.cloned()
    commits, _ = await desk.read("shop", lambda one: _logged(one, "", 20))
    assert [commit["message"] for commit in commits] == ["Odd"]


async def test_a_commit_without_a_message_is_told(yard: Yard) -> None:
    tree, who = git(yard.bare, "rev-parse", "main^{tree}"), "E <e@e> 1 +0000"
    yard.at(f"tree {tree}\nauthor {who}\ncommitter {who}\n".encode())
    desk = await yard.cloned()
    assert len((await desk.read("shop", lambda one: _logged(one, "", 20)))[0]) == 1


def bomb(put: Callable[[bytes], str], levels: int) -> str:
    """Ten folders in each folder, all the same: a few hundred bytes that are ten to the power of levels files."""
    tree = put(tree_of(("100644", b"f", TEXT)))
    for _ in range(levels):
        tree = put(tree_of(*(("40000", b"%d" % number, tree) for number in range(10))))
    return tree


async def test_folders_within_themselves_are_not_listed_without_end(yard: Yard) -> None:
    yard.put("blob", b"x\n")
    yard.branch(bomb(lambda content: yard.put("tree", content), 9))
    desk = await yard.cloned()
    with pytest.raises(Refusal, match="more than 20000 files"):
        await desk.read("shop", lambda one: list(one.entries("")))


class Watched(Objects):
    """Objects of which no more are looked at than a workspace may have files."""

    looked_at = 0

    def __getitem__(self, name: ObjectID | RawObjectID) -> ShaFile:
        self.looked_at += 1
        assert self.looked_at < 5 * MOST_ENTRIES, "it walks on, and no thread can be stopped"
        return super().__getitem__(name)


def test_folders_within_themselves_are_not_compared_without_end() -> None:
    with closing(Watched({})) as objects:

        def put(content: bytes) -> str:
            tree = Tree.from_string(content)
            objects.add_object(tree)
            return tree.id.decode()

        tree = bomb(put, 9).encode()
        with pytest.raises(Refusal, match="More than"):
            differences(objects, None, tree)


async def test_folders_within_each_other_without_end_are_refused_in_words(yard: Yard) -> None:
    made = [tree_of(("100644", b"f", yard.put("blob", b"x\n")))]
    for _ in range(1500):
        made.append(tree_of(("40000", b"d", name_of(TREE, made[-1]))))
    git(yard.bare, "unpack-objects", "-q", content=pack(packed(TREE, one) for one in made))
    tree = name_of(TREE, made[-1])
    yard.branch(tree, git(yard.bare, "rev-parse", "main"))
    desk = await yard.cloned()
    for call in (
        lambda: desk.read("shop", lambda one: _compared(one, "", "main", "odd", 3)),
        lambda: desk.change("shop", lambda one: one.write("new.txt", b"new\n", "")),
        lambda: desk.change("shop", lambda one: one.commit("New", ADA, Bench.now, ())),
        lambda: desk.push("shop", ""),
        lambda: desk.pull("shop", ADA, keeps_conflicts=True),
    ):
        with suppress(Refusal):
            await call()


async def test_folders_within_each_other_are_told_and_refused(yard: Yard) -> None:
    tree = yard.put("tree", tree_of(("100644", b"f", yard.put("blob", b"x\n"))))
    for _ in range(70):
        tree = yard.put("tree", tree_of(("40000", b"d", tree)))
    yard.branch(tree, git(yard.bare, "rev-parse", "main"))
    desk = await yard.cloned()
    with pytest.raises(Refusal, match="more than 60 levels of folders"):
        await desk.read("shop", lambda one: list(one.entries("")))
    assert (await desk.read("shop", lambda one: _compared(one, "", "main", "odd", 3)))["files"]
