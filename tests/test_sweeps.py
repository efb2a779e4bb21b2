"""Tests of the same sweep together use every value, and with FUZZ_SWEEPS each of them does."""

from __future__ import annotations

import os
from pathlib import Path

from tests.sweeps import pairs
from tests.warm.testing import pytest_run

ROOT = Path(__file__).parent.parent
TESTS = """
from tests.sweeps import Sweep

some = Sweep("value", range(7), every=3, ids=[f"number {value}" for value in range(7)])

@some
def test_first(value): ...

@some
def test_second(value): ...

@some
def test_third(value): ...

@some
def test_fourth(value): ...

@Sweep("value", range(7), every=3, ids=(f"number {value}" for value in range(7)), start=1)
def test_fifth(value): ...
"""


def collected(folder: Path, *, is_full: bool) -> dict[str, list[str]]:
    (folder / "test_them.py").write_text(TESTS, encoding="utf-8")
    variables = {name: value for name, value in os.environ.items() if name != "FUZZ_SWEEPS"}
    variables |= {"FUZZ_SWEEPS": "1"} if is_full else {}
    options = ["-q", "--collect-only", "-c", str(ROOT / "pytest.ini"), "--rootdir", str(ROOT)]
    output = pytest_run(*options, str(folder), variables=variables).stdout
    found: dict[str, list[str]] = {}
    for line in output.splitlines():
        test, bracket, value = line.partition("[number ")
        if bracket:
            found.setdefault(test.rpartition("::")[2], []).append(value.removesuffix("]"))
    return found


def test_by_default_tests_take_turns_with_the_values(tmp_path: Path) -> None:
    assert collected(tmp_path, is_full=False) == {
        "test_first": ["0", "3", "6"],
        "test_second": ["1", "4"],
        "test_third": ["2", "5"],
        "test_fourth": ["0", "3", "6"],
        "test_fifth": ["1", "4"],
    }


def test_in_full_each_test_takes_all_values(tmp_path: Path) -> None:
    every = [str(value) for value in range(7)]
    found = collected(tmp_path, is_full=True)
    assert found == dict.fromkeys(["test_first", "test_second", "test_third", "test_fourth", "test_fifth"], every)


def test_a_share_of_pairs_has_each_row_once_and_each_column() -> None:
    rows, columns = "abcdefg", [1, 2, 3]
    found = pairs(rows, columns)
    assert sorted(found) == [(row, column) for row in rows for column in columns]
    for start in range(3):
        assert "".join(row for row, _ in found[start::3]) == rows
        assert {column for _, column in found[start::3]} == set(columns)
