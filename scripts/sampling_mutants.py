"""Measures how many mutations, one at a time in random lines, the nearest tests detect."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from scripts.mutating import Mutant, mutants_of
from scripts.nearest_tests import Checkout

_SECONDS: Final = 240
_LONGEST_TEST: Final = 60
_LEFT_OUT: Final = shutil.ignore_patterns(".git", ".venv", ".local", ".*_cache", "__pycache__", "node_modules")


@dataclass(frozen=True)
class Sampling:
    root: Path
    rooms: Sequence[str]
    count: int
    seed: int
    processes: int
    # The number of nearest test files to run.
    tests: int

    def run(self) -> float:
        """The share of detected mutations. Prints each one as it is tried."""
        sample, noticed = self._sample(), 0
        checkout = Checkout(self.root)
        near = {mutant.file: checkout.nearest_tests([mutant.file])[: self.tests] for mutant in sample}
        with _copies(self.root, self.processes) as copies, ThreadPoolExecutor(self.processes) as pool:
            trials = pool.map(lambda mutant: _tried(mutant, near[mutant.file], copies), sample)
            for number, (mutant, is_noticed) in enumerate(zip(sample, trials, strict=True), 1):
                noticed += is_noticed
                described = mutant.described((self.root / mutant.file).read_bytes())
                print(f"{number}/{len(sample)} {'killed  ' if is_noticed else 'SURVIVED'} {described}", flush=True)
        print(f"{noticed} of {len(sample)} faults were noticed.")
        return noticed / max(1, len(sample))

    def _sample(self) -> list[Mutant]:
        """Random lines, then one mutation each, so that lines with many possible mutations do not dominate."""
        lines: dict[tuple[str, int], list[Mutant]] = {}
        for file in sorted(module for room in self.rooms for module in _modules(self.root / room)):
            for mutant in mutants_of(str(file.relative_to(self.root)), file.read_bytes()):
                lines.setdefault((mutant.file, mutant.line), []).append(mutant)
        chooser = random.Random(self.seed)  # noqa: S311 - reproducible, not for security
        return [chooser.choice(lines[line]) for line in chooser.sample(sorted(lines), min(self.count, len(lines)))]


def _modules(place: Path) -> list[Path]:
    return [place] if place.is_file() else list(place.rglob("*.py"))


@contextmanager
def _copies(root: Path, count: int) -> Iterator[SimpleQueue[Path]]:
    """Copies of the checkout, so that mutations never affect the checkout itself."""
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
    # Otherwise Hypothesis would store one mutation's examples and generate different ones each time.
    limits = ["-x", "-q", f"--timeout={_LONGEST_TEST}", "-p", "no:cacheprovider", "--hypothesis-profile=ci"]
    command = [sys.executable, "-m", "pytest", *limits, *tests]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(command, cwd=copy, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return process.wait(_SECONDS) != 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
