"""Mutates lines of Python in ways that good tests would detect."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

_OPPOSITES: Final[dict[type[ast.AST], str]] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.FloorDiv: "*",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutation: a range of bytes in a file, and the text that replaces these bytes."""

    file: str
    line: int
    start: int
    end: int
    replacement: str

    def planted(self, source: bytes) -> bytes:
        return source[: self.start] + self.replacement.encode() + source[self.end :]

    def described(self, source: bytes) -> str:
        was = source[self.start : self.end].decode()
        return f"{self.file}:{self.line}: {was} -> {self.replacement}"


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """Return all mutations of a file, except in code that does not affect behavior, such as annotations."""
    positions = _Positions(source)
    tree = ast.parse(source)
    skipped = {id(child) for node in ast.walk(tree) for root in _unread(node) for child in ast.walk(root)}
    return [
        Mutant(file, node.lineno, *positions.of(node), replacement)
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.stmt) and id(node) not in skipped
        for replacement in _replacements(node)
    ]


def _unread(node: ast.AST) -> Iterator[ast.AST]:
    """Yield code that no test can check: annotations, code for type checkers, and assertions that never fail."""
    if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation:
        yield node.annotation
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from filter(None, (node.returns, *node.decorator_list))
    if isinstance(node, ast.ClassDef):
        yield from node.decorator_list
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
        yield from node.keywords
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        yield node
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr):
        yield node


def _replacements(node: ast.AST) -> Iterator[str]:
    return _FAULTS.get(type(node), _none)(node)


def _none(_node: ast.AST) -> Iterator[str]:
    yield from ()


def _other_comparison(node: ast.Compare) -> Iterator[str]:
    if len(node.ops) == 1 and (opposite := _OPPOSITES.get(type(node.ops[0]))):
        yield f"({ast.unparse(node.left)} {opposite} {ast.unparse(node.comparators[0])})"


def _other_arithmetic(node: ast.BinOp) -> Iterator[str]:
    texts = any(isinstance(side, ast.Constant | ast.JoinedStr) for side in (node.left, node.right))
    if not texts and (opposite := _OPPOSITES.get(type(node.op))):
        yield f"({ast.unparse(node.left)} {opposite} {ast.unparse(node.right)})"


def _other_conditions(node: ast.BoolOp) -> Iterator[str]:
    parts = [f"({ast.unparse(value)})" for value in node.values]
    yield "(" + (" or " if isinstance(node.op, ast.And) else " and ").join(parts) + ")"
    yield from parts


def _without_not(node: ast.UnaryOp) -> Iterator[str]:
    if isinstance(node.op, ast.Not):
        yield f"({ast.unparse(node.operand)})"


def _other_value(node: ast.Constant) -> Iterator[str]:
    if isinstance(node.value, bool):
        yield str(not node.value)
    elif isinstance(node.value, int):
        yield str(node.value + 1)


def _either_branch(node: ast.IfExp) -> Iterator[str]:
    yield f"({ast.unparse(node.body)})"
    yield f"({ast.unparse(node.orelse)})"


def _nothing_returned(node: ast.Return) -> Iterator[str]:
    if node.value and not isinstance(node.value, ast.Constant):
        yield "return None"


def _nothing_done(node: ast.Expr) -> Iterator[str]:
    if isinstance(node.value, ast.Call | ast.Await):
        yield "pass"


def _nothing_raised(_node: ast.Raise) -> Iterator[str]:
    yield "pass"


_FAULTS: Final[dict[type[ast.AST], Callable[[Any], Iterator[str]]]] = {
    ast.Compare: _other_comparison,
    ast.BinOp: _other_arithmetic,
    ast.BoolOp: _other_conditions,
    ast.UnaryOp: _without_not,
    ast.Constant: _other_value,
    ast.IfExp: _either_branch,
    ast.Return: _nothing_returned,
    ast.Expr: _nothing_done,
    ast.Raise: _nothing_raised,
}


class _Positions:
    """Converts positions of nodes in a source file to byte positions."""

    def __init__(self, source: bytes) -> None:
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def of(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[end_line - 1] + end_column
