"""Azurite, Microsoft's emulator of Blob and Table storage: the one of `scripts/serve`, started once for all tests."""

from __future__ import annotations

import atexit
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from scripts import azurite, environment
from tests.fakes.https import certify

_KINDS: Final = ("blob", "queue", "table")


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
    return _started(None)


@dataclass(frozen=True, slots=True)
class SecuredAzurite:
    """One that takes tokens: where it has its blobs, queues and tables, and what a client has to trust."""

    account: str
    endpoints: Mapping[str, str]
    certificate: Path


@cache
def secured_azurite() -> SecuredAzurite:
    """Start it with https, if this process has not yet."""
    running = ExitStack()
    atexit.register(running.close)
    folder = Path(running.enter_context(TemporaryDirectory(ignore_cleanup_errors=True)))
    certified = certify(folder / "localhost.pem", "localhost")
    parts = dict(part.split("=", 1) for part in _started(certified.file).strip(";").split(";"))
    named = {kind: parts[f"{kind.title()}Endpoint"].replace("127.0.0.1", "localhost") for kind in _KINDS}
    return SecuredAzurite(parts["AccountName"], named, certified.file)


def _started(certificate: Path | None) -> str:
    package, variables = azurite_package()
    running = ExitStack()
    atexit.register(running.close)
    data = running.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
    return running.enter_context(azurite.running(package, variables, Path(data), certificate))
