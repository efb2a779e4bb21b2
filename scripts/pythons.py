"""Finds installed Python versions for the checks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

Version = tuple[int, int]

_TEMPLATE = Path(__file__).resolve().parent.parent / "infra" / "modules" / "app.bicep"
_DEPLOYED = re.compile(r"name: 'python'\s+version: '(\d+)\.(\d+)'")
# Checks that an interpreter works: some Python packages in Debian lack venv, and the shims of pyenv start only selected
# versions.
_WHICH = "import ensurepip, sys, venv; print(*sys.version_info[:2], sys.executable)"
_SECONDS = 60


def deployed() -> Version:
    """Return the Python version in the deployment template."""
    found = _DEPLOYED.search(_TEMPLATE.read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"{_TEMPLATE} does not contain the Python version.")
    return int(found[1]), int(found[2])


def older(oldest: Version) -> list[Version]:
    """Return the supported Python versions that are older than the deployed version, oldest first."""
    major, newest = deployed()
    return [(major, minor) for minor in range(oldest[1], newest)]


def find(version: Version) -> Path | None:
    """Return a working Python of this version that can create virtual environments, or None."""
    return next(filter(None, (_python(command, version) for command in _candidates(version))), None)


def _candidates(version: Version) -> Iterator[list[str]]:
    name = "{}.{}".format(*version)
    yield [sys.executable]
    if found := shutil.which(f"python{name}"):
        yield [found]
    for file in _of_pyenv(name):
        yield [str(file)]
    if (uv := shutil.which("uv")) and (found := _answer([uv, "python", "find", "--system", name])):
        yield [found]
    if launcher := shutil.which("py"):  # on Windows
        yield [launcher, f"-{name}"]


def _of_pyenv(name: str) -> Iterator[Path]:
    """Yield pyenv's interpreters, the newest in each folder first."""
    for folder in dict.fromkeys(_folders_of_pyenv(name)):
        versions = [path for path in folder.glob(f"versions/{name}.*") if path.name.rpartition(".")[2].isdigit()]
        for path in sorted(versions, key=lambda path: -int(path.name.rpartition(".")[2])):
            yield path / "bin" / "python"


def _folders_of_pyenv(name: str) -> Iterator[Path]:
    """Yield folders that may contain pyenv. In a pipeline, HOME may have changed since pyenv was installed."""
    if root := os.environ.get("PYENV_ROOT"):
        yield Path(root)
    for program in filter(None, map(shutil.which, ("pyenv", f"python{name}", "python3"))):
        yield Path(program).parent.parent
    with suppress(RuntimeError):
        yield Path.home() / ".pyenv"
    if os.name != "nt":
        import pwd  # noqa: PLC0415 - not available on Windows

        with suppress(KeyError):
            yield Path(pwd.getpwuid(os.getuid()).pw_dir, ".pyenv")


def _python(command: list[str], version: Version) -> Path | None:
    major, minor, path = ([*_answer([*command, "-c", _WHICH]).split(maxsplit=2), "", "", ""])[:3]
    return Path(path) if (major, minor) == tuple(map(str, version)) else None


def _answer(command: list[str]) -> str:
    """Return a program's output. The output is empty if the program cannot be started, fails or hangs."""
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stdout.strip() if ended.returncode == 0 else ""
