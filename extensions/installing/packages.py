"""Installs packaged servers, each in its own folder, and verifies the hash before each start.

A server is installed in a temporary folder that is renamed at the end, so a partly installed server is never started.
Locks are stored in shared storage, because a registry may later resolve different versions.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from clients.storage import ConflictError, Storage
from extensions.installing.package import Package, PackagedServer, PackageKind, PackageLock
from extensions.installing.tree import MOST_BYTES, digest_of, refuse_too_much
from extensions.upstream.failures import ServerUnreachableError
from extensions.upstream.process import Command
from refusal import Refusal

logger = logging.getLogger(__name__)

SECONDS_TO_WAIT: Final = 20.0
_TREE, _DIGEST = "tree", "digest"
_LOCKS: Final = "locks"
_SECONDS_TO_BE_READY: Final = 150.0
_SECONDS_OF_A_LOCK: Final = 600.0
_MAKING: Final = "making-"
_SECONDS_OF_MAKING: Final = 3600


class PackageRegistry(Protocol):
    async def resolved(self, package: Package, folder: Path) -> PackageLock: ...

    def lock(self, package: Package, content: bytes) -> PackageLock: ...

    async def install(self, lock: PackageLock, folder: Path, fits: Callable[[], None]) -> None: ...

    def command(self, server: PackagedServer, folder: Path) -> Command: ...


class Packages:
    def __init__(
        self,
        folder: Path,
        storage: Callable[[], Storage],
        registries: Mapping[PackageKind, PackageRegistry],
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._folder = folder
        self._open = storage
        self._storage: Storage | None = None
        self._registries = registries
        self._most = most_bytes
        self.clock: Callable[[], float] = time.monotonic
        self._locks: dict[Package, tuple[float, PackageLock]] = {}
        self._installing: dict[str, asyncio.Task[Path]] = {}

    async def ready(self, server: PackagedServer) -> None:
        """Wait for the installation of a package. This method waits longer for an installation than a tool call does.

        Raises:
            Refusal: The package cannot be installed, or the installation takes too long.
        """
        await self._there(server, _SECONDS_TO_BE_READY)

    async def command(self, server: PackagedServer) -> Command:
        """Install a package if necessary, and return its command. Raises Refusal if the hash is not confirmed yet."""
        if not server.digest:
            lock = await self.lock(server.package)
            raise ServerUnreachableError(
                f"{server.package} has no hash. With dependencies, {lock.count} packages would be installed. To"
                f" confirm these packages, add `hash: {lock.digest}` next to `package`."
            )
        folder = await self._there(server)
        return self._registries[server.package.kind].command(server, folder)

    async def lock(self, package: Package) -> PackageLock:
        """Return the lock of a package with the package's current dependencies. The lock is cached for a while."""
        # The lock is also stored with its digest as the key, because the installation looks up locks by digest.
        until, lock = self._locks.get(package, (0.0, None))
        if lock is None or self.clock() >= until:
            lock = await self._found_out(package)
            self._locks = {of: known for of, known in self._locks.items() if self.clock() < known[0]}
            self._locks[package] = self.clock() + _SECONDS_OF_A_LOCK, lock
        return lock

    async def _found_out(self, package: Package) -> PackageLock:
        self._folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=self._folder, prefix=_MAKING) as beside:
            lock = await self._registries[package.kind].resolved(package, Path(beside, "asked"))
        storage = self._kept()
        await storage.prepare()
        with suppress(ConflictError):  # the same lock already exists
            await storage.create_file(_file_of(lock.digest), lock.content)
        return lock

    async def close(self) -> None:
        for task in list(self._installing.values()):
            task.cancel()
        await asyncio.gather(*self._installing.values(), return_exceptions=True)
        if self._storage:
            await self._storage.close()

    async def _there(self, server: PackagedServer, seconds: float = SECONDS_TO_WAIT) -> Path:
        """Wait for the installation of a package.

        Callers share one installation, which continues even if all callers stop waiting.
        """
        task = self._installing.get(server.digest)
        if task is None:
            task = self._installing[server.digest] = asyncio.create_task(self._checked(server))
            task.add_done_callback(lambda _: self._installing.pop(server.digest, None))
        done, _ = await asyncio.wait([task], timeout=seconds)
        if not done:
            raise ServerUnreachableError(f"{server.package} is being installed. Try again in a minute.")
        return task.result()

    async def _checked(self, server: PackagedServer) -> Path:
        place = self._folder / _name_of(server)
        was = await asyncio.to_thread(_is_as_it_was, place)
        if was:
            return place / _TREE
        if was is False:
            logger.warning("The installed files of %s have changed; reinstalling the package.", server.package)
            await asyncio.to_thread(shutil.rmtree, place)
        await self._install(await self._locked(server), place)
        return place / _TREE

    async def _locked(self, server: PackagedServer) -> PackageLock:
        kept = await self._kept().read_file(_file_of(server.digest))
        if kept and f"sha256:{hashlib.sha256(kept.content).hexdigest()}" == server.digest:
            return self._registries[server.package.kind].lock(server.package, kept.content)
        lock = await self.lock(server.package)
        if lock.digest != server.digest:
            raise ServerUnreachableError(
                f"The dependencies of {server.package} do not match the expected hash; the new hash is {lock.digest}."
                " Nothing was installed."
            )
        return lock

    async def _install(self, lock: PackageLock, place: Path) -> None:
        await asyncio.to_thread(_swept, self._folder)
        with TemporaryDirectory(dir=self._folder, prefix=_MAKING) as beside:
            made = Path(beside, "made")
            tree = made / _TREE
            await self._registries[lock.package.kind].install(lock, tree, lambda: refuse_too_much(tree, self._most))
            digest = await asyncio.to_thread(_looked_through, tree, self._most)
            await asyncio.to_thread(_put_into_place, made, place, digest)

    def _kept(self) -> Storage:
        self._storage = self._storage or self._open()
        return self._storage


def _looked_through(tree: Path, most_bytes: int) -> str:
    refuse_too_much(tree, most_bytes)
    return digest_of(tree)


def _put_into_place(made: Path, place: Path, digest: str) -> None:
    (made / _DIGEST).write_text(digest, encoding="ascii")
    try:
        made.rename(place)
    except OSError:
        if not place.exists():  # if the folder exists, another process installed the package first
            raise


def _swept(folder: Path) -> None:
    """Create the folder if necessary, and delete leftovers of interrupted installations."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(f"{_MAKING}*"):
        if time.time() - left.stat().st_mtime > _SECONDS_OF_MAKING:
            shutil.rmtree(left, ignore_errors=True)


def _is_as_it_was(place: Path) -> bool | None:
    """Check whether an installed folder is unchanged. Return None if the folder does not exist."""
    if not place.exists():
        return None
    try:
        return (place / _DIGEST).read_text(encoding="ascii") == digest_of(place / _TREE)
    except (OSError, UnicodeError, Refusal):
        return False


def _file_of(digest: str) -> str:
    return f"{_LOCKS}/{digest.removeprefix('sha256:')}.json"


def _name_of(server: PackagedServer) -> str:
    words = server.package.name.replace("@", "").replace("/", "-").lower()
    return f"{server.package.kind}-{words}-{server.package.version}-{server.digest.removeprefix('sha256:')[:16]}"
