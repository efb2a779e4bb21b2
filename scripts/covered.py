"""Which lines and branches of the app its tests run, those in processes that tests start as well.

Not seen is what a process runs that is killed, or that is started with a path of its own.
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
    """Run tests, and tell what they covered; fails where they do, and where that is too little."""
    packages = environment.packages("coverage", "tests/coverage/requirements.txt")
    data = environment.own_folder("covered")
    for old in data.iterdir():
        old.unlink()
    path = os.pathsep.join(map(str, (packages, _TESTS / "start")))
    # Known to run in a pipeline, Hypothesis holds no example to a time, which a tracer would let pass.
    measuring = {"PYTHONPATH": path, "COVERAGE_PROCESS_START": str(environment.ROOT / ".coveragerc"), "CI": "true"}
    known = {**variables, **measuring, "COVERAGE_FILE": str(data / "data")}
    # The table alone goes to the standard output, for a pipeline to show.
    command = [sys.executable, "-m", "pytest", *pytest]
    status = subprocess.run(command, env=known, stdout=sys.stderr, check=False).returncode
    known.pop("COVERAGE_PROCESS_START")
    found = data / "found.json"
    for step in (["combine", "--quiet"], ["json", "--quiet", "-o", str(found)]):
        subprocess.run([sys.executable, "-m", "coverage", *step], env=known, check=True)
    return told(json.loads(found.read_text(encoding="utf-8"))["files"]) or status


def told(files: Mapping[str, Any]) -> int:
    """Tell of each room how much of it was run; 1 where all together is less than is promised."""
    rooms: dict[str, Counter[str]] = {}
    # Of tests that run nothing of the app, there are no branches in what is told.
    for file, found in files.items():
        counted = {name: found["summary"].get(name, 0) for names in _COUNTS.values() for name in names}
        rooms.setdefault(_room(file), Counter()).update(counted)
    whole = sum(rooms.values(), Counter())
    print("| room | lines | branches |\n|---|---:|---:|")
    for room, counts in [*sorted(rooms.items()), ("all", whole)]:
        print(f"| {room} | " + " | ".join(f"{_percent(counts, what):.1f} %" for what in FEWEST) + " |")
    lacking = [what for what, fewest in FEWEST.items() if not files or _percent(whole, what) < fewest]
    for what in lacking:
        print(f"Too few {what} are covered: {FEWEST[what]:g} % are promised.")
    return 1 if lacking else 0


def _room(file: str) -> str:
    parts = Path(file).parts
    return parts[0] if len(parts) > 1 else "(files at the root)"


def _percent(counts: Mapping[str, int], what: str) -> float:
    covered, there = (counts[name] for name in _COUNTS[what])
    return 100 * covered / there if there else 100.0
