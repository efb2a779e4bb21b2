"""Finds the tests that are likely to fail after a change, most likely first."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

# A name is not specific if more than this number of test files contain it.
_MOST_MENTIONS: Final = 12
_SHORTEST_NAME: Final = 8
# How a test is related to a changed file, nearest first: the test is the changed file itself, is named after the file,
# imports the file, mentions the file, or is in the file's test folder.
ITSELF, NAMESAKE, IMPORTS, MENTIONS, NEIGHBOR = range(5)


def changed_files(root: Path, base: str = "main") -> list[str]:
    """Return the files that the current branch has changed since it branched off from `base`. If the
    current branch is `base`, return the files with uncommitted changes.
    """
    start = _git(root, "merge-base", "HEAD", base) or ["HEAD"]
    changed = _git(root, "diff", "--name-only", "--diff-filter=d", start[0])
    return sorted({*changed, *_git(root, "ls-files", "--others", "--exclude-standard")})


@dataclass(frozen=True)
class Checkout:
    """The files of a checkout. Each file is read only once."""

    root: Path

    def nearest_tests(self, changed: Iterable[str], farthest: int = NEIGHBOR) -> list[str]:
        """Return the test files for changed files, nearest first."""
        nearest: dict[str, int] = {}
        for file in changed:
            for test, distance in self._distances(file).items():
                nearest[test] = min(distance, nearest.get(test, distance))
        return sorted((test for test, how_far in nearest.items() if how_far <= farthest), key=lambda t: (nearest[t], t))

    def _distances(self, file: str) -> dict[str, int]:
        """Return each test that is related to a file, with the test's distance from the file. If a test has several
        relations to the file, the smallest distance counts.
        """
        mirrored = _mirror(file)
        return {
            **dict.fromkeys(self._neighbors(mirrored.parent), NEIGHBOR),
            **dict.fromkeys(self._mentioning(file), MENTIONS),
            **dict.fromkeys(self._importing(file), IMPORTS),
            **dict.fromkeys(self._namesakes(mirrored), NAMESAKE),
            **({file: ITSELF} if file in self.texts and _is_test(file) else {}),
        }

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The text of each Python file below `tests/`, by path."""
        files = _git(self.root, "ls-files", "--cached", "--others", "--exclude-standard", "--", "tests")
        return {file: _text(self.root / file) for file in files if file.endswith(".py")}

    @cached_property
    def _imports(self) -> Mapping[str, frozenset[str]]:
        return {file: frozenset(_imported(text)) for file, text in self.texts.items()}

    def _neighbors(self, folder: PurePosixPath) -> list[str]:
        """Return the tests in a folder, or in its nearest parent that has tests."""
        tests = [file for file in self.texts if _is_test(file)]
        while not (found := [file for file in tests if PurePosixPath(file).parent == folder]) and folder.name:
            folder = folder.parent
        return found

    def _namesakes(self, mirrored: PurePosixPath) -> list[str]:
        """Return tests named after a file: `tests/clients/test_rest_paths.py` for `clients/rest.py`."""
        folder = str(mirrored.parent)
        named = re.compile(rf"test_(\w+_)?{re.escape(mirrored.stem)}(_\w+)?\.py")
        return [file for file in self.texts if file.startswith(folder) and named.fullmatch(PurePosixPath(file).name)]

    def _importing(self, file: str) -> set[str]:
        """Return tests that import a module directly, or indirectly through shared test code such as fakes."""
        reached, waiting = set[str](), [file]
        while waiting:
            module = _module(waiting.pop())
            importing = {test for test, names in self._imports.items() if module in names} - reached
            reached |= importing
            waiting += [test for test in importing if not _is_test(test)]
        return {test for test in reached if _is_test(test)}

    def _mentioning(self, file: str) -> set[str]:
        """Return tests that mention a file. For a Python module, this means that the test mentions one of the module's
        declarations, such as a tool; for any other file, that the test mentions the file's name.
        """
        path = self.root / file
        names = _declared(_text(path)) if path.suffix == ".py" else [path.name]
        found: set[str] = set()
        for name in names:
            word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
            mentioning = [test for test, text in self.texts.items() if _is_test(test) and word.search(text)]
            found.update(mentioning if len(mentioning) <= _MOST_MENTIONS else ())
        return found


def _mirror(file: str) -> PurePosixPath:
    """Return the path in `tests/` that corresponds to the path of a file."""
    return PurePosixPath(file) if file.startswith("tests/") else PurePosixPath("tests", file)


def _is_test(file: str) -> bool:
    return PurePosixPath(file).name.startswith("test_")


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(text: str) -> Iterable[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _declared(text: str) -> list[str]:
    """Return a module's functions and classes, except those with names too short to be specific."""
    declarations = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [node.name for node in ast.parse(text).body if isinstance(node, declarations)]
    return [name for name in names if len(name) >= _SHORTEST_NAME and not name.startswith("_")]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _git(root: Path, *arguments: str) -> Sequence[str]:
    command = ["git", "-C", str(root), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    return result.stdout.split("\n")[:-1] if result.returncode == 0 else []
