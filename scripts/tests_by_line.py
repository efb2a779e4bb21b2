"""A pytest plugin that records which lines each test file executes in the test process, and stores these lines as a
map.
"""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from types import CodeType
from typing import Any, Final, Self
from uuid import uuid4

import pytest

# Only Python 3.12 and newer have this module.
_MONITORING: Final[Any] = vars(sys).get("monitoring")
_TOOL: Final = 3
# Tests in these folders start the app in other processes, so they execute few of its lines in the test process.
_STARTING: Final = ("conformance", "e2e", "infra", "local_host", "older", "package")
# The key for lines that run when a module is imported. These lines are in the bodies of modules and classes, and run
# only once even if several tests depend on them.
_IMPORT: Final = ""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lines-into", type=Path, help="a folder for the lines that each test file executes")


def pytest_configure(config: pytest.Config) -> None:
    if folder := config.getoption("--lines-into"):
        config.pluginmanager.register(_Recorder(config.rootpath, folder))


class _Recorder:
    def __init__(self, root: Path, folder: Path) -> None:
        self._root, self._folder = f"{root}{os.sep}", folder
        self._test = _IMPORT
        self._lines: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self._seconds: dict[str, float] = defaultdict(float)
        self._failed: set[str] = set()
        _MONITORING.use_tool_id(_TOOL, __name__)
        _MONITORING.register_callback(_TOOL, _MONITORING.events.LINE, self._executed)
        _MONITORING.set_events(_TOOL, _MONITORING.events.LINE)

    def _executed(self, code: CodeType, line: int) -> object:
        file = code.co_filename.removeprefix(self._root)
        if file != code.co_filename and not file.startswith((".", "tests/")):
            test = self._test if code.co_flags & inspect.CO_OPTIMIZED else _IMPORT
            self._lines[test][file].add(line)
        return _MONITORING.DISABLE  # until the next test file

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        test = item.nodeid.partition("::")[0]
        if test != self._test:
            self._test = test
            _MONITORING.restart_events()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = report.nodeid.partition("::")[0]
        self._seconds[test] += report.duration
        if report.failed:
            self._failed.add(test)

    def pytest_sessionfinish(self) -> None:
        """Write this process's part of the map, because a parallel run has several processes."""
        _MONITORING.set_events(_TOOL, _MONITORING.events.NO_EVENTS)
        _MONITORING.free_tool_id(_TOOL)
        lines = {test: {file: sorted(found) for file, found in files.items()} for test, files in self._lines.items()}
        part = {"lines": lines, "seconds": self._seconds, "failed": sorted(self._failed)}
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / f"{uuid4()}.json").write_text(json.dumps(part), encoding="utf-8")


@dataclass(frozen=True)
class LineMap:
    """The lines that each test file executes. Failed test files are excluded, because they would fail with every
    mutation.
    """

    lines: Mapping[str, Mapping[str, Collection[int]]]
    imported: Mapping[str, Collection[int]]
    seconds: Mapping[str, float]
    failed: Collection[str]

    @classmethod
    def read(cls, folder: Path) -> Self:
        lines: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        seconds: dict[str, float] = {}
        failed: set[str] = set()
        for part in (json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("*.json")):
            failed.update(part["failed"])
            for test, found in part["seconds"].items():
                seconds[test] = max(found, seconds.get(test, 0.0))
            for test, files in part["lines"].items():
                for file, found in files.items():
                    lines[test][file].update(found)
        imported = lines.pop(_IMPORT, {})
        return cls({test: files for test, files in lines.items() if test not in failed}, imported, seconds, failed)

    def tests_of(self, file: str, line: int) -> list[str]:
        """Return the test files that execute a line, fastest first. If the line is executed on import, return all test
        files that execute any line of the same file.
        """
        imported = line in self.imported.get(file, ())
        found = [test for test, files in self.lines.items() if file in files and (imported or line in files[file])]
        return sorted(found, key=lambda test: (self.seconds.get(test, 0.0), test))


class EarlierLines:
    """Converts line numbers of a checkout to line numbers of an earlier commit."""

    def __init__(self, root: Path, commit: str) -> None:
        self._root, self._commit = root, commit
        self._known: dict[str, list[int]] = {}

    def of(self, file: str, line: int) -> int:
        """Return the line's number in the earlier commit. If a line was added, return the number of the line that
        precedes it.
        """
        if file not in self._known:
            self._known[file] = self._numbers(file)
        return self._known[file][line - 1]

    def _numbers(self, file: str) -> list[int]:
        command = ["git", "-C", str(self._root), "show", f"{self._commit}:{file}"]
        then = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False).stdout
        now = (self._root / file).read_text(encoding="utf-8")
        steps = SequenceMatcher(None, then.splitlines(), now.splitlines(), autojunk=False).get_opcodes()
        return [
            start + 1 + number if step == "equal" else start
            for step, start, _, begin, end in steps
            for number in range(end - begin)
        ]


def recorded(checkout: Path, folder: Path, processes: int, options: Sequence[str]) -> LineMap:
    """Run the tests of a checkout, and write the lines that they execute to a new folder."""
    parallel = ["-p", "scripts.forking", f"--processes={processes}"]
    ignored = [f"--ignore=tests/{part}" for part in _STARTING]
    unfinished = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    plugin = ["-p", "scripts.tests_by_line", f"--lines-into={unfinished}"]
    command = [sys.executable, "-m", "pytest", "-q", "tests", *ignored, *parallel, *plugin, *options]
    subprocess.run(command, cwd=checkout, stdout=sys.stderr, check=False)
    unfinished.rename(folder)
    return LineMap.read(folder)
