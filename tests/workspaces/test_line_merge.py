"""Merging line by line gives what git makes of the same three files."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from workspaces.line_merge import together


@pytest.mark.parametrize(
    ("before", "ours", "theirs", "expected"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n", b"a\nb\nc\nd\n", b"a\nB\nc\nd\n"),
        (b"a\nb\nc\n", b"a\nb\nc\n", b"", b""),
        (b"a\n", b"b\n", b"b\n", b"b\n"),
        (b"a\n", b"b", b"c", b"<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"),
        (b"", b"x\n", b"y\n", b"<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n"),
        (b"", b"", b"", b""),
    ],
)
def test_what_only_one_changed_is_taken_and_the_rest_is_marked(
    before: bytes, ours: bytes, theirs: bytes, expected: bytes
) -> None:
    assert together(before, ours, theirs) == (expected, b"<<<<" in expected)


def test_where_git_sees_no_conflict_the_merge_is_that_of_git(tmp_path: Path) -> None:
    chance = Random(7)  # noqa: S311 - the same texts each time
    before = [f"line {number}\n" for number in range(30)]
    agreed = 0
    for _ in range(40):
        versions = [_edited(before, chance) for _ in range(2)]
        names = [str(tmp_path / name) for name in ("ours", "before", "theirs")]
        for name, lines in zip(names, (versions[0], before, versions[1]), strict=True):
            Path(name).write_text("".join(lines))
        git = subprocess.run(["git", "merge-file", "-p", *names], capture_output=True, check=False)
        found = together(*("".join(lines).encode() for lines in (before, *versions)))
        if git.returncode == 0:
            agreed += 1
            assert found == (git.stdout, False)
    assert agreed > 5


def _edited(lines: list[str], chance: Random) -> list[str]:
    edited = list(lines)
    for _ in range(2):
        place = chance.randrange(len(edited))
        edited[place : place + chance.randint(0, 2)] = [f"new {chance.random()}\n"] * chance.randint(0, 2)
    return edited
