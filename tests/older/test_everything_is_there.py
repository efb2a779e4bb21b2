"""Nothing is newer than the oldest Python that is supported: each file compiles, and each module of the app imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
# The checks alone, and the hooks, which are run as scripts.
_NO_PART_OF_THE_APP: Final = {"tests", "scripts", "infra", "bicep_checker"}
_IMPORTING: Final = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"


def _files() -> list[Path]:
    files = [path.relative_to(ROOT) for path in ROOT.rglob("*.py")]
    return sorted(path for path in files if not any(part.startswith(".") for part in path.parts))


def test_each_file_compiles() -> None:
    programs = [path for path in (ROOT / "scripts").iterdir() if path.is_file() and not path.suffix]
    for path in [*_files(), *programs]:
        compile((ROOT / path).read_text(encoding="utf-8"), path, "exec", dont_inherit=True)


def test_each_module_of_the_app_is_imported() -> None:
    modules = [".".join(path.with_suffix("").parts) for path in _files() if path.parts[0] not in _NO_PART_OF_THE_APP]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", _IMPORTING, *modules],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
