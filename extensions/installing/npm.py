"""Installs npm packages: checks their integrity hashes, skips install scripts, and starts the packages with Node.js."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from extensions.installing.package import Package, PackagedServer, PackageLock
from extensions.installing.running import run
from extensions.upstream.process import Command
from refusal import Refusal

REGISTRY: Final = "https://registry.npmjs.org"
MOST_PACKAGES: Final = 2_000
_LOCK: Final = "package-lock.json"
_NAME, _VERSION = "extension", "0.0.0"
# The placeholder for the URL of the registry in a lock.
_HERE: Final = "registry://"
_COUNTS: Final = (
    *("name", "version", "resolved", "integrity", "link", "inBundle", "bin", "os", "cpu", "libc", "optional", "peer"),
    *("dependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta", "bundleDependencies"),
)
_LARGEST_LOCK: Final = 8 * 1024 * 1024
_INTEGRITY: Final = re.compile(r"sha512-[A-Za-z0-9+/]{86}==")
_PLACE: Final = re.compile(r"(?:node_modules/(?:@[^/@.][^/]*/)?[^/@.][^/]*/?)+")
_OPTIONS: Final = (
    "--ignore-scripts",
    "--omit=dev",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--loglevel=error",
    "--logs-max=0",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=200",
)


@dataclass(frozen=True, slots=True)
class Npm:
    registry: str = REGISTRY

    async def resolved(self, package: Package, folder: Path) -> PackageLock:
        """Resolve the dependencies of a package. Only metadata is downloaded.

        Raises:
            Refusal: The package does not exist, or a dependency is not from this registry.
        """
        _begin(folder, package)
        await self._run("install", folder, lambda: None, "--package-lock-only")
        content = (folder / _LOCK).read_bytes()
        if len(content) > _LARGEST_LOCK:
            raise Refusal(f"{package} has too many dependencies to check.")
        return self.lock(package, self._plain(content, package))

    def lock(self, package: Package, content: bytes) -> PackageLock:
        """Parse a stored lock. Raises Refusal if a package in the lock is from another registry or has no hash."""
        document = json.loads(content)
        if tuple(document.get("with", ())) != package.constraints:
            raise Refusal(f"{package} was locked with different constraints. Remove `hash` to see the new hash.")
        others = {place: one for place, one in document["packages"].items() if place}
        if len(others) > MOST_PACKAGES:
            raise Refusal(f"{package} requires {len(others)} packages; the maximum is {MOST_PACKAGES}.")
        for place, one in others.items():
            self._refuse(place, one)
        if others.get(f"node_modules/{package.name}", {}).get("version") != package.version:
            raise Refusal(f"The registry has a different version of {package}.")
        return PackageLock(package, content, len(others))

    async def install(self, lock: PackageLock, folder: Path, fits: Callable[[], None]) -> None:
        """Install the packages in a lock.

        Raises:
            Refusal: A package does not match the lock, or the packages are too large.
        """
        _begin(folder, lock.package)
        (folder / _LOCK).write_bytes(lock.content.replace(_HERE.encode(), f"{self.registry}/".encode()))
        await self._run("ci", folder, fits)
        if not (folder / "node_modules" / lock.package.name).is_dir():
            raise Refusal(f"{lock.package} is missing from the installed packages.")

    def command(self, server: PackagedServer, folder: Path) -> Command:
        home = folder / "node_modules" / server.package.name
        programs = _programs(json.loads((home / "package.json").read_bytes()), server.package)
        name = server.program or (next(iter(programs)) if len(programs) == 1 else server.package.bare_name)
        path = (home / programs.get(name, "")).resolve()
        if name not in programs or not path.is_relative_to(folder.resolve()) or not path.is_file():
            listed = ", ".join(sorted(programs)) or "none"
            raise Refusal(f"{server.package} has no program {name[:100]!r}. Its programs are: {listed}.")
        return Command(
            words=(_program("node"), str(path), *server.arguments), environment=server.environment, folder=server.folder
        )

    def _plain(self, content: bytes, package: Package) -> bytes:
        """Reduce a lock to the parts that do not depend on the npm version or the mirror."""
        listed: Mapping[str, Any] = json.loads(content).get("packages") or {}
        packages = {place: {name: one[name] for name in _COUNTS if name in one} for place, one in listed.items()}
        for one in packages.values():
            if str(one.get("resolved", "")).startswith(f"{self.registry}/"):
                one["resolved"] = f"{_HERE}{one['resolved'].removeprefix(f'{self.registry}/')}"
        document = {"name": _NAME, "version": _VERSION, "lockfileVersion": 3, "requires": True, "packages": packages}
        if package.constraints:
            document["with"] = package.constraints
        return json.dumps(document, sort_keys=True).encode()

    def _refuse(self, place: str, one: Mapping[str, Any]) -> None:
        where = place[:200]
        if not _PLACE.fullmatch(place) or ".." in place.split("/") or one.get("link"):
            raise Refusal(f"{where!r} is not a valid package location.")
        if one.get("inBundle"):
            return  # the package is bundled in its parent package
        if not str(one.get("resolved", "")).startswith(_HERE):
            raise Refusal(f"{where!r} is not from {self.registry}.")
        if not _INTEGRITY.fullmatch(str(one.get("integrity", ""))):
            raise Refusal(f"{where!r} has no hash.")

    async def _run(self, what: str, folder: Path, fits: Callable[[], None], *more: str) -> None:
        npm = _program("npm")
        environment = _environment(folder, npm, _program("node"))
        try:
            await run([npm, what, f"--registry={self.registry}/", *_OPTIONS, *more], folder, environment, fits)
        finally:
            shutil.rmtree(folder / ".cache", ignore_errors=True)


def _environment(folder: Path, npm: str, node: str) -> dict[str, str]:
    config = folder / "no-such-npmrc"
    return {
        "PATH": ":".join({str(Path(npm).parent), str(Path(node).parent), "/usr/bin", "/bin"}),
        "npm_config_git": "/nowhere/git",  # otherwise, npm would run git for dependencies outside the registry
        "npm_config_cache": str(folder / ".cache"),
        "npm_config_userconfig": str(config),
        "npm_config_globalconfig": f"{config}-global",
    }


def _begin(folder: Path, package: Package) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    about = {"name": _NAME, "version": _VERSION, "private": True, "dependencies": {package.name: package.version}}
    if package.constraints:
        about["overrides"] = dict(one.rsplit("@", 1) for one in package.constraints)
    (folder / "package.json").write_text(json.dumps(about), encoding="utf-8")


def _programs(about: Any, package: Package) -> dict[str, str]:
    said = about.get("bin") if isinstance(about, dict) else None
    if isinstance(said, str):
        return {package.bare_name: said}
    return {name: path for name, path in said.items() if isinstance(path, str)} if isinstance(said, dict) else {}


def _program(name: str) -> str:
    if path := shutil.which(name):
        return path
    raise Refusal(f"npm packages require {name}, which is not installed here. Get Node.js from https://nodejs.org.")
