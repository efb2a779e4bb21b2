"""Measures the lines and branches that tests cover, including in processes that tests start.

Processes that are killed, and processes with their own import path, cannot be measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scripts import environment

FEWEST: Final = {"lines": 95.0, "branches": 90.0}
_TESTS: Final = environment.ROOT / "tests" / "coverage"
_COUNTS: Final = {"lines": ("covered_lines", "num_statements"), "branches": ("covered_branches", "num_branches")}


def run(pytest: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run tests and report their coverage. Fails if tests fail or coverage is too low."""
    packages = environment.packages("coverage", "tests/coverage/requirements.txt")
    data = environment.own_folder("covered")
    for old in data.iterdir():
        old.unlink()
    path = os.pathsep.join(map(str, (packages, _TESTS / "start")))
    # In CI mode, Hypothesis has no time limit per example. With a time limit, examples would fail because coverage
    # measurement slows them down.
    measuring = {"PYTHONPATH": path, "COVERAGE_PROCESS_START": str(environment.ROOT / ".coveragerc"), "CI": "true"}
    known = {**variables, **measuring, "COVERAGE_FILE": str(data / "data")}
    # Only the table is printed to standard output, so that a pipeline can show it.
    command = [sys.executable, "-m", "pytest", *pytest]
    status = subprocess.run(command, env=known, stdout=sys.stderr, check=False).returncode
    known.pop("COVERAGE_PROCESS_START")
    found = data / "found.json"
    for step in (["combine", "--quiet"], ["json", "--quiet", "-o", str(found)]):
        subprocess.run([sys.executable, "-m", "coverage", *step], env=known, check=True)
    return told(json.loads(found.read_text(encoding="utf-8"))["files"]) or status


def told(files: Mapping[str, Any]) -> int:
    """Report the coverage of each package. Return 1 if the total is below the required minimum."""
    rooms: dict[str, Counter[str]] = {}
    # If tests run none of the app's code, the report contains no branches.
    for file, found in files.items():
        counted = {name: found["summary"].get(name, 0) for names in _COUNTS.values() for name in names}
        rooms.setdefault(_room(file), Counter()).update(counted)
    whole = sum(rooms.values(), Counter())
    print("| room | lines | branches |\n|---|---:|---:|")
    for room, counts in [*sorted(rooms.items()), ("all", whole)]:
        print(f"| {room} | " + " | ".join(f"{_percent(counts, kind):.1f} %" for kind in FEWEST) + " |")
    lacking = [kind for kind, fewest in FEWEST.items() if not files or _percent(whole, kind) < fewest]
    for kind in lacking:
        print(f"Too few {kind} are covered. The required minimum is {FEWEST[kind]:g} %.")
    return 1 if lacking else 0


def _room(file: str) -> str:
    parts = Path(file).parts
    return parts[0] if len(parts) > 1 else "(files at the root)"


def _percent(counts: Mapping[str, int], kind: str) -> float:
    covered, total = (counts[name] for name in _COUNTS[kind])
    return 100 * covered / total if total else 100.0
