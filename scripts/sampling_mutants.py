"""Mutates random lines, one at a time, and measures how many mutations are detected by the tests that execute the
lines.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import pytest

from scripts.mutating import Mutant, mutants_of
from scripts.nearest_tests import Checkout
from scripts.tests_by_line import EarlierLines, LineMap, recorded

# No test starts after this many seconds. A run that has not ended after the grace period counts as hanging.
_SECONDS: Final = 240
_GRACE: Final = 120
_LONGEST_TEST: Final = 60
# The number of test files per batch. The nearest test files come first, so the first batch detects most mutations, and
# later batches rarely run.
_AT_ONCE: Final = 6
# Keeps runs comparable: Hypothesis generates the same examples in each run, and stores none.
_ALIKE: Final = ("-p", "no:cacheprovider", "--hypothesis-profile=ci")
_NO_FAILURE: Final = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
_LEFT_OUT: Final = shutil.ignore_patterns(".git", ".venv", ".local", ".*_cache", "__pycache__", "node_modules")


@dataclass(frozen=True)
class Sampling:
    root: Path
    rooms: Sequence[str]
    count: int
    seed: int
    processes: int
    # The maximum number of test files to run per mutation.
    tests: int
    # The folder that stores which lines each test executes.
    folder: Path

    def run(self) -> float:
        """Return the share of detected mutations. Prints each mutation and its result."""
        sample, noticed = self._sample(), Counter[str]()
        with _copies(self.root, self.processes) as copies, ThreadPoolExecutor(self.processes) as pool:
            choice = Choice(Checkout(self.root), self._lines(copies), self.tests, self.folder.name)
            trials = pool.map(lambda mutant: _tried(mutant, choice.tests(mutant), copies), sample)
            for number, (mutant, is_noticed) in enumerate(zip(sample, trials, strict=True), 1):
                noticed[self._room(mutant)] += is_noticed
                outcome = "killed  " if is_noticed else choice.survival(mutant)
                print(f"{number}/{len(sample)} {outcome} {self._described(mutant)}", flush=True)
        tried = Counter(map(self._room, sample))
        for room in tried if len(tried) > 1 else ():
            print(f"{room}: {noticed[room]} of {tried[room]}")
        print(f"{noticed.total()} of {len(sample)} mutations were detected.")
        return noticed.total() / max(1, len(sample))

    def _room(self, mutant: Mutant) -> str:
        return next(room for room in self.rooms if Path(mutant.file).is_relative_to(room))

    def _described(self, mutant: Mutant) -> str:
        return mutant.described((self.root / mutant.file).read_bytes())

    def _lines(self, copies: SimpleQueue[Path]) -> LineMap:
        """Return the lines that each test executes, from the stored map or from a new test run. Tests that require
        files outside the copy of the checkout fail, and are excluded from the map.
        """
        if self.folder.is_dir():
            return LineMap.read(self.folder)
        copy = copies.get()
        try:
            return recorded(copy, self.folder, self.processes, _ALIKE)
        finally:
            copies.put(copy)

    def _sample(self) -> list[Mutant]:
        """Choose random lines, and one mutation of each line. Choosing among all mutations would favor lines with many
        mutations.
        """
        lines: dict[tuple[str, int], list[Mutant]] = {}
        for file in sorted(module for room in self.rooms for module in _modules(self.root / room)):
            for mutant in mutants_of(str(file.relative_to(self.root)), file.read_bytes()):
                lines.setdefault((mutant.file, mutant.line), []).append(mutant)
        chooser = random.Random(self.seed)  # noqa: S311 - reproducible, not for security
        return [chooser.choice(lines[line]) for line in chooser.sample(sorted(lines), min(self.count, len(lines)))]


@dataclass(frozen=True)
class Choice:
    """Chooses the tests that run for a mutation."""

    checkout: Checkout
    lines: LineMap
    most: int
    # The commit to which the line numbers in the map refer.
    commit: str = "HEAD"

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that execute the mutated line or are newer than the map, nearest first. If no test
        executes the line, return all tests that are related to the file.
        """
        near = [test for test in self.checkout.nearest_tests([mutant.file]) if test not in self.lines.failed]
        executing = self._executing(mutant)
        chosen = [test for test in near if not executing or test in executing or test not in self.lines.seconds]
        return [*dict.fromkeys([*chosen, *executing])][: self.most]

    def survival(self, mutant: Mutant) -> str:
        return "SURVIVED" if self._executing(mutant) else "SURVIVED (not executed)"

    def _executing(self, mutant: Mutant) -> list[str]:
        line = self._earlier.of(mutant.file, mutant.line)
        return [test for test in self.lines.tests_of(mutant.file, line) if test in self.checkout.texts]

    @cached_property
    def _earlier(self) -> EarlierLines:
        return EarlierLines(self.checkout.root, self.commit)


def _modules(place: Path) -> list[Path]:
    return [place] if place.is_file() else list(place.rglob("*.py"))


@contextmanager
def _copies(root: Path, count: int) -> Iterator[SimpleQueue[Path]]:
    """Create copies of the checkout, so that mutations never affect the checkout itself."""
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            copy = Path(folder, str(number), root.name)
            shutil.copytree(root, copy, ignore=_LEFT_OUT, symlinks=True)
            if (installed := root / ".local").is_dir():
                (copy / ".local").symlink_to(installed.resolve())
            copies.put(copy)
        yield copies


def _tried(mutant: Mutant, tests: Sequence[str], copies: SimpleQueue[Path]) -> bool:
    copy = copies.get()
    file = copy / mutant.file
    sound = file.read_bytes()
    try:
        file.write_bytes(mutant.planted(sound))
        return _is_noticed(copy, tests)
    finally:
        file.write_bytes(sound)
        copies.put(copy)


def _is_noticed(copy: Path, tests: Sequence[str]) -> bool:
    until = time.time() + _SECONDS
    batches = [tests[start : start + _AT_ONCE] for start in range(0, len(tests), _AT_ONCE)]
    return any(_fails(copy, batch, until) for batch in batches if time.time() < until)


def _fails(copy: Path, tests: Sequence[str], until: float) -> bool:
    limits = ["-x", "-q", f"--timeout={_LONGEST_TEST}", "-p", "scripts.time_limit", f"--begin-until={until}"]
    command = [sys.executable, "-m", "pytest", *limits, *_ALIKE, *tests]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(command, cwd=copy, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return process.wait(until + _GRACE - time.time()) not in _NO_FAILURE
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
