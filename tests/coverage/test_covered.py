"""What is told of what tests run."""

from __future__ import annotations

import pytest

from scripts import covered


def counts(lines: int, branches: int) -> dict[str, dict[str, int]]:
    there = {"num_statements": 1000, "num_branches": 1000}
    return {"summary": {"covered_lines": lines, "covered_branches": branches, **there}}


def test_each_room_is_told_and_so_is_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    files = {"host.py": counts(1000, 900), "tools/a.py": counts(950, 901), "tools/b/c.py": counts(900, 900)}
    assert covered.told(files) == 0
    assert capsys.readouterr().out.splitlines() == [
        "| room | lines | branches |",
        "|---|---:|---:|",
        "| (files at the root) | 100.0 % | 90.0 % |",
        "| tools | 92.5 % | 90.0 % |",
        "| all | 95.0 % | 90.0 % |",
    ]


@pytest.mark.parametrize(("lines", "branches", "what"), [(949, 1000, "lines"), (1000, 899, "branches")])
def test_less_than_is_promised_fails(capsys: pytest.CaptureFixture[str], lines: int, branches: int, what: str) -> None:
    assert covered.told({"tools/a.py": counts(lines, branches)}) == 1
    promised = covered.FEWEST[what]
    assert (
        capsys.readouterr().out.splitlines()[-1]
        == f"Too few {what} are covered. The required minimum is {promised:g} %."
    )


def test_what_nobody_counted_is_no_success() -> None:
    assert covered.told({}) == 1
