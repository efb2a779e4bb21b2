"""Whatever is written, moved, deleted, committed and branched, it is what the git program makes of the same."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from refusal import Refusal
from tests.fakes.workspaces.git_server import GitServer, git
from tests.workspaces.bench import ADA, Bench
from workspaces.workspace import Workspace
from workspaces.workspaces import Desk

# The nightly workflow plays many more.
PLAYS: Final = int(os.environ.get("FUZZ_GIT", "3"))

names = st.sampled_from(["a", "b", "é", "a.b", "a0"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
branches = st.sampled_from(["main", "one", "one-more"])
texts = st.sampled_from(["", "x", "x\n", "two\nlines\n", "\ufeffmark\r\n"])


@dataclass(frozen=True)
class Write:
    path: str
    text: str

    def ours(self, one: Workspace) -> None:
        there = one.entry(self.path)
        one.write(self.path, self.text.encode(), there.id.decode() if there else "")

    def theirs(self, work: Path) -> None:
        place = work / self.path
        for above in place.relative_to(work).parents[:-1]:
            refuse_if((work / above).is_file())
        refuse_if(place.is_dir())
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(self.text.encode())


@dataclass(frozen=True)
class Move:
    path: str
    to: str

    def ours(self, one: Workspace) -> None:
        one.move(self.path, self.to)

    def theirs(self, work: Path) -> None:
        place, to = work / self.path, work / self.to
        refuse_if(not place.exists() or to.exists() or to.is_relative_to(place))
        for above in to.relative_to(work).parents[:-1]:
            refuse_if((work / above).is_file() and work / above != place)
        to.parent.mkdir(parents=True, exist_ok=True)
        place.rename(to)


@dataclass(frozen=True)
class Delete:
    path: str

    def ours(self, one: Workspace) -> None:
        one.delete(self.path)

    def theirs(self, work: Path) -> None:
        refuse_if(not (work / self.path).exists())
        removed(work / self.path)


@dataclass(frozen=True)
class Restore:
    name: str

    def ours(self, one: Workspace) -> None:
        one.restore(self.name)

    def theirs(self, work: Path) -> None:
        refuse_if(not git(work, "ls-tree", "HEAD", "--", self.name))
        removed(work / self.name)
        git(work, "checkout", "-q", "HEAD", "--", self.name)


@dataclass(frozen=True)
class Commit:
    names: tuple[str, ...] = ()

    def ours(self, one: Workspace) -> None:
        one.commit("Message\n\nWhy", ADA, Bench.now, self.names)

    def theirs(self, work: Path) -> None:
        for name in self.names or (".",):
            refuse_if(not git(work, "status", "--porcelain", "-uall", "--", name))
        git(work, "read-tree", "HEAD")
        git(work, "add", "-A", "--", *(self.names or (".",)))
        git(work, "commit", "-q", "-m", "Message\n\nWhy")


@dataclass(frozen=True)
class Branch:
    name: str
    is_new: bool

    def ours(self, one: Workspace) -> None:
        one.switch(self.name, is_new=self.is_new)

    def theirs(self, work: Path) -> None:
        refuse_if((self.name in git(work, "branch", "--format=%(refname:short)").split()) == self.is_new)
        refuse_if(not self.is_new and bool(git(work, "status", "--porcelain")))
        git(work, "checkout", "-q", *(["-b"] if self.is_new else []), self.name)


Step = Write | Move | Delete | Restore | Commit | Branch


class NotDoneError(Exception):
    """It cannot be done there."""


def refuse_if(cannot: bool) -> None:
    if cannot:
        raise NotDoneError


def removed(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def without_empty_folders(work: Path) -> None:
    for place, _, _ in os.walk(work, topdown=False):
        if place != str(work) and ".git" not in Path(place).parts and not os.listdir(place):  # noqa: PTH208 - as told
            Path(place).rmdir()


@contextmanager
def refused(*errors: type[Exception]) -> Iterator[list[bool]]:
    answer = [False]
    try:
        yield answer
    except errors:
        answer[0] = True


steps = st.one_of(
    st.builds(Write, paths, texts),
    st.builds(Write, paths, texts),
    st.builds(Move, paths, paths),
    st.builds(Delete, paths),
    st.builds(Restore, names),
    st.just(Commit()),
    st.builds(Commit, st.lists(names, min_size=1, max_size=2, unique=True).map(tuple)),
    st.builds(Branch, branches, st.booleans()),
)


async def step(desk: Desk, work: Path, one: Step) -> None:
    with refused(NotDoneError) as theirs:
        one.theirs(work)
    without_empty_folders(work)
    with refused(Refusal) as ours:
        await desk.change("shop", one.ours)
    assert ours == theirs, one


def tree_of(work: Path) -> str:
    git(work, "add", "-A")
    return git(work, "write-tree")


def changes_of(work: Path) -> list[tuple[str, str]]:
    """What is not committed, as git tells it."""
    git(work, "add", "-A")
    told = git(work, "-c", "core.quotepath=false", "diff", "--cached", "--name-status", "--no-renames", "-z", "HEAD")
    parts = told.split("\0")
    kinds = {"A": "added", "M": "changed", "D": "deleted", "T": "changed"}
    return sorted((path, kinds[kind]) for kind, path in zip(parts[::2], parts[1::2], strict=False) if kind)


async def play(folder: Path, script: list[Step]) -> None:
    (folder / "server").mkdir()
    async with GitServer(folder / "server").serving() as server:
        bare = server.repository(files={"a/b": "begin\n", "é": "e\n", "a0": "zero\n"})
        bench, work = Bench(folder / "kept", protected=()), server.folder / "shop-work"
        await bench.desk().clone(f"{server.url}/shop.git", "", "shop", 20)
        for one in script:
            await step(bench.desk(), work, one)
            state = (await bench.desk().all())["shop"]
            assert state.tree == tree_of(work), one
            assert state.branch == (work / ".git/HEAD").read_text().strip().removeprefix("ref: refs/heads/")
        changed = await bench.desk().read("shop", lambda one: [(each.text, each.kind) for each in one.changed()])
        assert sorted(changed) == changes_of(work)
        for name, commit in (await bench.desk().all())["shop"].branches.items():
            await bench.desk().push("shop", name)
            assert git(bare, "rev-parse", name) == commit
            for what in ("--format=%T", "--format=%s %b"):
                assert git(bare, "log", what, name) == git(work, "log", what, name)
        git(bare, "fsck", "--strict", "--no-dangling")


@settings(max_examples=PLAYS, deadline=None)
@given(st.lists(steps, min_size=4, max_size=16))
def test_any_work_is_what_git_makes_of_the_same(script: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder), script))
