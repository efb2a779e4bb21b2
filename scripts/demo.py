"""Runs the services of a fictional team, so that people can try this server, and signs in a user on this machine."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

from local_host.cannot_start import CannotStartError
from local_host.process import stop

QUESTION = "Why did our last deployment to shop-prod fail?"
_SECONDS = 30
# The app uses `az` only to get tokens.
_AZ = """#!/bin/sh
if [ "$1 $2" = "account get-access-token" ]; then exec cat "{token}"; fi
echo "This az belongs to scripts/serve --demo and only returns tokens of the demo." >&2
exit 1
"""
_AZ_ON_WINDOWS = '@echo off\r\ntype "{token}"\r\n'


@contextmanager
def running(root: Path) -> Iterator[Mapping[str, str]]:
    """Serve the team's services in a separate process. Yield the settings with which an app uses these services.

    Raises:
        CannotStartError: The services could not be started.
    """
    if not (root / "tests").is_dir():
        raise CannotStartError("The demo needs a clone of the repository: azd init does not copy the demo's files.")
    with TemporaryDirectory(prefix="azure-team-demo-") as folder, _services(root, folder) as process:
        try:
            yield _settings(Path(folder), _world(process))
        finally:
            stop(process)


def prepare(url: str) -> None:
    """Read the documents, and request a change that needs approval, as an agent would."""
    _called(url, "refresh_documents")
    unused = _called(url, "survey_resources", about="unused")
    address = next(one["id"] for one in unused["items"] if one["id"].endswith("/oven-forgotten-ip"))
    _called(url, "delete_azure_resource", resource_id=unused.get("idsBeginWith", "") + address)


def _called(url: str, tool: str, **arguments: Any) -> Any:
    body = json.dumps({"tool": tool, "arguments": arguments}).encode()
    request = Request(f"{url}/tools/execute", body, {"Content-Type": "application/json"})  # noqa: S310 - only localhost
    with urlopen(request, timeout=_SECONDS) as response:  # noqa: S310 - only localhost
        return json.load(response).get("result")


def _services(root: Path, folder: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "scripts.demo_world", folder],
        cwd=root,
        stdin=subprocess.PIPE,  # the child stops when the pipe closes, even if its parent is killed
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C must not stop the child: the app stops first, and may still send requests
    )


def _world(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    line = process.stdout.readline() if process.stdout else b""
    if not line:
        raise CannotStartError("The demo did not start. The reason is above.")
    world: dict[str, Any] = json.loads(line)
    return world


def _settings(folder: Path, world: Mapping[str, Any]) -> Mapping[str, str]:
    programs = folder / "bin"
    _sign_in(programs, folder / "token.json", world["token"])
    (folder / "azureProfile.json").write_text(json.dumps(world["profile"]), encoding="utf-8-sig")  # az's encoding
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"
    return {
        **world["settings"],
        "AZURE_CONFIG_DIR": str(folder),
        "PATH": path,
    }


def _sign_in(programs: Path, file: Path, token: Mapping[str, Any]) -> None:
    """Write a fake `az` command that returns a token, because local apps get their tokens from `az`."""
    programs.mkdir()
    file.write_text(json.dumps(token), encoding="utf-8")
    (programs / "az").write_text(_AZ.format(token=file), encoding="utf-8")
    (programs / "az").chmod(0o700)
    (programs / "az.cmd").write_text(_AZ_ON_WINDOWS.format(token=file), encoding="utf-8", newline="")
