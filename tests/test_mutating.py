"""The faults that `scripts/mutants` plants."""

from __future__ import annotations

import ast

import pytest

from scripts.mutating import mutants_of


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("allowed = role == owner", ["allowed = (role != owner)"]),
        ("allowed = age < 18", ["allowed = (age <= 18)", "allowed = age < 19"]),
        ("allowed = not denied", ["allowed = (denied)"]),
        ("ok = a and b", ["ok = ((a) or (b))", "ok = (a)", "ok = (b)"]),
        ("ok = a if b else c", ["ok = (a)", "ok = (c)"]),
        ("ok = True", ["ok = False"]),
        ("left = total - used", ["left = (total + used)"]),
        ("text = 'a' + name", []),
        ("check(token)", ["pass"]),
        ("raise ValueError(text)", ["pass"]),
        ("é = called(x) > 1", ["é = (called(x) >= 1)", "é = called(x) > 2"]),
    ],
)
def test_each_fault_of_a_line_leaves_python(line: str, faults: list[str]) -> None:
    source = line.encode()
    planted = [mutant.planted(source).decode() for mutant in mutants_of("a.py", source)]
    assert sorted(planted) == sorted(faults)
    assert all(ast.parse(text) for text in planted)


def test_annotations_and_what_type_checkers_read_are_left_alone() -> None:
    source = b"if TYPE_CHECKING:\n    import a\nKind = A | B\ndef f(x: Literal[1]) -> Literal[2]:\n    return x\n"
    assert [mutant.replacement for mutant in mutants_of("a.py", source)] == ["return None"]


def test_a_fault_is_described_by_file_line_and_both_texts() -> None:
    source = b"x = 1\nif x == 2:\n    pass\n"
    described = [mutant.described(source) for mutant in mutants_of("rooms/a.py", source)]
    assert "rooms/a.py:2: x == 2 -> (x != 2)" in described


def test_what_is_declared_of_a_class_and_checked_of_our_own_pairs_is_left_alone() -> None:
    source = b"@dataclass(frozen=True)\nclass A:\n    b = True\nc = zip(d, e, strict=True)\nf(strict=True)\n"
    assert {mutant.line for mutant in mutants_of("a.py", source)} == {3, 5}
