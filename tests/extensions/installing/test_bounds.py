"""The last that is allowed passes, and the first that is not is refused."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from clients.folder_storage import FolderStorage
from extensions.installing import downloading
from extensions.installing.downloading import Downloads
from extensions.installing.package import Package, PackagedServer, PackageKind, PackageLock, package_in
from extensions.installing.packages import Packages
from extensions.installing.unpacking import NotUnpackedError, UnpackTarget, parts_of, unpack
from extensions.upstream.process import Command
from refusal import Refusal
from tests.fakes.extension_sources.archives import tar_of, zip_of


@pytest.mark.parametrize(
    "name",
    [
        f"{'a' * 199}/{'b' * 199}/{'c' * 100}",
        "/".join("a" * 20),
        "a" * 200,
        "ä" * 100,
        "./a//b/",
        "a..b/...",
    ],
)
def test_a_file_in_an_archive_has_a_short_name_and_few_folders(name: str) -> None:
    assert parts_of(name) == [part for part in name.split("/") if part not in ("", ".")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (f"{'a' * 199}/{'b' * 199}/{'c' * 101}", "is not a valid file name"),
        ("/".join("a" * 21), "is not a valid file name"),
        ("a" * 201, "is not a valid file name"),
        ("ä" * 101, "is not a valid file name"),
        ("a\\b", "is not a valid file name"),
        ("a\nb", "is not a valid file name"),
        ("/a", "points outside its folder"),
        ("a/../b", "points outside its folder"),
        ("..", "points outside its folder"),
    ],
)
def test_another_name_is_not_unpacked(name: str, said: str) -> None:
    with pytest.raises(NotUnpackedError, match=said):
        parts_of(name)


@pytest.mark.parametrize("pack", [tar_of, zip_of])
@pytest.mark.parametrize(
    ("most_bytes", "most_entries", "told"), [(7, 4, ""), (6, 4, "more than 6 bytes"), (7, 3, "more than 3 files and")]
)
def test_an_archive_has_up_to_as_many_bytes_and_entries_as_are_allowed(
    tmp_path: Path, pack: Any, most_bytes: int, most_entries: int, told: str
) -> None:
    """Each folder is an entry, and counts once."""
    (tmp_path / "archive").write_bytes(pack(("a/b/one", b"1234"), ("a/b/two", b"567")))
    target = UnpackTarget(tmp_path / "files", most_bytes, most_entries)
    if told:
        with pytest.raises(NotUnpackedError, match=told):
            unpack(tmp_path / "archive", target, "a/b/one")
    else:
        unpack(tmp_path / "archive", target, "a/b/one")
        assert (tmp_path / "files/a/b/two").read_bytes() == b"567"


def write_into(folder: Path, content: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / "program").write_bytes(content)


class CountedRegistry:
    """A registry whose packages have no dependencies. It counts how often they are resolved."""

    def __init__(self) -> None:
        self.resolved_packages: list[Package] = []

    async def resolved(self, package: Package, _folder: Path) -> PackageLock:
        self.resolved_packages.append(package)
        return self.lock(package, str(package).encode())

    def lock(self, package: Package, content: bytes) -> PackageLock:
        return PackageLock(package, content, 1)

    async def install(self, lock: PackageLock, folder: Path, _fits: object) -> None:
        await asyncio.to_thread(write_into, folder, lock.content)

    def command(self, _server: PackagedServer, folder: Path) -> Command:
        return Command(words=(str(folder / "program"),), environment={})


async def test_a_package_is_resolved_again_after_ten_minutes(tmp_path: Path) -> None:
    registry = CountedRegistry()
    packages = Packages(tmp_path / "packages", lambda: FolderStorage(tmp_path / "kept"), {PackageKind.NPM: registry})
    one, two = package_in("npm:one@1.0.0"), package_in("npm:two@1.0.0")
    for now, package, resolved in (
        (0, one, 1),
        (300, two, 2),
        (599, one, 2),
        (600, one, 3),
        (899, two, 3),
        (900, two, 4),
    ):
        packages.clock = lambda now=now: float(now)  # type: ignore[misc]  # as in the loop
        assert (await packages.lock(package)).package == package
        assert len(registry.resolved_packages) == resolved
    await packages.close()


@pytest.mark.parametrize(("hours", "is_left"), [(0.9, True), (1.1, False)])
async def test_what_an_interrupted_installation_left_is_deleted_after_an_hour(
    tmp_path: Path, hours: float, *, is_left: bool
) -> None:
    left = tmp_path / "packages" / "making-other"
    left.mkdir(parents=True)
    os.utime(left, (0, time.time() - 3600 * hours))
    registry = CountedRegistry()
    packages = Packages(tmp_path / "packages", lambda: FolderStorage(tmp_path / "kept"), {PackageKind.NPM: registry})
    one = package_in("npm:one@1.0.0")
    command = await packages.command(PackagedServer(package=one, digest=(await packages.lock(one)).digest))
    assert [path.read_bytes() for path in (tmp_path / "packages").rglob("program")] == [b"npm:one@1.0.0"]
    assert command.words[0].startswith(str(tmp_path))
    assert left.exists() is is_left
    await packages.close()


@pytest.mark.parametrize(
    ("url", "session"),
    [
        ("https://files.example.com/a.zip", "public"),
        ("https://10.1.0.4/a.zip", "private"),
        ("https://files.example.com:8443/a.zip", "private"),
    ],
)
async def test_only_for_an_origin_of_the_operator_may_a_name_lead_to_a_private_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, session: str
) -> None:
    def opened(name: str) -> None:
        raise Refusal(name)

    monkeypatch.setattr(downloading, "public_session", lambda: opened("public"))
    monkeypatch.setattr(downloading, "session_over", lambda _: opened("private"))
    downloads = Downloads(("https://10.1.0.4", "https://files.example.com:8443"))
    with pytest.raises(Refusal, match=f"^{session}$"):
        await downloads.into(tmp_path / "a.zip", url)
