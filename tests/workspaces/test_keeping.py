"""What is kept of workspaces, and for how long."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dulwich.objects import Blob

from clients.folder_files import FolderFiles
from refusal import Refusal
from workspaces.keeping import KeptWorkspace, WorkspaceKeeper
from workspaces.packs import IndexedPack, packed_objects
from workspaces.state import WorkspaceState

# More than one listing of a storage account brings.
MANY = 1100


async def test_the_sweep_reaches_packs_that_nobody_names_however_many_there_are(tmp_path: Path) -> None:
    leave_packs(tmp_path, (datetime.now(UTC) - timedelta(days=30)).timestamp())
    await WorkspaceKeeper(FolderFiles(tmp_path), 50, 7).sweep(datetime.now(UTC))
    assert packs(tmp_path) == []


def leave_packs(folder: Path, modified: float) -> None:
    for number in range(MANY):
        pack = folder / "ada" / f"{number:04}" / "unnamed.pack"
        pack.parent.mkdir(parents=True)
        pack.write_bytes(b"PACK")
        os.utime(pack, (modified, modified))


def packs(folder: Path) -> list[Path]:
    return list(folder.rglob("*.pack"))


NOW = datetime(2026, 6, 1, tzinfo=UTC)
STATE = WorkspaceState(url="https://git.example.com/a", branch="main", made=NOW, used=NOW, tree="0" * 40)


def pack(*contents: bytes) -> IndexedPack:
    return packed_objects(map(Blob.from_string, contents))


@pytest.fixture
def keeper(tmp_path: Path) -> WorkspaceKeeper:
    return WorkspaceKeeper(FolderFiles(tmp_path), 1, 7)


async def kept(keeper: WorkspaceKeeper, *new: IndexedPack, folder: str = "ada/shop") -> KeptWorkspace:
    return await keeper.save(KeptWorkspace(folder, STATE, "", {}), STATE, new)


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.rglob("*") if file.is_file()}


async def test_a_workspace_is_opened_as_it_was_kept(keeper: WorkspaceKeeper, tmp_path: Path) -> None:
    assert await keeper.open("ada/shop") is None
    made = await kept(keeper, pack(b"a"), pack(b"b"))
    for reader in (keeper, WorkspaceKeeper(FolderFiles(tmp_path), 1, 7)):
        for _ in range(2):
            opened = await reader.open("ada/shop")
            assert opened is not None
            assert (opened.state, opened.version) == (made.state, made.version)
            assert {name: one.data for name, one in opened.packs.items()} == {
                name: one.data for name, one in made.packs.items()
            }
    assert [folder async for folder, _ in keeper.states("ada")] == ["ada/shop"]


async def test_a_workspace_of_which_a_part_is_missing_is_not_opened(keeper: WorkspaceKeeper, tmp_path: Path) -> None:
    (name,) = (await kept(keeper, pack(b"a"))).packs
    for ending in ("pack", "idx"):
        file = the_one(tmp_path, f"{name}.{ending}")
        content = file.read_bytes()
        file.unlink()
        with pytest.raises(Refusal, match="Part of this workspace is missing"):
            await WorkspaceKeeper(FolderFiles(tmp_path), 1, 7).open("ada/shop")
        file.write_bytes(content)


async def test_a_workspace_has_as_many_megabytes_as_are_allowed(keeper: WorkspaceKeeper, tmp_path: Path) -> None:
    large = pack(os.urandom(700_000))
    made = await kept(keeper, large)
    with pytest.raises(Refusal, match="would exceed 1 MB"):
        await keeper.save(made, STATE, [pack(os.urandom(700_000))])
    exact = WorkspaceKeeper(FolderFiles(tmp_path / "exact"), 0, 7)
    exact._most = large.size  # noqa: SLF001 - to the byte
    await kept(exact, large)
    exact._most -= 1  # noqa: SLF001
    with pytest.raises(Refusal, match="would exceed"):
        await kept(exact, large, folder="ada/other")


async def test_of_two_changes_at_once_one_is_kept(keeper: WorkspaceKeeper) -> None:
    made = await kept(keeper, pack(b"a"))
    await keeper.save(made, replace(STATE, branch="one"), [])
    with pytest.raises(Refusal, match="at the same time"):
        await keeper.save(made, replace(STATE, branch="two"), [])


async def test_small_packs_become_one_from_the_twelfth_on(keeper: WorkspaceKeeper) -> None:
    made = await kept(keeper, *(pack(f"{number}".encode()) for number in range(11)))
    assert len(made.packs) == 11
    joined = await keeper.save(made, STATE, [pack(b"11")])
    assert len(joined.packs) == 1
    store = joined.objects()
    assert all(Blob.from_string(f"{number}".encode()).id in store for number in range(12))
    store.close()


async def test_what_is_dropped_is_gone_unless_it_changed(keeper: WorkspaceKeeper, tmp_path: Path) -> None:
    made = await kept(keeper, pack(b"a"))
    await kept(keeper, pack(b"b"), folder="ada/other")
    changed = await keeper.save(made, replace(STATE, branch="other"), [])
    with pytest.raises(Refusal, match="Nothing was dropped"):
        await keeper.drop("ada/shop", made.version)
    assert len(names(tmp_path)) == 5
    await keeper.drop("ada/shop", changed.version)
    assert not list((tmp_path / "ada/shop").rglob("*.*"))
    assert await keeper.open("ada/other") is not None
    with pytest.raises(Refusal, match="Nothing was dropped"):
        await keeper.drop("ada/shop", changed.version)


@pytest.mark.parametrize(("since", "is_kept"), [(timedelta(days=7), True), (timedelta(days=7, seconds=1), False)])
async def test_a_workspace_is_kept_for_so_many_days(
    keeper: WorkspaceKeeper, tmp_path: Path, since: timedelta, is_kept: bool
) -> None:
    await kept(keeper, pack(b"a"))
    state = the_one(tmp_path, "state.json")
    age(tmp_path, NOW - timedelta(days=30))
    os.utime(state, ((NOW - since).timestamp(),) * 2)
    await keeper.sweep(NOW)
    assert len(names(tmp_path)) == (3 if is_kept else 0)


@pytest.mark.parametrize(("since", "is_kept"), [(timedelta(hours=1), True), (timedelta(hours=1, seconds=1), False)])
async def test_a_pack_that_nobody_names_is_kept_for_an_hour(
    keeper: WorkspaceKeeper, tmp_path: Path, since: timedelta, is_kept: bool
) -> None:
    await kept(keeper, pack(b"a"))
    for ending in ("pack", "idx", "txt"):
        (tmp_path / "ada/shop" / f"unnamed.{ending}").write_bytes(b"x")
    age(tmp_path, NOW - since)
    await keeper.sweep(NOW)
    assert {name for name in names(tmp_path) if name.startswith("unnamed")} == (
        {"unnamed.pack", "unnamed.idx", "unnamed.txt"} if is_kept else {"unnamed.txt"}
    )
    assert await keeper.open("ada/shop") is not None


def the_one(folder: Path, name: str) -> Path:
    (file,) = folder.rglob(name)
    return file


def age(folder: Path, modified: datetime) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            os.utime(file, (modified.timestamp(),) * 2)
