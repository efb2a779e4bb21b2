"""What judges the OpenAPI document, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from scripts import environment

ROOT = Path(__file__).parents[2]
_SECONDS = 300


@cache
def tools() -> Path:
    """Where the judges are, installed if they were not."""
    try:
        return environment.packages("openapi-tools", "tests/openapi/requirements.txt")
    except SystemExit as told:
        pytest.skip(f"What judges OpenAPI documents is not here: {told}")


def judged_by(module: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a judge to its end."""
    known = {
        "PYTHONPATH": str(tools()),
        "PATH": f"{tools() / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
    }
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(
        command, cwd=folder, env=known, capture_output=True, encoding="utf-8", timeout=_SECONDS, check=False
    )
