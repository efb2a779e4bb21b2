"""The declarations of a Bicep file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from bicep_checker import syntax
from bicep_checker.expressions import Call, Expression, If, Loop, Member, Name, Number, Object, Text
from bicep_checker.shapes import (
    ANYTHING,
    ARRAY,
    NULL,
    NUMBER,
    OBJECT,
    TEXT,
    TRUTH,
    ListOf,
    NumberShape,
    Shape,
    TextShape,
    may_be_null,
    one_of,
)

_PRIMITIVES: Final[dict[str, Shape]] = {"array": ARRAY, "bool": TRUTH, "int": NUMBER, "object": OBJECT, "string": TEXT}
_EXTENSION: Final = re.compile(rb"(?m)^extension (\w+)")
_SILENCED: Final = re.compile(rb"^[ \t]*#disable-next-line[ \t]+(.*)$", re.MULTILINE)
_ORDINARY: Final = {
    "metadata_declaration",
    "module_declaration",
    "output_declaration",
    "parameter_declaration",
    "resource_declaration",
    "variable_declaration",
}


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration. `kind` is parameter, variable, output, resource or module."""

    kind: str
    name: str
    line: int
    value: Expression | None
    shape: Shape = ANYTHING
    reference: str = ""  # the type and version of a resource, or the path of a module
    existing: bool = False
    decorators: tuple[Call, ...] = ()
    parent: str = ""
    children: tuple[Declaration, ...] = ()

    def decorated(self, name: str) -> Call | None:
        return next((found for found in self.decorators if found.function == name), None)

    @property
    def loop(self) -> Loop | None:
        return self.value if isinstance(self.value, Loop) else None

    @property
    def body(self) -> Object | None:
        """The body of a resource or module, without its loop and condition."""
        value = self.loop.body if self.loop else self.value
        value = value.body if isinstance(value, If) else value
        return value if isinstance(value, Object) else None

    @property
    def conditional(self) -> bool:
        return isinstance(self.loop.body if self.loop else self.value, If)

    def all(self) -> Iterator[Declaration]:
        yield self
        for nested in self.children:
            yield from nested.all()


@dataclass(frozen=True)
class Template:
    path: Path
    declarations: tuple[Declaration, ...]
    target: str = "resourceGroup"
    extensions: tuple[str, ...] = ()
    flaws: tuple[tuple[int, str, str], ...] = ()  # line number, code and text of each syntax error
    silenced: Mapping[int, frozenset[str]] = field(default_factory=dict)  # suppressed codes by line

    def of_kind(self, kind: str) -> Mapping[str, Declaration]:
        return self._by_kind.get(kind, {})

    @cached_property
    def _by_kind(self) -> dict[str, dict[str, Declaration]]:
        kinds: dict[str, dict[str, Declaration]] = {}
        for found in self.declarations:
            kinds.setdefault(found.kind, {})[found.name] = found
        return kinds

    def expressions(self, declaration: Declaration) -> Sequence[Expression]:
        """Return every expression in a declaration, and also in its nested resources and decorators."""
        if id(declaration) not in self._expressions:
            values = [found for entry in declaration.all() for found in (entry.value, *entry.decorators) if found]
            self._expressions[id(declaration)] = [part for value in values for part in value.everything()]
        return self._expressions[id(declaration)]

    def names(self, declaration: Declaration) -> Sequence[tuple[int, str]]:
        """Return the names that a declaration uses, each with its line number."""
        if id(declaration) not in self._names:
            self._names[id(declaration)] = list(_named(self.expressions(declaration)))
        return self._names[id(declaration)]

    def depends_on(self, declaration: Declaration) -> set[str]:
        """Return the resources and modules that a declaration refers to, directly or through variables."""
        found: set[str] = set()
        for _, name in self.names(declaration):
            declared = self.symbols.get(name)
            if declared and declared.kind == "variable":
                found |= self.depends_on(declared)
            elif declared and declared.kind in {"resource", "module"} and declared is not declaration:
                found |= self.depends_on(declared) if declared.existing else {name}
        return found

    @cached_property
    def _names(self) -> dict[int, list[tuple[int, str]]]:
        return {}

    @cached_property
    def _expressions(self) -> dict[int, list[Expression]]:
        return {}

    @cached_property
    def resources(self) -> dict[str, Declaration]:
        """All resources by name, including nested resources."""
        return {found.name: found for top in self.declarations if top.kind == "resource" for found in top.all()}

    @cached_property
    def symbols(self) -> Mapping[str, Declaration]:
        """Maps names to the declarations that expressions can refer to. Outputs are excluded, because their names are
        in a separate namespace.
        """
        outside = {found.name: found for found in self.declarations if found.kind != "output"}
        return {**self.resources, **outside}


def read(path: Path) -> Template:
    return _read(path, path.read_bytes())


@lru_cache(500)
def _read(path: Path, source: bytes) -> Template:
    extensions = tuple(name.decode() for name in _EXTENSION.findall(source))
    # The grammar does not support `extension` statements yet.
    root = syntax.parse(_EXTENSION.sub(lambda found: b" " * len(found[0]), source))
    declarations: list[Declaration] = []
    target, decorators = "resourceGroup", tuple[Call, ...]()
    flaws = list(syntax.flaws(root))
    if flaws:  # skipped, because the rest of the file would cause misleading errors
        return Template(path, (), target, extensions, tuple(flaws))
    silenced = dict(_silenced(source))
    for node in root.named_children:
        if node.type == "decorators":
            decorators = _decorators(node)
            continue
        if node.type == "target_scope_assignment":
            target = _target(node)
        elif node.type in _ORDINARY:
            declarations.append(_declaration(node, decorators))
        elif node.type not in {"comment", "ERROR", "diagnostic_comment"}:
            flaws.append((syntax.line(node), "unread", f"these checks do not support a {node.type}"))
        decorators = ()
    return Template(path, tuple(declarations), target, extensions, tuple(flaws), silenced)


def _silenced(source: bytes) -> Iterator[tuple[int, frozenset[str]]]:
    for found in _SILENCED.finditer(source):
        yield source.count(b"\n", 0, found.start()) + 2, frozenset(found[1].decode().split())


def _decorators(node: syntax.Node) -> tuple[Call, ...]:
    calls = (syntax.expression(found.named_children[-1]) for found in node.named_children)
    return tuple(call for call in calls if isinstance(call, Call))


def _target(node: syntax.Node) -> str:
    value = syntax.expression(node.named_children[-1])
    return (value.literal or "") if isinstance(value, Text) else ""


def _declaration(node: syntax.Node, decorators: tuple[Call, ...], parent: str = "") -> Declaration:
    name = syntax.child(node, "identifier")
    reference = syntax.child(node, "string") if node.type in {"resource_declaration", "module_declaration"} else None
    ident = syntax.text(name) if name else ""
    return Declaration(
        kind=node.type.removesuffix("_declaration"),
        name=ident,
        line=syntax.line(node),
        value=_value(node),
        shape=_declared_shape(node, decorators),
        reference=syntax.text(reference)[1:-1] if reference else "",
        existing=syntax.child(node, "existing") is not None,
        decorators=decorators,
        parent=parent,
        children=tuple(_nested(node, ident)),
    )


def _value(node: syntax.Node) -> Expression | None:
    sign = syntax.child(node, "=")
    after = [found for found in node.named_children if sign and found.start_byte > sign.start_byte]
    return syntax.expression(after[-1]) if after else None


def _nested(node: syntax.Node, parent: str) -> Iterator[Declaration]:
    body = next((found for found in syntax.walk(node) if found.type == "object"), None)
    if node.type != "resource_declaration":
        return
    for entry in body.named_children if body else ():
        inner = syntax.child(entry, "resource_declaration")
        if inner:
            decorators = syntax.child(entry, "decorators")
            yield _declaration(inner, _decorators(decorators) if decorators else (), parent)


def _declared_shape(node: syntax.Node, decorators: tuple[Call, ...]) -> Shape:
    declared = syntax.child(node, "type")
    if declared is None:
        return ANYTHING
    shape = _shape(declared.named_children[0])
    decorated = {call.function: call for call in decorators}
    if shape == TEXT:
        return _text_shape(decorated)
    if shape == NUMBER:
        allowed = frozenset(_numbers(decorated["allowed"])) if "allowed" in decorated else None
        return NumberShape(allowed, _bound(decorated.get("minValue")), _bound(decorated.get("maxValue")))
    return shape


def _text_shape(decorated: Mapping[str, Call]) -> TextShape:
    return TextShape(
        frozenset(_texts(decorated["allowed"])) if "allowed" in decorated else None,
        shortest=_bound(decorated.get("minLength")) or 0,
        longest=_bound(decorated.get("maxLength")),
        secret="secure" in decorated,
    )


def _texts(call: Call) -> Iterator[str]:
    for argument in call.arguments:
        yield from (found.literal for found in argument.everything() if isinstance(found, Text) and found.literal)


def _numbers(call: Call) -> Iterator[int]:
    for argument in call.arguments:
        yield from (found.value for found in argument.everything() if isinstance(found, Number))


def _bound(call: Call | None) -> int | None:
    return next(_numbers(call), None) if call else None


def _shape(node: syntax.Node) -> Shape:
    match node.type:
        case "primitive_type":
            return _PRIMITIVES.get(syntax.text(node), ANYTHING)
        case "array_type":
            return ListOf(_shape(node.named_children[0].named_children[0]))
        case "union_type":
            return TextShape(frozenset(syntax.text(part)[1:-1] for part in node.named_children))
        case "nullable_type":
            return one_of(_shape(node.named_children[0]), NULL)
        case _:
            return ANYTHING


def names_in(value: Expression) -> Iterator[tuple[int, str]]:
    yield from _named(value.everything())


def _named(expressions: Iterable[Expression]) -> Iterator[tuple[int, str]]:
    for found in expressions:
        if isinstance(found, Name) or (isinstance(found, Member) and found.nested):
            yield found.line, found.name


def required(parameter: Declaration) -> bool:
    return parameter.value is None and not may_be_null(parameter.shape)
