"""The package as Azure builds and runs it: alone in a folder, with nothing else to import, and never written to."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

from scripts import environment, packaging
from tests.e2e.visits import Visit, python_client
from tests.offline import offline
from tools import SURFACE

pytestmark = pytest.mark.timeout(600)

ROOT: Final = Path(__file__).parents[2]
LARGEST: Final = 60_000_000


@dataclass(frozen=True)
class Unpacked:
    folder: Path
    python: str
    size: int


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Unpacked:
    built, archive = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("zip") / "package.zip"
    python = packaging.deployed_python()
    packaging.build_app(ROOT, built, python)
    size = packaging.zipped(built, archive)
    folder = tmp_path_factory.mktemp("unpacked")
    for part in (archive, packages := _packages(python)):
        packaging.unpacked(part, folder)
    return Unpacked(folder, python, size + packages.stat().st_size)


def _packages(python: str) -> Path:
    """The packages of the app in an archive, which is made once for the same requirements, and anew every night."""
    pinned = [(ROOT / name).read_text(encoding="utf-8") for name in ("requirements.txt", "constraints.txt")]
    digest = hashlib.sha256("\n".join([python, *pinned]).encode()).hexdigest()
    folder = environment.own_folder("packaged")
    archive = folder / f"{digest[:12]}.zip"
    if "FUZZ_PACKAGES" in os.environ or not archive.exists():
        with TemporaryDirectory(dir=folder) as elsewhere:
            packaging.build_packages(ROOT, Path(elsewhere, "built"), python)
            packaging.zipped(Path(elsewhere, "built"), Path(elsewhere, "zip"))
            Path(elsewhere, "zip").replace(archive)
    return archive


@pytest.fixture(scope="session")
def host(package: Unpacked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("host")
    packaging.install_host(ROOT, package.folder, folder, package.python)
    return folder


def contents(folder: Path) -> dict[Path, tuple[int, float]]:
    return {path: (path.stat().st_size, path.stat().st_mtime) for path in folder.rglob("*") if path.is_file()}


def call(name: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return ("tools/call", {"name": name, "arguments": arguments})


def test_it_holds_the_app_and_nothing_that_only_developers_need() -> None:
    sent = {file.parts[0] for file in packaging.sent_files(ROOT)}
    assert sent >= {"function_app.py", "host.json", "requirements.txt", "constraints.txt", "roles.yaml", "tools"}
    assert not sent & {
        "tests",
        "docs",
        "infra",
        "scripts",
        "local_host",
        ".git",
        ".venv",
        ".local",
        ".github",
        ".azure",
    }


def test_it_is_small_enough_to_start_fast(package: Unpacked) -> None:
    assert package.size <= LARGEST


def test_everything_of_ours_in_it_is_compiled(package: Unpacked) -> None:
    tag = [package.python, "-c", "import sys; print(sys.implementation.cache_tag)"]
    version = subprocess.run(tag, capture_output=True, text=True, check=True).stdout.strip()
    ours = [file for file in packaging.sent_files(ROOT) if file.suffix == ".py"]
    compiled = {file: package.folder / file.parent / "__pycache__" / f"{file.stem}.{version}.pyc" for file in ours}
    assert [file for file, bytecode in compiled.items() if not bytecode.exists()] == []


def test_it_serves_clients_alone_and_writes_nothing(package: Unpacked, host: Path, tmp_path: Path) -> None:
    before = contents(package.folder)
    rule = call("new_azure_firewall_rules", team="a", source="10.0.0.1", destination="10.0.0.2")
    steps = [("tools/list", {}), call("search_azure_updates", limit=1), rule]
    with packaging.served(package.folder, host, package.python, offline(tmp_path)) as (url, _):
        for client in (python_client("auto"), python_client("legacy")):
            listed, found, added = client(Visit(f"{url}/mcp", steps)).results
            assert {tool["name"] for tool in listed["tools"]} == {*SURFACE, "azure", "azure_change"}
            assert not found.get("isError"), found
            assert added["structuredContent"]["action"] == "created"
    assert contents(package.folder) == before
