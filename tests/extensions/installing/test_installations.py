"""Installations in a folder: resolved once in a while, made once, and whole or not there. The registry is a fake."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from clients.folder_storage import FolderStorage
from extensions.installing.package import Package, PackagedServer, PackageKind, PackageLock, package_in
from extensions.installing.packages import Packages
from extensions.upstream.failures import ServerUnreachableError
from extensions.upstream.process import Command

DOCS = package_in("npm:docs@1.0.0")
BOOKS = package_in("npm:books@1.0.0")


def write_into(folder: Path, content: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / "program").write_bytes(content)


class CountedRegistry:
    """A registry whose packages have no dependencies. It counts how often they are resolved and installed."""

    def __init__(self) -> None:
        self.dependencies = b""
        self.resolved_packages: list[Package] = []
        self.installed_packages: list[Package] = []
        self.may_install = asyncio.Event()
        self.may_install.set()
        self.meanwhile: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)

    async def resolved(self, package: Package, _folder: Path) -> PackageLock:
        self.resolved_packages.append(package)
        return self.lock(package, str(package).encode() + self.dependencies)

    def lock(self, package: Package, content: bytes) -> PackageLock:
        return PackageLock(package, content, 1)

    async def install(self, lock: PackageLock, folder: Path, _fits: object) -> None:
        self.installed_packages.append(lock.package)
        await self.may_install.wait()
        await asyncio.to_thread(write_into, folder, lock.content)
        await self.meanwhile()

    def command(self, _server: PackagedServer, folder: Path) -> Command:
        return Command(words=(str(folder / "program"),), environment={})


class Shop:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / "packages"
        self.registry = CountedRegistry()
        self.storage = FolderStorage(folder / "kept")
        self.packages = Packages(self.folder, lambda: self.storage, {PackageKind.NPM: self.registry})

    async def wanted(self, package: Package = DOCS) -> PackagedServer:
        return PackagedServer(package=package, digest=(await self.packages.lock(package)).digest)

    def programs(self) -> list[bytes]:
        return [path.read_bytes() for path in self.folder.rglob("program")]


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    opened = Shop(tmp_path)
    yield opened
    await opened.packages.close()


async def test_a_package_is_resolved_again_after_ten_minutes(shop: Shop) -> None:
    now = 0.0
    shop.packages.clock = lambda: now
    for moment, package, count in (
        (0, DOCS, 1),
        (300, BOOKS, 2),
        (599, DOCS, 2),
        (600, DOCS, 3),
        (899, BOOKS, 3),
        (900, BOOKS, 4),
    ):
        now = moment
        assert (await shop.packages.lock(package)).package == package
        assert len(shop.registry.resolved_packages) == count


@pytest.mark.parametrize(("hours", "is_left"), [(0.9, True), (1.1, False)])
async def test_what_an_interrupted_installation_left_is_deleted_after_an_hour(
    shop: Shop, hours: float, *, is_left: bool
) -> None:
    left = shop.folder / "making-other"
    left.mkdir(parents=True)
    os.utime(left, (0, time.time() - 3600 * hours))
    command = await shop.packages.command(await shop.wanted())
    assert command.words[0].startswith(str(shop.folder))
    assert shop.programs() == [b"npm:docs@1.0.0"]
    assert left.exists() is is_left


async def test_an_installation_goes_on_when_its_caller_waits_no_longer(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extensions.installing.packages._SECONDS_TO_BE_READY", 0.001)
    shop.registry.may_install.clear()
    server = await shop.wanted()
    for _ in range(2):
        with pytest.raises(ServerUnreachableError, match=r"docs@1\.0\.0 is being installed"):
            await shop.packages.ready(server)
    shop.registry.may_install.set()
    await shop.packages.command(server)
    await shop.packages.ready(server)
    assert (shop.registry.installed_packages, shop.programs()) == ([DOCS], [b"npm:docs@1.0.0"])


async def test_files_that_have_changed_are_installed_again_with_a_warning(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    server = await shop.wanted()
    for _ in range(2):
        await shop.packages.command(server)
    assert (len(shop.registry.installed_packages), caplog.text) == (1, "")
    (program,) = shop.folder.rglob("program")
    program.write_bytes(b"another program")
    await shop.packages.command(server)
    assert (len(shop.registry.installed_packages), shop.programs()) == (2, [b"npm:docs@1.0.0"])
    assert "The installed files of npm:docs@1.0.0 have changed" in caplog.text


async def test_an_installation_of_another_process_is_used_if_it_was_first(shop: Shop) -> None:
    server = await shop.wanted()
    other = Shop(shop.folder.parent)
    shop.registry.meanwhile = lambda: other.packages.command(server)
    await shop.packages.command(server)
    assert (shop.registry.installed_packages, other.registry.installed_packages) == ([DOCS], [DOCS])
    assert shop.programs() == [b"npm:docs@1.0.0"]
    assert [path.name.partition("-")[0] for path in shop.folder.iterdir()] == ["npm"]


@pytest.mark.parametrize("stored", [None, b"another lock"])
async def test_a_lock_that_is_lost_or_changed_is_resolved_again_and_must_have_its_hash(
    shop: Shop, stored: bytes | None
) -> None:
    server = await shop.wanted()
    shop.storage = other = FolderStorage(shop.folder.parent / "other")
    if stored is not None:
        await other.create_file(f"locks/{server.digest.removeprefix('sha256:')}.json", stored)
    again = Packages(shop.folder, lambda: other, {PackageKind.NPM: shop.registry})
    shop.registry.dependencies = b" newer"
    with pytest.raises(
        ServerUnreachableError, match=r"do not match the expected hash; the new hash is sha256:\w{64}\. Nothing was"
    ):
        await again.command(server)
    assert shop.programs() == []
    shop.registry.dependencies = b""
    again.clock = lambda: time.monotonic() + 601
    await again.command(server)
    assert shop.programs() == [b"npm:docs@1.0.0"]
    await again.close()


async def test_a_stored_lock_is_used_without_resolving_again(shop: Shop) -> None:
    server = await shop.wanted()
    shop.registry.dependencies = b" newer"
    again = Packages(shop.folder, lambda: shop.storage, {PackageKind.NPM: shop.registry})
    await again.command(server)
    assert (len(shop.registry.resolved_packages), shop.programs()) == (1, [b"npm:docs@1.0.0"])
    await again.close()
