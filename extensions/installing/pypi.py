"""Installs PyPI packages in a folder that no other Python environment uses. Only wheels are installed, and each wheel
is verified by its hash.
"""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Callable, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from extensions.installing.package import Package, PackagedServer, PackageLock
from extensions.installing.running import run
from extensions.upstream.process import Command
from refusal import Refusal

REGISTRY: Final = "https://pypi.org/simple"
MOST_PACKAGES: Final = 500
_TREE: Final = "site"
_HASH: Final = re.compile("[0-9a-f]{64}")
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+-]*")
_ENTRY: Final = re.compile(r"(?P<module>[A-Za-z_][\w.]*)\s*:\s*(?P<function>[A-Za-z_][\w.]*)\s*(?:\[.*\])?")
# The program that starts a package. The program can import only the standard library and the installed packages.
_STARTER: Final = (
    "import sys; from functools import reduce; from importlib import import_module; place, module, function ="
    " sys.argv[1:4]; sys.path.insert(0, place); sys.argv[0:4] = [module];"
    " sys.exit(reduce(getattr, function.split('.'), import_module(module))())"
)
_OPTIONS: Final = ("--no-input", "--no-cache-dir", "--only-binary=:all:", "--quiet", "--disable-pip-version-check")


@dataclass(frozen=True, slots=True)
class PyPi:
    registry: str = REGISTRY

    async def resolved(self, package: Package, folder: Path) -> PackageLock:
        """Resolve the dependencies of a package for this kind of machine. Raises Refusal if a wheel is missing."""
        report = folder / "report.json"
        requirements = _written(folder, f"{package.name}=={package.version}\n")
        dry_run = ("--dry-run", "--ignore-installed", f"--report={report}")
        await self._run(folder, lambda: None, *dry_run, requirements, *_constraining(folder, package))
        listed = [_locked(one) for one in _reported(report)]
        document: dict[str, Any] = {"python": _python(), "machine": _machine(), "packages": sorted(listed)}
        if package.constraints:
            document["with"] = package.constraints
        return self.lock(package, json.dumps(document, sort_keys=True).encode())

    def lock(self, package: Package, content: bytes) -> PackageLock:
        """Parse a stored lock. Raises Refusal if the lock does not match this machine and this package."""
        document = json.loads(content)
        listed = document["packages"]
        if (document["python"], document["machine"]) != (_python(), _machine()):
            raise Refusal(f"{package} was locked for another machine: {document['machine']}, {document['python']}.")
        if tuple(document.get("with", ())) != package.constraints:
            raise Refusal(f"{package} was locked with different constraints. Remove `hash` to see the new hash.")
        if len(listed) > MOST_PACKAGES:
            raise Refusal(f"{package} requires {len(listed)} packages; the maximum is {MOST_PACKAGES}.")
        if not any(_same(name, package.name) and version == package.version for name, version, _ in listed):
            raise Refusal(f"The registry has a different version of {package}.")
        return PackageLock(package, content, len(listed))

    async def install(self, lock: PackageLock, folder: Path, fits: Callable[[], None]) -> None:
        """Install the packages in a lock.

        Raises:
            Refusal: A package does not match the lock, or the packages are too large.
        """
        listed = json.loads(lock.content)["packages"]
        lines = [f"{name}=={version} --hash=sha256:{digest}\n" for name, version, digest in listed]
        requirements = _written(folder, "".join(lines))
        target = f"--target={folder / _TREE}"
        await self._run(folder, fits, "--require-hashes", "--no-deps", "--no-compile", target, requirements)

    def command(self, server: PackagedServer, folder: Path) -> Command:
        programs = _programs(folder / _TREE, server.package)
        name = server.program or (next(iter(programs)) if len(programs) == 1 else server.package.name)
        found = _ENTRY.fullmatch(programs.get(name, ""))
        if not found:
            listed = ", ".join(sorted(programs)) or "none"
            raise Refusal(f"{server.package} has no program {name[:100]!r}. Its programs are: {listed}.")
        place = str((folder / _TREE).resolve())
        start = (sys.executable, "-I", "-S", "-B", "-c", _STARTER, place, found["module"], found["function"])
        return Command(words=(*start, *server.arguments), environment=server.environment, folder=server.folder)

    async def _run(self, folder: Path, fits: Callable[[], None], *more: str) -> None:
        if find_spec("pip") is None:
            raise Refusal("PyPI packages require pip, which is not installed here.")
        words = [sys.executable, "-I", "-m", "pip", "--isolated", "install", f"--index-url={self.registry}", *_OPTIONS]
        environment = {"PIP_CONFIG_FILE": "/dev/null", "TMPDIR": str(folder)}
        await run([*words, *more], folder, environment, fits)


def _written(folder: Path, requirements: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "requirements.txt"
    path.write_text(requirements, encoding="utf-8")
    return f"--requirement={path}"


def _constraining(folder: Path, package: Package) -> list[str]:
    if not package.constraints:
        return []
    path = folder / "constraints.txt"
    path.write_text("".join(f"{one}\n" for one in package.constraints), encoding="utf-8")
    return [f"--constraint={path}"]


def _reported(report: Path) -> list[Any]:
    listed = json.loads(report.read_bytes())["install"]
    return listed if isinstance(listed, list) else []


def _locked(one: Mapping[str, Any]) -> list[str]:
    """Return the name, version and wheel hash of a package that pip resolved."""
    about, source = one["metadata"], one["download_info"]
    name, version = str(about["name"]), str(about["version"])
    digest = str(source.get("archive_info", {}).get("hashes", {}).get("sha256", ""))
    if one.get("is_direct") or not str(source["url"]).partition("#")[0].endswith(".whl"):
        raise Refusal(f"{name[:100]!r} is not a wheel from the registry.")
    if not _HASH.fullmatch(digest) or not _NAME.fullmatch(name) or not _VERSION.fullmatch(version):
        raise Refusal(f"{name[:100]!r} has an invalid name, version or sha256 hash.")
    return [name, version, digest]


def _programs(tree: Path, package: Package) -> dict[str, str]:
    """Return the programs that a package declares."""
    for about in sorted(tree.glob("*.dist-info")):
        if _same(about.name.removesuffix(".dist-info").rpartition("-")[0], package.name):
            reading = ConfigParser(delimiters=("=",), interpolation=None)
            reading.optionxform = str  # type: ignore[assignment, method-assign]  # names of programs keep their case
            try:
                reading.read(about / "entry_points.txt", encoding="utf-8")
                return dict(reading["console_scripts"]) if reading.has_section("console_scripts") else {}
            except (ConfigError, UnicodeError):
                raise Refusal(f"{package} declares no programs.") from None
    return {}


def _same(one: str, another: str) -> bool:
    return re.sub("[-_.]+", "-", one).lower() == re.sub("[-_.]+", "-", another).lower()


def _python() -> str:
    return f"Python {sys.version_info.major}.{sys.version_info.minor}"


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}"
