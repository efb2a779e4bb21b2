"""A process that ends anywhere in a call loses nothing of what was there, and the same call ends well after it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

import pytest
from aiohttp import web

from clients.files import Files
from clients.folder_files import FolderFiles
from clients.storage import Storage, StorageError
from refusal import Refusal
from tests.fakes.mortality import KilledError, Life
from tests.fakes.workspaces.git_server import GitServer, git
from tests.sweeps import share
from tests.workspaces.bench import ADA
from workspaces.keeping import WorkspaceKeeper
from workspaces.remote_repository import RemoteRepository, checked_url
from workspaces.workspaces import Desk, Workspaces

pytestmark = pytest.mark.anyio

NOW: Final = datetime(2026, 11, 23, 9, tzinfo=UTC)
Step = Callable[[Desk], Awaitable[Any]]


@dataclass
class Town:
    """A server, and a folder with workspaces in which instances come and go."""

    folder: Path
    server: GitServer
    # What merges and sweeps go by: it stands still, so that a repeat makes the same, and is the time of the files.
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def files(self) -> FolderFiles:
        return FolderFiles(self.folder)

    def desk(self, files: Files | None = None) -> Desk:
        keeper = WorkspaceKeeper(files or self.files, 50, 7)
        return Desk(Workspaces(keeper, ("main",), lambda: self.now), "ada", self._sign_in)

    def mortal(self, life: Life) -> Desk:
        return self.desk(cast("Files", life.of(cast("Storage", self.files))))

    async def _sign_in(self, url: str) -> RemoteRepository:
        return RemoteRepository(checked_url(url, ["127.0.0.1"]))

    async def clone(self, desk: Desk) -> object:
        return await desk.clone(f"{self.server.url}/shop.git", "", "shop", 20)

    async def seen(self) -> tuple[object, ...]:
        """What a caller finds: the state but for its packs, and the files."""
        desk = self.desk()
        every = await desk.all()
        if "shop" not in every:
            return ()
        state = every["shop"]
        files = await desk.read("shop", lambda one: [(each.path, each.id) for each in one.entries("")])
        return state.branch, state.tree, state.branches, state.remote, state.merging, tuple(files)


@pytest.fixture
async def town(tmp_path: Path) -> AsyncIterator[Town]:
    (tmp_path / "server").mkdir()
    async with GitServer(tmp_path / "server").serving() as server:
        server.repository()
        yield Town(tmp_path / "kept", server)


async def write(desk: Desk) -> object:
    return await desk.change("shop", lambda one: one.write("new.txt", b"new\n", ""))


async def commit(desk: Desk) -> object:
    return await desk.change("shop", lambda one: one.commit("New", ADA, NOW, ()))


async def branch(desk: Desk) -> object:
    return await desk.change("shop", lambda one: one.switch("feature", is_new=True))


async def push(desk: Desk) -> object:
    return await desk.push("shop", "")


async def pull(desk: Desk) -> object:
    return await desk.pull("shop", ADA, keeps_conflicts=False)


async def drop(desk: Desk) -> object:
    await desk.drop("shop")
    return None


STORIES: Final[dict[str, tuple[tuple[Step, ...], Step]]] = {
    "write": ((), write),
    "commit": ((write,), commit),
    "branch": ((write,), branch),
    "push": ((branch, write, commit), push),
    "pull": ((write, commit), pull),
    "drop": ((write,), drop),
}


@pytest.mark.parametrize("story", STORIES)
async def test_whatever_a_call_is_killed_in_the_workspace_is_as_before_or_after_and_a_repeat_ends_well(
    town: Town, story: str
) -> None:
    before, last = STORIES[story]
    await town.clone(town.desk())
    for step in before:
        await step(town.desk())
    if story == "pull":
        town.server.commit("shop", {"theirs.txt": "theirs\n"}, "Theirs")
    kept, server = saved(town.folder), saved(town.server.folder / "shop.git")
    began, life = await town.seen(), Life()
    await last(town.mortal(life))
    ended = await town.seen()
    for step_of_end in share(ends(life), every=3):
        restore(kept, town.folder)
        restore(server, town.server.folder / "shop.git")
        with pytest.raises(KilledError):
            await last(town.mortal(Life(step_of_end)))
        found = await town.seen()
        assert without_remote(found) in (without_remote(began), without_remote(ended))
        if found != ended:
            await last(town.desk())
        assert await town.seen() == ended


def ends(life: Life) -> list[int]:
    """Before each use of the files, and after the last: between two of them nothing of them changes."""
    return [*range(1, life.steps + 1, 2), life.steps]


def without_remote(seen: tuple[object, ...]) -> tuple[object, ...]:
    """A pull notes what the server has before it takes it."""
    return (*seen[:3], *seen[4:])


def saved(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def restore(files: dict[Path, bytes], folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder) not in files:
            path.unlink()
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or place.read_bytes() != content:
            place.unlink(missing_ok=True)
            place.write_bytes(content)


async def test_a_clone_that_is_killed_anywhere_can_be_repeated(town: Town) -> None:
    life = Life()
    await town.clone(town.mortal(life))
    ended = await town.seen()
    for last in share(ends(life), every=3):
        await town.desk().drop("shop")
        with pytest.raises(KilledError):
            await town.clone(town.mortal(Life(last)))
        if await town.seen() == ():
            await town.clone(town.desk())
        assert await town.seen() == ended


@pytest.mark.parametrize("story", ["write", "commit", "push"])
async def test_storage_that_is_away_for_a_moment_loses_nothing(town: Town, story: str) -> None:
    before, last = STORIES[story]
    await town.clone(town.desk())
    for step in before:
        await step(town.desk())
    began = await town.seen()
    with pytest.raises(StorageError):
        await last(town.mortal(Life(outages=[1])))
    assert await town.seen() == began
    await last(town.desk())


class Forgetful(GitServer):
    """Takes what is pushed, and breaks off before it says so."""

    forgets = False

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        answer = await super()._answer(request)
        if self.forgets and request.path.endswith("git-receive-pack"):
            self.forgets = False
            return web.Response(status=502)
        return answer


async def test_a_push_whose_answer_is_lost_ends_well_when_it_is_repeated(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    server = Forgetful(tmp_path / "server")
    async with server.serving():
        server.repository()
        town = Town(tmp_path / "kept", server)
        await town.clone(town.desk())
        for step in (branch, write, commit):
            await step(town.desk())
        server.forgets = True
        with pytest.raises(Refusal):
            await push(town.desk())
        taken = git(server.folder / "shop.git", "rev-parse", "feature")
        await push(town.desk())
        state = (await town.desk().all())["shop"]
        assert state.head == state.remote["feature"] == taken


class Meanwhile:
    """Files with which something else happens just before one of them is written or deleted, once."""

    def __init__(self, files: Files, does: str, ending: str, meanwhile: Callable[[], Awaitable[object]]) -> None:
        self._files, self._does, self._ending = files, does, ending
        self._meanwhile: Callable[[], Awaitable[object]] | None = meanwhile

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._files, name)

        async def call(path: str, *rest: Any) -> Any:
            if name == self._does and path.endswith(self._ending) and self._meanwhile:
                meanwhile, self._meanwhile = self._meanwhile, None
                await meanwhile()
            return await method(path, *rest)

        return call


def files_with(town: Town, does: str, ending: str, meanwhile: Callable[[], Awaitable[object]]) -> Files:
    return cast("Files", Meanwhile(town.files, does, ending, meanwhile))


async def other(desk: Desk) -> object:
    return await desk.change("shop", lambda one: one.write("other.txt", b"other\n", ""))


@pytest.mark.parametrize("story", ["write", "commit", "branch", "pull"])
async def test_of_two_calls_at_once_one_is_told_and_the_other_is_kept(town: Town, story: str) -> None:
    before, last = STORIES[story]
    await town.clone(town.desk())
    for step in before:
        await step(town.desk())
    if story == "pull":
        town.server.commit("shop", {"theirs.txt": "theirs\n"}, "Theirs")
    first = town.desk(files_with(town, "write", "state.json", lambda: other(town.desk())))
    with pytest.raises(Refusal, match="at the same time"):
        await last(first)
    assert await town.desk().read("shop", lambda one: one.content("other.txt")[1]) == b"other\n"


async def test_of_two_clones_of_one_name_at_once_one_is_told(town: Town) -> None:
    first = town.desk(files_with(town, "write", "state.json", lambda: town.clone(town.desk())))
    with pytest.raises(Refusal):
        await town.clone(first)
    assert len(await town.desk().all()) == 1
    await write(town.desk())


async def test_what_is_written_during_a_push_is_kept(town: Town) -> None:
    await town.clone(town.desk())
    for step in (branch, write, commit):
        await step(town.desk())
    done = await asyncio.gather(push(town.desk()), other(town.desk()), return_exceptions=True)
    assert all(isinstance(one, Refusal) for one in done if isinstance(one, BaseException))
    await push(town.desk())
    if not isinstance(done[1], BaseException):
        assert await town.desk().read("shop", lambda one: one.content("other.txt")[1]) == b"other\n"


def made_old(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (1, 1))


async def test_a_workspace_that_is_used_again_while_it_is_swept_stays_whole(town: Town) -> None:
    await town.clone(town.desk())
    made_old(town.folder)
    swept = files_with(town, "delete", "state.json", lambda: write(town.desk()))
    await WorkspaceKeeper(swept, 50, 7).sweep(datetime.now(UTC))
    assert await town.desk().read("shop", lambda one: one.content("new.txt")[1]) == b"new\n"


async def test_a_repeat_long_after_a_kill_is_not_swept(town: Town) -> None:
    await town.clone(town.desk())
    life = Life()
    kept = saved(town.folder)
    await write(town.mortal(life))
    state = next(town.folder.rglob("state.json"))
    state.write_bytes(kept[state.relative_to(town.folder)])
    made_old(town.folder)
    os.utime(state)
    sweep = WorkspaceKeeper(town.files, 50, 7).sweep
    await write(town.desk(files_with(town, "write", "state.json", lambda: sweep(datetime.now(UTC)))))
    assert await town.desk().read("shop", lambda one: one.content("new.txt")[1]) == b"new\n"


async def test_a_clone_during_a_drop_of_the_same_name_stays_whole(town: Town) -> None:
    await town.clone(town.desk())
    await write(town.desk())
    await town.desk(files_with(town, "delete", ".idx", lambda: town.clone(town.desk()))).drop("shop")
    if "shop" in await town.desk().all():
        await town.desk().read("shop", lambda one: one.content("README.md"))
