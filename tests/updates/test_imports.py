from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import updates

ROOT = Path(__file__).parents[2]


def test_whoever_only_searches_does_not_load_what_a_sync_needs() -> None:
    modules = [f"updates.{path.stem}" for path in Path(updates.__path__[0]).glob("[!_]*.py")]
    code = f"import sys, {', '.join(modules)}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"azure", "aiohttp"} & set(loaded.stdout.split())
    assert "updates" in loaded.stdout.split()
