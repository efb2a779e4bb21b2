"""Parses Bicep files into expressions with the tree-sitter grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final

import tree_sitter
import tree_sitter_bicep

from bicep_checker.expressions import (
    SPREAD,
    Array,
    Binary,
    Call,
    Expression,
    If,
    Index,
    Lambda,
    Loop,
    Member,
    Name,
    Null,
    Number,
    Object,
    Property,
    Sure,
    Ternary,
    Text,
    Truth,
    Unary,
    Unknown,
)

Node = tree_sitter.Node
_PARSER: Final = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bicep.language()))
# The grammar does not support spreads yet, so each spread is replaced with a property. The property's name and colon
# are as long as the spread operator, so all positions stay the same.
_SPREAD: Final = re.compile(rb"(?m)((?:^|[{,])[ \t]*)\.\.\.(?=[\w({])")
_NO_VALUE: Final = re.compile(rb"\w+:[ \t]*")
_ESCAPES: Final = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\", "\\'": "'", "\\$": "$"}


def parse(source: bytes) -> Node:
    return _PARSER.parse(_SPREAD.sub(rb"\1_s:", source)).root_node


def text(node: Node) -> str:
    return (node.text or b"").decode()


def line(node: Node) -> int:
    return node.start_point[0] + 1


def walk(node: Node, *, named: bool = False) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += reversed(found.named_children if named else found.children)


def child(node: Node, kind: str) -> Node | None:
    return next((found for found in node.children if found.type == kind), None)


def flaws(root: Node) -> Iterator[tuple[int, str, str]]:
    """Yield the line, code and text of each syntax error, including violations of Bicep's additional rules."""
    lines = (root.text or b"").split(b"\n")
    for node in walk(root, named=not root.has_error):
        if node.type == "ERROR" or node.is_missing:
            yield _misunderstood(node, lines)
        elif node.type in {"object", "array"}:
            yield from _unparted(node)


def _misunderstood(node: Node, lines: list[bytes]) -> tuple[int, str, str]:
    for at in (line(node), line(node) - 1):
        if 0 < at <= len(lines) and _NO_VALUE.fullmatch(lines[at - 1].strip()):
            return at, "BCP009", "a value is missing"
    return line(node), "BCP018", f"syntax error near {text(node)[:40]!r}"


def _unparted(node: Node) -> Iterator[tuple[int, str, str]]:
    entries = [found for found in node.children if found.type not in {"comment", "\n"}]
    for one, other in pairwise(entries):
        if one.is_named and other.is_named and one.end_point[0] == other.start_point[0]:
            yield line(other), "BCP238", "two entries on one line need a comma between them"


def expression(node: Node) -> Expression:
    """Convert a syntax node to an expression."""
    if node.type in _READERS:
        return _READERS[node.type](node)
    return Unknown(node.type, line=line(node))


def _field(node: Node, name: str) -> Expression:
    found = node.child_by_field_name(name)
    return expression(found) if found else Unknown(f"{node.type} without {name}", line=line(node))


def _text(node: Node) -> Text:
    parts: list[str | Expression] = []
    for piece in node.children:
        if piece.type == "string_content":
            parts.append(text(piece))
        elif piece.type == "escape_sequence":
            parts.append(_ESCAPES.get(text(piece), text(piece)))
        elif piece.type == "interpolation":
            parts.append(expression(piece.named_children[0]))
    return Text(tuple(parts), line=line(node))


def _object(node: Node) -> Object:
    entries = [entry for entry in node.named_children if entry.type == "object_property"]
    read = (_property(entry) for entry in entries if child(entry, "resource_declaration") is None)
    return Object(tuple(entry for entry in read if entry), line=line(node))


def _property(node: Node) -> Property | None:
    named = [entry for entry in node.named_children if entry.type not in {"decorators", "comment"}]
    if len(named) != 2:
        return None
    key, value = named
    return Property(_key(key), expression(value), line(node))


def _key(node: Node) -> str | Expression:
    if node.type != "string":
        return SPREAD if text(node) == "_s" else text(node)
    read = _text(node)
    return read if read.literal is None else read.literal


def _member(node: Node) -> Expression:
    of, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if of is None or name is None:
        return Unknown(node.type, line=line(node))
    safe, sure = child(node, ".?") is not None, child(node, "!") is not None

    def grow(end: Expression) -> Expression:
        inner = Sure(end, line=line(node)) if sure else end
        return Member(inner, text(name), safe=safe, line=line(node))

    return _at_the_end(expression(of), grow)


def _nested(node: Node) -> Expression:
    name = node.child_by_field_name("resource")
    return Member(_field(node, "object"), text(name) if name else "", nested=True, line=line(node))


def _index(node: Node) -> Expression:
    at = _field(node, "index")
    return _at_the_end(_field(node, "object"), lambda end: Index(end, at, line=line(node)))


def _at_the_end(of: Expression, grow: Callable[[Expression], Expression]) -> Expression:
    """Attach a suffix to the nearest operand, because the grammar parses `a ? b : c.d` as `(a ? b : c).d`."""
    if isinstance(of, Unary) and of.operator == "()":
        return grow(of)
    if isinstance(of, Lambda):
        return replace(of, body=_at_the_end(of.body, grow))
    if isinstance(of, Ternary):
        return replace(of, otherwise=_at_the_end(of.otherwise, grow))
    if isinstance(of, Binary):
        return replace(of, right=_at_the_end(of.right, grow))
    if isinstance(of, Unary):
        return replace(of, of=_at_the_end(of.of, grow))
    return grow(of)


def _parenthesized(node: Node) -> Expression:
    if not node.named_children:
        return Unknown(node.type, line=line(node))
    return Unary("()", expression(node.named_children[0]), line=line(node))


def _binary(node: Node) -> Expression:
    operator = node.child_by_field_name("operator")
    left, right = _field(node, "left"), _field(node, "right")

    def grow(end: Expression) -> Expression:
        return Binary(text(operator) if operator else "?", end, right, line=line(node))

    # Operators bind more tightly than ternaries and lambdas, so an operator after a ternary or lambda belongs to its
    # last operand.
    if isinstance(left, Ternary):
        return replace(left, otherwise=grow(left.otherwise))
    return replace(left, body=grow(left.body)) if isinstance(left, Lambda) else grow(left)


def _unary(node: Node) -> Expression:
    operator = node.child_by_field_name("operator")
    return Unary(text(operator) if operator else "?", _field(node, "argument"), line=line(node))


def _call(node: Node) -> Expression:
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    arguments = tuple(map(expression, _expressions(given))) if given else ()
    name = text(function).rpartition(".")[2] if function else ""
    return Call(name, arguments, line=line(node))


def _lambda(node: Node) -> Expression:
    names, body = _expressions(node)
    idents = names.named_children if names.type == "parenthesized_expression" else [names]
    return Lambda(tuple(map(text, idents)), expression(body), line=line(node))


def _ternary(node: Node) -> Expression:
    condition, then = _field(node, "condition"), _field(node, "consequence")
    return Ternary(condition, then, _field(node, "alternative"), line=line(node))


def _loop(node: Node) -> Expression:
    names = node.child_by_field_name("initializer") or child(node, "for_loop_parameters")
    body = node.child_by_field_name("body")
    over = next(entry for entry, before in zip(node.children[1:], node.children, strict=False) if before.type == "in")
    idents = names.named_children or [names] if names else []
    return Loop(tuple(map(text, idents)), expression(over), expression(body or node), line=line(node))


def _if(node: Node) -> Expression:
    condition, body = _expressions(node)[:2]
    return If(expression(condition), expression(body), line=line(node))


def _expressions(node: Node) -> list[Node]:
    return [found for found in node.named_children if found.type != "comment"]


_READERS: Final[dict[str, Callable[[Node], Expression]]] = {
    "array": lambda node: Array(tuple(map(expression, _expressions(node))), line=line(node)),
    "binary_expression": _binary,
    "boolean": lambda node: Truth(text(node) == "true", line=line(node)),
    "call_expression": _call,
    "for_statement": _loop,
    "identifier": lambda node: Name(text(node), line=line(node)),
    "if_statement": _if,
    "lambda_expression": _lambda,
    "member_expression": _member,
    "null": lambda node: Null(line=line(node)),
    "number": lambda node: Number(int(text(node)), line=line(node)),
    "object": _object,
    "parenthesized_expression": _parenthesized,
    "resource_expression": _nested,
    "string": _text,
    "subscript_expression": _index,
    "ternary_expression": _ternary,
    "unary_expression": _unary,
}
