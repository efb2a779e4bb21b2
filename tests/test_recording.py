"""The picture of the README shows what the demo answers today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.sweeps import only_with

ROOT = Path(__file__).parents[1]


@only_with("FUZZ_SCENARIOS")
def test_the_picture_shows_what_the_demo_answers() -> None:
    command = [sys.executable, "scripts/recording", "--check"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
