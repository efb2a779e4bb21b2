"""Tests that run in forked processes are reported as if they had run in one."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.warm.testing import pytest_run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="This system cannot fork.")

# Each of the two tests waits until the other one runs, too.
MEETING = """
import time
from pathlib import Path

def test_meeting(pytestconfig):
    Path(pytestconfig.rootpath, "{own}").touch()
    while not Path(pytestconfig.rootpath, "{other}").exists():
        time.sleep(0.01)
"""
IN_ONE_PROCESS = """
import os

import pytest

seen = set()

@pytest.mark.parametrize("number", range(20))
def test_together(number):
    seen.add(os.getpid())
    assert len(seen) == 1
"""
FAILING = """
import pytest

@pytest.fixture
def broken():
    raise ValueError("no fixture")

def test_wrong():
    print("said before")
    assert 6 * 7 == 43

def test_broken(broken): ...

@pytest.mark.skip(reason="not today")
def test_skipped(): ...
"""
CRASHING = """
import os

def test_fine(): ...

def test_crashing():
    os._exit(0) if {is_quiet} else os.kill(os.getpid(), 9)

def test_after(): ...
"""
FINE = "def test_fine(): ..."
NOTING = """
from pathlib import Path

import pytest

@pytest.fixture(scope="session", autouse=True)
def noting(pytestconfig, request):
    Path(pytestconfig.rootpath, "set-up").touch(exist_ok="--processes=1" not in pytestconfig.invocation_params.args)
    yield
    Path(pytestconfig.rootpath, "torn-down").touch()
"""
WAITING = """
import time
from pathlib import Path

def test_waiting(pytestconfig):
    Path(pytestconfig.rootpath, "waiting").touch()
    while True:
        time.sleep(0.01)
"""
FAILING_ONCE_ANOTHER_WAITS = """
import time
from pathlib import Path

def test_failing(pytestconfig):
    while not Path(pytestconfig.rootpath, "waiting").exists():
        time.sleep(0.01)
    assert False
"""

INTERRUPTING = """
import os
import signal
import time
from pathlib import Path

def test_interrupting(pytestconfig):
    while not Path(pytestconfig.rootpath, "waiting").exists():
        time.sleep(0.01)
    os.kill(os.getppid(), signal.SIGINT)
"""


def run(folder: Path, files: Mapping[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    plugin = ["-p", "scripts.forking", "--processes=2"]
    return pytest_run(*plugin, "--rootdir", str(folder), *options, str(folder))


def outcomes(output: str) -> list[str]:
    return sorted(re.findall(r"^(?:FAILED|ERROR) \S*?(\w+\.py::\w+)", output, re.MULTILINE))


def test_files_run_at_the_same_time_and_the_tests_of_a_file_in_one_process(tmp_path: Path) -> None:
    meeting = {f"test_{own}.py": MEETING.format(own=own, other=other) for own, other in (("a", "b"), ("b", "a"))}
    ended = run(tmp_path, {**meeting, "test_c.py": IN_ONE_PROCESS}, "--timeout=60")
    assert ended.returncode == 0, ended.stdout
    assert "22 passed" in ended.stdout


def test_failures_errors_and_skipped_tests_are_reported_with_what_was_printed(tmp_path: Path) -> None:
    ended = run(tmp_path, {"test_failing.py": FAILING, "test_fine.py": FINE}, "-rsfE")
    assert ended.returncode == 1
    assert "1 failed, 1 passed, 1 skipped, 1 error" in ended.stdout
    assert outcomes(ended.stdout) == ["test_failing.py::test_broken", "test_failing.py::test_wrong"]
    for words in ("assert (6 * 7) == 43", "said before", "ValueError: no fixture", "not today"):
        assert words in ended.stdout


def test_fixtures_are_set_up_once_in_each_process_and_an_error_at_their_end_is_reported(tmp_path: Path) -> None:
    files = {f"test_{name}.py": FINE for name in "ab"}
    ended = run(
        tmp_path, {"conftest.py": NOTING + "    assert request.session.testsfailed == 7", **files}, "--processes=1"
    )
    assert "2 passed, 1 error" in ended.stdout
    assert "assert 0 == 7" in ended.stdout
    assert ended.returncode == 1


@pytest.mark.parametrize("is_quiet", [True, False])
def test_a_test_that_ends_its_process_is_named_and_the_other_files_run(tmp_path: Path, is_quiet: bool) -> None:
    files = {"test_a.py": CRASHING.format(is_quiet=is_quiet), **{f"test_{name}.py": FINE for name in "bcd"}}
    ended = run(tmp_path, files)
    assert ended.returncode == 1
    assert outcomes(ended.stdout) == ["test_a.py::test_crashing"]
    assert "The process of this test ended before the test did." in ended.stdout
    assert "1 failed, 4 passed" in ended.stdout


def test_after_a_process_ended_another_one_runs_the_other_files(tmp_path: Path) -> None:
    crashing = CRASHING.format(is_quiet=False).partition("def test_after")[0]
    ended = run(tmp_path, {"test_a.py": crashing, "test_b.py": FINE, "test_c.py": FINE}, "--processes=1")
    assert outcomes(ended.stdout) == ["test_a.py::test_crashing"]
    assert "1 failed, 3 passed" in ended.stdout


def test_a_process_that_fails_outside_of_its_tests_fails_the_run(tmp_path: Path) -> None:
    failing = "def pytest_sessionfinish(session):\n    if hasattr(session.config, 'workerinput'): raise ValueError"
    ended = run(tmp_path, {"conftest.py": failing, "test_a.py": FINE})
    assert ended.returncode == pytest.ExitCode.INTERNAL_ERROR
    assert "failed outside of its tests" in ended.stdout + ended.stderr


def test_the_first_failure_can_stop_all_processes_which_tear_down_their_fixtures(tmp_path: Path) -> None:
    files = {"conftest.py": NOTING, "test_a.py": WAITING, "test_b.py": FAILING_ONCE_ANOTHER_WAITS}
    ended = run(tmp_path, files, "-x", "--timeout=60")
    assert ended.returncode == 1
    assert "stopping after 1 failures" in ended.stdout
    assert (tmp_path / "torn-down").exists()


def test_an_interrupted_run_ends_all_processes(tmp_path: Path) -> None:
    files = {"conftest.py": NOTING, "test_a.py": WAITING}
    ended = run(tmp_path, {**files, "test_b.py": INTERRUPTING}, "--timeout=60")
    assert ended.returncode == pytest.ExitCode.INTERRUPTED
    assert (tmp_path / "torn-down").exists()


def test_files_that_cannot_be_imported_stop_the_run(tmp_path: Path) -> None:
    ended = run(tmp_path, {"test_a.py": "import nothing_by_this_name", "test_b.py": FINE})
    assert ended.returncode == pytest.ExitCode.INTERRUPTED
    assert "1 error" in ended.stdout
    assert "passed" not in ended.stdout
