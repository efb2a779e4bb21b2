"""An invented team to try the server with: its services, and somebody who is signed in to them on this machine."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from local_host.cannot_start import CannotStartError
from local_host.process import stop

QUESTIONS = (
    "What do we run on Azure, and what is it that nobody uses any more?",
    "Who changed the web shop since yesterday, and what?",
    "Why did our last deployment to shop-prod fail?",
    "Why is our build red?",
    "What retires in Networking until the end of next year?",
)
# What `az` says who is asked for a token; it is asked for nothing else here.
_AZ = """#!/bin/sh
if [ "$1 $2" = "account get-access-token" ]; then exec cat "{token}"; fi
echo "This az belongs to scripts/serve --demo, and gives tokens of the demo only." >&2
exit 1
"""
_AZ_ON_WINDOWS = '@echo off\r\ntype "{token}"\r\n'


@contextmanager
def running(root: Path) -> Iterator[Mapping[str, str]]:
    """Serve everything that is invented in a process of its own, and give the settings of an app that uses it.

    Raises:
        CannotStartError: It could not be served.
    """
    if not (root / "tests").is_dir():
        raise CannotStartError("The demo is in a clone of the repository, and left out of what azd init copies.")
    with TemporaryDirectory(prefix="azure-team-demo-") as folder, _services(root, folder) as process:
        try:
            yield _settings(Path(folder), _told(process))
        finally:
            stop(process)


def _services(root: Path, folder: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "scripts.demo_world", folder],
        cwd=root,
        stdin=subprocess.PIPE,  # whose end ends it, also where this process is killed
        stdout=subprocess.PIPE,
        start_new_session=True,  # out of the reach of Ctrl-C: the app ends first, and may still be asking
    )


def _told(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    line = process.stdout.readline() if process.stdout else b""
    if not line:
        raise CannotStartError("The demo did not start; what went wrong stands above.")
    told: dict[str, Any] = json.loads(line)
    return told


def _settings(folder: Path, told: Mapping[str, Any]) -> Mapping[str, str]:
    programs = folder / "bin"
    _sign_in(programs, folder / "token.json", told["token"])
    (folder / "azureProfile.json").write_text(json.dumps(told["profile"]), encoding="utf-8-sig")  # as az writes it
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"
    return {
        **told["settings"],
        "AZURE_CONFIG_DIR": str(folder),
        "PATH": path,
    }


def _sign_in(programs: Path, file: Path, token: Mapping[str, Any]) -> None:
    """Put an `az` there that is signed in, since that is how the app gets tokens on a laptop."""
    programs.mkdir()
    file.write_text(json.dumps(token), encoding="utf-8")
    (programs / "az").write_text(_AZ.format(token=file), encoding="utf-8")
    (programs / "az").chmod(0o700)
    (programs / "az.cmd").write_text(_AZ_ON_WINDOWS.format(token=file), encoding="utf-8", newline="")
