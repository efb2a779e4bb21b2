"""Every regular expression of the app: those that its modules hold, and those that stand where they are used."""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent
_NO_PART_OF_THE_APP: Final = frozenset({"tests", "scripts", "infra"})
_METHODS: Final = frozenset({"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"})
_MAY_USE_ONE: Final = re.compile(rf"\bpattern=|\.(?:{'|'.join(_METHODS)})\b")
AT_ONE_PLACE: Final = frozenset({"match", "fullmatch"})


@dataclass
class Expression:
    pattern: re.Pattern[str]
    where: str
    used_by: set[str] = field(default_factory=set)

    @property
    def is_looked_for(self) -> bool:
        """Whether it is tried at each place of a text."""
        return not self.used_by <= AT_ONE_PLACE or not self.used_by


def expressions() -> list[Expression]:
    found: dict[tuple[str, int], Expression] = {}
    for one in _all():
        known = found.setdefault((one.pattern.pattern, one.pattern.flags), one)
        known.used_by |= one.used_by
    return list(found.values())


def _all() -> Iterator[Expression]:
    modules = {_name_of(file): _nodes(file.read_text(encoding="utf-8")) for file in _files()}
    uses = _uses(modules)
    for name, nodes in modules.items():
        yield from _written_where_used(name, nodes)
        for variable, value in vars(importlib.import_module(name)).items():
            for pattern in _patterns_in(value):
                yield Expression(pattern, f"{name}.{variable}", set(uses[name, variable]))


def _nodes(text: str) -> Sequence[ast.AST]:
    """What a module consists of, if it may use a regular expression or have one of a parameter."""
    return [*ast.walk(ast.parse(text))] if _MAY_USE_ONE.search(text) else []


def _files() -> list[Path]:
    files = [
        path for path in ROOT.rglob("*.py") if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
    ]
    return [path for path in files if path.relative_to(ROOT).parts[0] not in _NO_PART_OF_THE_APP]


def _name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _patterns_in(value: Any, depth: int = 3) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, tuple | list | dict) and depth:
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        for part in parts:
            yield from _patterns_in(part, depth - 1)


def _uses(modules: Mapping[str, Sequence[ast.AST]]) -> dict[tuple[str, str], set[str]]:
    """By which methods each variable of a module is used, there and where it is imported."""
    uses: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, nodes in modules.items():
        imported = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _METHODS:
                uses[imported.get(node.value.id, (name, node.value.id))].add(node.attr)
    return uses


def _written_where_used(name: str, nodes: Sequence[ast.AST]) -> Iterator[Expression]:
    for node in nodes:
        where = f"{name}, line {getattr(node, 'lineno', 0)}"
        match node:
            case ast.Call(ast.Attribute(ast.Name("re"), attr), [ast.Constant(str(text)), *_]) if attr in _METHODS:
                yield Expression(re.compile(text), where, {attr})
            case ast.keyword("pattern", ast.Constant(str(text))):
                yield Expression(re.compile(text), where, {"match"})
