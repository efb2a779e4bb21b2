"""Programs from npm for tests: installed as a lock file pins them, and run by a Node.js that is new enough."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from scripts import environment

_OLDEST_NODE: Final = 22
_SECONDS: Final = 120


@dataclass(frozen=True, slots=True)
class Packages:
    """Installed packages. Scripts that import them run in their folder."""

    folder: Path
    variables: Mapping[str, str]

    def run(self, program: str, *arguments: str, script: str = "") -> subprocess.CompletedProcess[str]:
        """Run `node`, or a program of these packages, to its end; `script` is what it reads."""
        given = {"input": script, "timeout": _SECONDS, **self._given}
        return subprocess.run([program, *arguments], **given, capture_output=True, check=False)

    def started(self, program: str, *arguments: str) -> subprocess.Popen[str]:
        """Start `node`, or a program of these packages, which reads and answers until its input ends."""
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        return subprocess.Popen([program, *arguments], **pipes, **self._given)

    @property
    def _given(self) -> dict[str, Any]:
        path = os.pathsep.join([str(self.folder / "node_modules" / ".bin"), self.variables["PATH"]])
        return {"cwd": self.folder, "env": {**self.variables, "PATH": path}, "encoding": "utf-8"}


def installed(pinned: Path, oldest_node: int = _OLDEST_NODE) -> Packages:
    """Install what the lock file in a folder pins, unless that was done before."""
    variables = environment.node(oldest_node)
    version = hashlib.sha256(Path(pinned, "package-lock.json").read_bytes()).hexdigest()[:12]
    folder = environment.LOCAL / f"npm-{pinned.name}-{version}"
    if not folder.exists():
        with environment.alone():
            if not folder.exists():  # another process has just installed them
                _install(pinned, folder, variables)
    return Packages(folder, variables)


def _install(pinned: Path, folder: Path, variables: Mapping[str, str]) -> None:
    npm = shutil.which("npm", path=variables["PATH"])
    assert npm, "There is no npm: get Node.js from https://nodejs.org."
    sys.stderr.write(f"Installing {pinned.name} from npm; this takes a minute, once\n")
    # Made elsewhere and moved when complete, so that a stop half-way does no harm.
    with TemporaryDirectory(dir=environment.LOCAL) as elsewhere:
        made = Path(elsewhere, folder.name)
        made.mkdir()
        for name in ("package.json", "package-lock.json"):
            shutil.copy(pinned / name, made)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--loglevel=error"]
        done = subprocess.run(
            [npm, "ci", *options], cwd=made, env=dict(variables), stdout=subprocess.DEVNULL, check=False
        )
        done.check_returncode()
        made.rename(folder)
