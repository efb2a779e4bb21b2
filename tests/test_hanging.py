"""A test that hangs is stopped and named, and the others run."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.warm.testing import pytest_run

ROOT = Path(__file__).parent.parent
HANGING = """
import asyncio

async def spin():
    while True:
        pass

async def test_yielding():
    while True:
        await asyncio.sleep(0)

async def test_waiting():
    task = asyncio.create_task(spin())
    await asyncio.Event().wait()

def test_fine():
    pass
"""
DEAF = """
import time

def test_deaf():
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            pass
"""


def stopped(folder: Path, tests: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Tests as they are run here, except that a second is as good as two minutes."""
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "test_them.py").write_text(tests)
    ours = ("-c", str(ROOT / "pytest.ini"), "--rootdir", str(folder))
    return pytest_run("-q", "--tb=no", "--timeout=0.5", *options, *ours, str(folder))


def test_each_that_hangs_fails_by_its_name_and_the_next_one_runs(tmp_path: Path) -> None:
    ended = stopped(tmp_path, HANGING)
    assert re.findall(r"^FAILED .*::(\w+)|(2 failed, 1 passed)", ended.stdout, re.MULTILINE) == [
        ("test_yielding", ""),
        ("test_waiting", ""),
        ("", "2 failed, 1 passed"),
    ], ended.stdout


def test_one_that_cannot_be_interrupted_ends_its_process_and_is_named(tmp_path: Path) -> None:
    ended = stopped(tmp_path, DEAF, "-p", "scripts.forking", "--processes=1")
    assert ended.returncode == 1
    assert re.search(r"^FAILED .*test_them.py::test_deaf", ended.stdout, re.MULTILINE)
    assert "in test_deaf" in ended.stderr
