"""A test module can be read, moved and run alone: what tests share is in plain modules beside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_nothing_is_imported_from_a_test_module_or_a_conftest(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {part for node in ast.walk(tree) for name in _imported(node) for part in name.split(".")}
    stems = {module.stem for module in MODULES if module.name.startswith("test_") or module.name == "conftest.py"}
    assert names & stems == set()


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.module or ""
        yield from (alias.name for alias in node.names)
