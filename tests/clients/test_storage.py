"""What both storages promise alike."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clients.azure_storage import AzureStorage
from clients.folder_storage import FolderStorage
from clients.storage import BATCH_BYTES, BATCH_ROWS, ConflictError, Row, Storage, StorageError
from tests.fakes.azurite import connection_string_of_azurite
from tests.fakes.storages import Place, place
from tests.sweeps import examples

pytestmark = pytest.mark.anyio

HEAD = Row("head", b"0")


def contents(rows: list[Row]) -> dict[str, bytes]:
    return {row.key: row.content for row in rows}


@pytest.mark.parametrize("kind", ["folder", "azurite"])
async def test_everything_reads_as_empty_before_it_is_prepared(kind: str, tmp_path: Path) -> None:
    async with place(kind, tmp_path / "not" / "there") as opened:
        storage = opened.storage
        assert await storage.scan("updates", "") == []
        assert await storage.read_rows("updates", ["a"]) == []
        await storage.remove_row("updates", "a")
        assert await storage.read_file("a") is None
        assert await storage.list_files("") == []
        await storage.remove_file("a")
        await storage.remove_row("updates", "a")


async def test_preparing_twice_changes_nothing(somewhere: Place) -> None:
    await somewhere.storage.put_row("p", Row("a", b"1"))
    await somewhere.of_another_process.prepare()
    assert contents(await somewhere.storage.scan("p", "")) == {"a": b"1"}


async def test_rows_come_sorted_by_key_and_only_those_of_the_prefix(somewhere: Place) -> None:
    storage = somewhere.storage
    for key in ["b:2", "b:10", "b:A", "b:a", "a:1", "c:1", "b:!", "b:-_.z"]:
        await storage.put_row("p", Row(key, key.encode()))
    await storage.put_row("other", Row("b:1", b""))
    found = [row.key for row in await storage.scan("p", "b:")]
    assert found == ["b:!", "b:-_.z", "b:10", "b:2", "b:A", "b:a"]
    assert [row.key for row in await storage.scan("p", "b:", limit=2)] == found[:2]
    assert [row.key for row in await storage.scan("p", "b:", limit=2, after=found[1])] == found[2:4]
    assert await storage.scan("p", "b:", after=found[-1]) == []
    assert len(await storage.scan("p", "")) == 8


async def test_those_rows_are_read_that_exist(somewhere: Place) -> None:
    storage = somewhere.storage
    await storage.put_row("p", Row("a", b"1"))
    await storage.put_row("p", Row("b", b"2"))
    assert contents(await storage.read_rows("p", ["a", "c", "b"])) == {"a": b"1", "b": b"2"}
    assert await storage.read_rows("p", []) == []


async def test_a_row_that_is_removed_is_gone_and_can_be_written_anew(somewhere: Place) -> None:
    storage = somewhere.storage
    for key in ("a", "b"):
        await storage.put_rows("p", Row(key, b"1"), [])
    await storage.remove_row("p", "a")
    await storage.remove_row("p", "a")
    await storage.remove_row("other", "b")
    assert contents(await somewhere.of_another_process.scan("p", "")) == {"b": b"1"}
    await storage.put_rows("p", Row("a", b"2"), [])
    assert contents(await storage.read_rows("p", ["a"])) == {"a": b"2"}


@pytest.mark.parametrize("size", [0, 1, 64 * 1024, 64 * 1024 + 1, 700 * 1024])
async def test_content_of_any_size_comes_back_as_it_was(somewhere: Place, size: int) -> None:
    content = os.urandom(size)
    await somewhere.storage.put_row("p", Row("a", content))
    assert contents(await somewhere.of_another_process.read_rows("p", ["a"])) == {"a": content}
    await somewhere.storage.put_row("p", Row("a", b"shorter"))
    assert contents(await somewhere.storage.scan("p", "")) == {"a": b"shorter"}


async def test_a_full_batch_is_written(somewhere: Place) -> None:
    rows = [Row(f"{number:03}", os.urandom(BATCH_BYTES // BATCH_ROWS)) for number in range(BATCH_ROWS)]
    await somewhere.storage.put_rows("p", HEAD, rows)
    assert contents(await somewhere.storage.scan("p", "")) == contents([HEAD, *rows])


async def test_more_rows_than_a_page_of_the_service_are_all_found(somewhere: Place) -> None:
    guard = HEAD
    for start in range(0, 1_100, 50):
        guard = await somewhere.storage.put_rows("p", guard, [Row(f"r{start + n:05}", b"") for n in range(50)])
    assert len(await somewhere.storage.scan("p", "r")) == 1_100
    assert len(await somewhere.storage.scan("p", "r", limit=1_050)) == 1_050


async def test_a_guard_lets_one_write_follow_the_other(somewhere: Place) -> None:
    first = await somewhere.storage.put_rows("p", HEAD, [Row("a", b"1")])
    second = await somewhere.storage.put_rows("p", Row("head", b"1", first.version), [Row("a", b"2")])
    assert second.version != first.version
    assert [row.version for row in await somewhere.of_another_process.read_rows("p", ["head"])] == [second.version]


@pytest.mark.parametrize("version", [None, "stale"])
async def test_a_write_whose_guard_has_moved_leaves_nothing(somewhere: Place, version: str | None) -> None:
    first = await somewhere.storage.put_rows("p", HEAD, [Row("a", b"1")])
    await somewhere.of_another_process.put_rows("p", Row("head", b"1", first.version), [Row("a", b"2")])
    stale = first.version if version else None
    with pytest.raises(ConflictError):
        await somewhere.storage.put_rows("p", Row("head", b"9", stale), [Row("a", b"9"), Row("b", b"9")])
    assert contents(await somewhere.storage.scan("p", "")) == {"head": b"1", "a": b"2"}


async def test_of_writers_at_once_one_wins_and_the_others_leave_nothing(somewhere: Place) -> None:
    async def write(storage: Storage, number: int) -> bool:
        try:
            await storage.put_rows("p", HEAD, [Row(f"{number}", b"")])
        except ConflictError:
            return False
        return True

    storages = [somewhere.storage, somewhere.of_another_process]
    won = await asyncio.gather(*(write(storages[number % 2], number) for number in range(8)))
    assert won.count(True) == 1
    assert {row.key for row in await somewhere.storage.scan("p", "")} == {"head", str(won.index(True))}


async def test_writers_at_once_who_try_again_lose_nothing(somewhere: Place) -> None:
    async def count_up(storage: Storage) -> None:
        heads = await storage.read_rows("p", ["head"])
        head = heads[0] if heads else HEAD
        number = int(head.content) + 1
        try:
            await storage.put_rows("p", Row("head", f"{number}".encode(), head.version), [Row(f"n{number}", b"")])
        except ConflictError:
            await count_up(storage)

    storages = [somewhere.storage, somewhere.of_another_process]
    rounds = examples(12)
    for _ in range(rounds):
        await asyncio.gather(*(count_up(storages[number % 2]) for number in range(8)))
    assert contents(await somewhere.storage.scan("p", "head")) == {"head": f"{8 * rounds}".encode()}
    assert len(await somewhere.storage.scan("p", "n")) == 8 * rounds


async def test_a_file_is_created_once(somewhere: Place) -> None:
    await somewhere.storage.create_file("a/b", b"1")
    with pytest.raises(ConflictError):
        await somewhere.of_another_process.create_file("a/b", b"2")
    stored = await somewhere.storage.read_file("a/b")
    assert stored
    assert stored.content == b"1"


async def test_a_large_file_comes_back_as_it_was(somewhere: Place) -> None:
    content = os.urandom(40 * 1024 * 1024)
    await somewhere.storage.create_file("large", content)
    stored = await somewhere.of_another_process.read_file("large")
    assert stored
    assert stored.content == content


async def test_files_are_listed_by_prefix_and_can_be_removed(somewhere: Place) -> None:
    for name in ["i/b", "i/a", "current.json"]:
        await somewhere.storage.create_file(name, b"")
    listed = await somewhere.storage.list_files("i/")
    assert [entry.name for entry in listed] == ["i/a", "i/b"]
    assert all(abs((datetime.now(UTC) - entry.written).days) < 365 for entry in listed)
    await somewhere.storage.remove_file("i/a")
    await somewhere.storage.remove_file("i/a")
    assert [entry.name for entry in await somewhere.storage.list_files("i/")] == ["i/b"]


async def leased(storage: Storage) -> tuple[str, str]:
    await storage.create_file("pointer", b"0")
    stored = await storage.read_file("pointer")
    lease = await storage.acquire("pointer", 60)
    assert stored
    assert lease
    return stored.version, lease


async def test_only_the_holder_of_the_lease_swaps_the_file(somewhere: Place) -> None:
    version, lease = await leased(somewhere.storage)
    assert await somewhere.of_another_process.acquire("pointer", 60) is None
    with pytest.raises(ConflictError):
        await somewhere.of_another_process.swap_file("pointer", b"9", version, lease="1e1e1e1e-" + lease[9:])
    version = await somewhere.storage.swap_file("pointer", b"1", version, lease)
    await somewhere.storage.swap_file("pointer", b"2", version, lease)
    stored = await somewhere.of_another_process.read_file("pointer")
    assert stored
    assert stored.content == b"2"


async def test_a_stale_version_swaps_nothing(somewhere: Place) -> None:
    version, lease = await leased(somewhere.storage)
    await somewhere.storage.swap_file("pointer", b"1", version, lease)
    with pytest.raises(ConflictError):
        await somewhere.storage.swap_file("pointer", b"2", version, lease)


async def test_a_released_lease_is_free_and_releasing_again_harms_nobody(somewhere: Place) -> None:
    version, lease = await leased(somewhere.storage)
    await somewhere.storage.release("pointer", lease)
    other = await somewhere.of_another_process.acquire("pointer", 60)
    assert other
    await somewhere.storage.release("pointer", lease)
    await somewhere.of_another_process.swap_file("pointer", b"1", version, other)


async def test_a_renewed_lease_keeps_others_out(somewhere: Place) -> None:
    _, lease = await leased(somewhere.storage)
    await somewhere.storage.renew("pointer", lease)
    assert await somewhere.of_another_process.acquire("pointer", 60) is None


async def test_a_lease_that_ran_out_is_free_and_worthless(somewhere: Place) -> None:
    version, lease = await leased(somewhere.storage)
    await somewhere.let_lease_run_out("pointer")
    with pytest.raises(ConflictError):
        await somewhere.storage.swap_file("pointer", b"1", version, lease)
    other = await somewhere.of_another_process.acquire("pointer", 60)
    assert other
    with pytest.raises(ConflictError):
        await somewhere.storage.renew("pointer", lease)
    await somewhere.of_another_process.swap_file("pointer", b"2", version, other)


async def test_of_many_at_once_one_gets_the_lease(somewhere: Place) -> None:
    await somewhere.storage.create_file("pointer", b"")
    storages = [somewhere.storage, somewhere.of_another_process] * 4
    leases = await asyncio.gather(*(storage.acquire("pointer", 60) for storage in storages))
    assert len([lease for lease in leases if lease]) == 1


async def test_azure_that_is_away_is_a_storage_error() -> None:
    gone = connection_string_of_azurite().replace("127.0.0.1", "127.0.0.2")
    storage = AzureStorage.from_connection_string(gone, "updates", retries=0)
    for call in (storage.prepare(), storage.scan("p", ""), storage.read_file("a"), storage.list_files("")):
        with pytest.raises(StorageError, match="Cannot reach"):
            await call
    await storage.close()


async def test_a_folder_that_cannot_be_used_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError):
        await FolderStorage(tmp_path / "file" / "store").read_file("a")


async def test_a_damaged_folder_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "storage.sqlite").write_bytes(os.urandom(8192))
    with pytest.raises(StorageError):
        await FolderStorage(tmp_path).scan("p", "")
