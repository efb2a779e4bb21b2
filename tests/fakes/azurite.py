"""Azurite, Microsoft's emulator of Blob and Table storage: the one of `scripts/serve`, started once for all tests."""

from __future__ import annotations

import atexit
import shutil
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from scripts import azurite, environment


@cache
def azurite_package() -> tuple[Path, dict[str, str]]:
    """Azurite, installed if it was not, and what runs it. Without Node and npm, the test is skipped."""
    if not (shutil.which("node") or shutil.which("npm")):
        pytest.skip("Azurite needs Node.js, and there is none on the path")
    try:
        variables = environment.node(azurite.OLDEST_NODE)
        return environment.npm_package("azurite", azurite.VERSION, variables), variables
    except SystemExit as told:
        pytest.fail(str(told))


@cache
def connection_string_of_azurite() -> str:
    """Start it, if this process has not yet."""
    package, variables = azurite_package()
    running = ExitStack()
    atexit.register(running.close)
    data = running.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
    return running.enter_context(azurite.running(package, variables, Path(data)))
