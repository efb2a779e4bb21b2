"""Which room may know of which: every import points one way."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "clients": {"refusal", "telemetry"},
    "firewall": {"refusal"},
    "text": set(),
    "updates": {"clients", "refusal", "telemetry", "text"},
    "telemetry": set(),
    "identity": {"clients", "refusal", "telemetry"},
    "mcp_server": {"identity", "refusal", "telemetry"},
    "settings.py": {"clients", "refusal"},
    "tools": {"clients", "firewall", "identity", "mcp_server", "refusal", "settings", "text", "updates"},
    "refusal.py": set(),
    "cold_start.py": set(),
    "app": {"clients", "identity", "mcp_server", "refusal", "settings", "telemetry", "tools", "updates"},
    "composition.py": {"app", "settings", "tools"},
    "function_app.py": {"app", "cold_start", "composition", "identity", "mcp_server", "tools", "updates"},
    "local_host": set(),
}
OURS = {name.removesuffix(".py") for name in MAY_IMPORT} | {"function_app", "tests", "scripts"}
HEAVY = {"aiohttp", "azure.core", "azure.data.tables", "azure.identity", "azure.storage.blob", "tantivy", "yaml"}
HEAVY |= {"jwt", "msal", "opentelemetry.sdk"}


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    imported = {name.partition(".")[0] for path in _modules(room) for name in _imports(path)}
    assert imported & OURS - {room.removesuffix(".py")} <= MAY_IMPORT[room]


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = f"import sys, function_app; print([name for name in {sorted(HEAVY)} if name in sys.modules])"
    imported = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert imported.stdout.strip() == "[]"


def test_no_package_hides_one_that_others_import() -> None:
    names = {path.name.removesuffix(".py") for path in ROOT.iterdir()}
    assert not names & {"mcp", "azure", "types", "logging", "platform"}


def test_files_can_be_held_in_ones_head() -> None:
    lengths = {
        path: len(path.read_text(encoding="utf-8").splitlines()) for room in MAY_IMPORT for path in _modules(room)
    }
    assert {str(path): length for path, length in lengths.items() if length > 400} == {}


def _modules(room: str) -> list[Path]:
    return [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py"))


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found
