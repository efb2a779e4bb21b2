"""Azurite, Microsoft's emulator of Blob and Table storage, started once for all tests of a process."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

VERSION = "3.35.0"  # the newest that runs on Node 20
FOLDER = Path(__file__).parents[2] / ".local" / "azurite"  # where scripts/serve looks for it, too
STAMP = FOLDER / ".installed"
MAIN = FOLDER / "node_modules" / "azurite" / "dist" / "src" / "azurite.js"
# It would outlive a test run that is killed, so it stops when its standard input ends.
UNTIL_STDIN_ENDS = "process.stdin.resume().on('end', () => process.exit()); require(process.argv[1])"
OPTIONS = ["--skipApiVersionCheck", "--inMemoryPersistence", "--silent", "--disableTelemetry"]
FREE_PORTS = ["--blobPort", "0", "--queuePort", "0", "--tablePort", "0"]
LISTENING = re.compile(r"Azurite (Blob|Table) service is successfully listening at (http://\S+)")
# The one account of every Azurite, with the key that its documentation gives.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@cache
def connection_string_of_azurite() -> str:
    """Start it, if this process has not yet. Without Node, the test is skipped; any other trouble fails it."""
    if not shutil.which("node"):
        pytest.skip("Azurite needs Node, and there is no `node` on the path")
    if not _is_installed():
        _install()
    process = subprocess.Popen(
        ["node", "-e", UNTIL_STDIN_ENDS, "--", MAIN, *OPTIONS, *FREE_PORTS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    atexit.register(process.communicate)
    urls = _urls(process.stdout or ())
    return (
        f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};"
        f"BlobEndpoint={urls['Blob']}/{ACCOUNT};TableEndpoint={urls['Table']}/{ACCOUNT};"
    )


def _is_installed() -> bool:
    return STAMP.exists() and STAMP.read_text(encoding="utf-8").strip() == VERSION


def _install() -> None:
    # Into a folder of our own first: another process may be doing the same.
    draft = FOLDER.with_name(f"azurite-{os.getpid()}")
    npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(draft), f"azurite@{VERSION}"]
    subprocess.run(npm, check=True, timeout=300)
    (draft / STAMP.name).write_text(VERSION, encoding="utf-8")
    if _is_installed():
        shutil.rmtree(draft)
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    draft.rename(FOLDER)


def _urls(lines: Iterable[str]) -> dict[str, str]:
    said, urls = "", dict[str, str]()
    for line in lines:
        said += line
        urls |= dict(LISTENING.findall(line))
        if len(urls) == 2:
            return urls
    raise AssertionError(f"Azurite did not start: {said}")
