"""What docs/promises.md names is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
TEXT: Final = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
SECTIONS: Final = (ROOT / "scripts" / "benchmarks" / "page.py").read_text(encoding="utf-8")
COMMANDS: Final = re.findall(r"\| `(scripts/[^`]+)` \|\n", TEXT)


def test_each_promise_has_a_command() -> None:
    table = TEXT.partition("|---|---|---|\n")[2].partition("\n\n")[0]
    assert len(COMMANDS) == len(table.splitlines())


@pytest.mark.parametrize("command", sorted(set(COMMANDS)))
def test_a_command_is_a_script_with_these_arguments(command: str) -> None:
    script, *arguments = command.split()
    files = [argument for argument in arguments if "/" in argument]
    assert [file for file in files if not (ROOT / file).is_file()] == []
    if script == "scripts/bench":
        assert all(f'"{section}": ' in SECTIONS for section in arguments)
    helped = subprocess.run([sys.executable, ROOT / script, "--help"], capture_output=True, text=True, check=True)
    words = [argument for argument in arguments if argument not in files and not argument.isdecimal()]
    assert script == "scripts/bench" or all(word in helped.stdout for word in words)
