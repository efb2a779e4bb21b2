"""The words of the declarations: each is declared once, and means one thing in all toolsets."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.tools.azure_devops.data import ROOT

FOLDER = ROOT / "tools" / "azure_devops"


def test_a_name_for_a_type_is_declared_once() -> None:
    names = Counter(name for path in FOLDER.rglob("*.py") for name in _named_types(path))
    assert [name for name, times in names.items() if times > 1] == []


def _named_types(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith(("Annotated[", "Literal[")):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
