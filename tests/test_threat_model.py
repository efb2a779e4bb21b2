"""What the threat model names is there: each test that shows something, and each bound with its value."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODEL = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(test_\w+)`", MODEL)))
BOUNDS = re.findall(r"^\| ([^|]+) \| (\d+) \| `([\w.]+)` \|$", MODEL, re.MULTILINE)
ATTACKS = sorted((ROOT / "tests" / "attacks").glob("test_*.py"))


@pytest.fixture(scope="module")
def known() -> set[str]:
    tests = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return {name for text in tests for name in re.findall(r"^ *(?:async )?def (test_\w+)\(", text, re.MULTILINE)}


@pytest.mark.parametrize("name", NAMED)
def test_a_test_that_shows_something_exists(name: str, known: set[str]) -> None:
    assert name in known


@pytest.mark.parametrize(("bound", "value", "name"), BOUNDS, ids=[name for _, _, name in BOUNDS])
def test_a_bound_is_the_one_in_the_code(bound: str, value: str, name: str) -> None:
    module, _, constant = name.rpartition(".")
    assert getattr(import_module(module), constant) == int(value), bound


def test_every_row_of_the_table_of_bounds_is_held_against_the_code() -> None:
    table = MODEL.partition("## Limits")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert len(rows) - 1 == len(BOUNDS) > 30


@pytest.mark.parametrize("attacks", ATTACKS, ids=lambda path: path.stem)
def test_each_kind_of_attack_is_a_part_of_the_model(attacks: Path) -> None:
    text = attacks.read_text(encoding="utf-8")
    assert set(re.findall(r"def (test_\w+)\(", text)) & set(NAMED)


@pytest.mark.parametrize("page", ["SECURITY.md", "README.md"])
def test_who_looks_for_security_finds_the_model(page: str) -> None:
    assert "(docs/threat-model.md)" in (ROOT / page).read_text(encoding="utf-8")
