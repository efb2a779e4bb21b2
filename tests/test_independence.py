"""A test module can be read, moved and run alone: what tests share is in plain modules beside them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
MODULES: Final = sorted(FOLDER.rglob("*.py"))
# An import, with the names in its brackets.
IMPORT: Final = re.compile(r"^[ \t]*(?:from\b.*?\bimport\b(?: *\([^)]*\)|.*)|import\b.*)", re.MULTILINE)


def test_nothing_is_imported_from_a_test_module_or_a_conftest() -> None:
    stems = {module.stem for module in MODULES if module.name.startswith("test_") or module.name == "conftest.py"}
    found = {str(path.relative_to(FOLDER)): _imported(path) & stems for path in MODULES}
    assert {path: names for path, names in found.items() if names} == {}


def _imported(path: Path) -> set[str]:
    return set(re.findall(r"\w+", " ".join(IMPORT.findall(path.read_text(encoding="utf-8")))))
