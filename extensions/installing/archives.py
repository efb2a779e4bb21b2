"""Installs program archives from azd registries.

Each archive is verified by its hash and unpacked in a separate process.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from yarl import URL

from extensions.installing.downloading import Downloads
from extensions.installing.package import Package, PackagedServer, PackageLock
from extensions.installing.running import run
from extensions.installing.tree import MOST_BYTES, MOST_FILES
from extensions.registries.machines import machine
from extensions.registries.offer import OfferedPackage as Offered
from extensions.registries.offer import Origin, ServerOffer
from extensions.upstream.process import Command
from refusal import Refusal

UNPACKING: Final = Path(__file__).with_name("unpacking.py")
_FORMS: Final = (".zip", ".tar.gz", ".tgz")
_ARCHIVE, _FILES, _LOCK = "archive", "files", "lock.json"
_PROGRAM: Final = re.compile(r"(?:[A-Za-z0-9_.+-]{1,100}/){0,10}[A-Za-z0-9_.+-]{1,100}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True)
class Archives:
    # A function that finds the offer of a package in the operator's sources, by name and version.
    offered: Callable[[Package], Awaitable[ServerOffer]]
    downloads: Downloads
    most_bytes: int = MOST_BYTES
    most_entries: int = MOST_FILES

    async def resolved(self, package: Package, _folder: Path) -> PackageLock:
        """Create a lock from the source's data about an archive. Nothing is downloaded.

        Raises:
            Refusal: No source lists the archive, or the archive is not available for this kind of machine.
        """
        offer = await self.offered(package)
        offered = next((one for one in offer.packages if one.origin is Origin.AZD), None)
        if offered is None:
            there = ", ".join(offer.other_ways) or "for none"
            raise Refusal(f"{package} is not available for {machine()}. Available: {there}.")
        check_archive(offered)
        return self.lock(package, _locked(package, offered))

    def lock(self, package: Package, content: bytes) -> PackageLock:
        """Parse a stored lock.

        Raises:
            Refusal: The lock does not match this machine and this package.
        """
        about = json.loads(content)
        if about["machine"] != machine():
            raise Refusal(f"{package} was locked for another machine: {about['machine']}.")
        if about["package"] != str(package):
            raise Refusal(f"The source has a different version of {package}.")
        return PackageLock(package, content, 1, about["address"])

    async def install(self, lock: PackageLock, folder: Path, fits: Callable[[], None]) -> None:
        """Download and unpack an archive.

        Raises Refusal if the archive does not match the lock, or exceeds the limits.
        """
        about = json.loads(lock.content)
        archive = _begun(folder) / _ARCHIVE
        if await self.downloads.into(archive, lock.address) != about["sha256"]:
            raise Refusal(f"The content of {lock.address} does not match the hash of {lock.package}.")
        try:
            await self._unpack(archive, folder, about["program"], fits)
        except Refusal as refusal:
            raise Refusal(f"The archive of {lock.package} could not be unpacked. {refusal}") from None
        archive.unlink()
        (folder / _LOCK).write_bytes(lock.content)

    async def _unpack(self, archive: Path, folder: Path, program: str, fits: Callable[[], None]) -> None:
        bounds = (str(self.most_bytes), str(self.most_entries))
        words = [sys.executable, "-I", "-S", str(UNPACKING), str(archive), str(folder / _FILES), program]
        await run([*words, *bounds], folder, {}, fits)

    def command(self, server: PackagedServer, folder: Path) -> Command:
        """Return the start command. The entry's arguments and variables override those from the source."""
        about: Mapping[str, Any] = json.loads((folder / _LOCK).read_bytes())
        program = str((folder / _FILES / about["program"]).resolve())
        words = server.arguments or about["arguments"]
        environment = {**about["environment"], **server.environment}
        return Command(words=(program, *words), environment=environment, folder=server.folder)


def check_archive(offered: Offered) -> None:
    """Raise Refusal if an archive has no hash, an unsupported format, or a program with an invalid path."""
    where = offered.identifier
    if not offered.digest:
        raise Refusal(f"The source has no sha256 for {where}, so the content cannot be verified.")
    if not _path(where).endswith(_FORMS):
        raise Refusal(f"{where} is not an archive: its name must end with one of {', '.join(_FORMS)}.")
    if not _PROGRAM.fullmatch(offered.program) or {".", ".."} & {*offered.program.split("/")}:
        raise Refusal(
            f"The source names the program {offered.program[:100]!r}, which is not a valid path in an archive."
        )
    if strays := [one.name for one in offered.variables if not _VARIABLE.fullmatch(one.name)]:
        raise Refusal(f"The source sets {strays[0][:100]!r}, which is not a valid variable name.")


def _begun(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _path(address: str) -> str:
    try:
        return URL(address).path.lower()
    except ValueError:
        return ""


def _locked(package: Package, offered: Offered) -> bytes:
    document = {
        "package": str(package),
        "machine": machine(),
        "address": offered.identifier,
        "sha256": offered.digest.removeprefix("sha256:"),
        "program": offered.program,
        "arguments": list(offered.arguments),
        "environment": {one.name: one.default for one in offered.variables if one.default},
    }
    return json.dumps(document, sort_keys=True).encode()
