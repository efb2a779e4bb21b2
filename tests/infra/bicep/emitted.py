"""What Bicep's compiler emits, an ARM template, computed with the same values as the check computes Bicep with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.infra.bicep.expressions import (
    Array,
    Binary,
    Call,
    Expression,
    Index,
    Lambda,
    Member,
    Name,
    Null,
    Number,
    Object,
    Property,
    Ternary,
    Text,
    Truth,
    Unary,
)
from tests.infra.bicep.known import Asked, Fields, Id, Thing, Value, said
from tests.infra.bicep.partly import Partly

_TOKEN: Final = re.compile(r"\s*('(?:[^']|'')*'|-?\d+|\w+|[()\[\],.])")
_HOLE: Final = re.compile(r"\{(\d+)\}")
_OF_ARM: Final = {"apiVersion", "condition", "copy", "dependsOn", "import", "name", "scope", "type"}


def read(text: str) -> Expression:
    """An expression of ARM, as the same one in Bicep."""
    tokens = _TOKEN.findall(text)[::-1]
    return _suffixed(tokens)


def _suffixed(tokens: list[str]) -> Expression:
    found = _single(tokens)
    while tokens and tokens[-1] in {".", "["}:
        if tokens.pop() == ".":
            found = Member(found, tokens.pop(), line=1)
        else:
            found = Index(found, _suffixed(tokens), line=1)
            tokens.pop()
    return found


def _single(tokens: list[str]) -> Expression:
    token = tokens.pop()
    if token.startswith("'"):
        return _literal(token[1:-1].replace("''", "'"))
    if token.lstrip("-").isdigit():
        return Number(int(token), line=1)
    given: list[Expression] = []
    while tokens.pop() != ")":  # an opening bracket, then commas
        if tokens[-1] != ")":
            given.append(_suffixed(tokens))
    return _FORMS[token](given) if token in _FORMS else Call(token, tuple(given), line=1)


def _literal(text: str) -> Text:
    return Text((text,), line=1)


def _format(given: list[Expression]) -> Expression:
    pieces = _HOLE.split(str(_word(given[0])))
    parts = [given[int(piece) + 1] if at % 2 else piece for at, piece in enumerate(pieces)]
    return Text(tuple(parts), line=1)


def _word(found: Expression) -> str:
    return (found.literal or "") if isinstance(found, Text) else ""


def _object(given: list[Expression]) -> Expression:
    pairs = zip(given[::2], given[1::2], strict=True)
    return Object(tuple(Property(_word(key), value, 1) for key, value in pairs), line=1)


def _try(given: list[Expression]) -> Expression:
    found = given[0]
    for name in given[1:]:
        found = Member(found, _word(name), safe=True, line=1)
    return found


def _named(kind: str) -> Callable[[list[Expression]], Expression]:
    return lambda given: Name(f"{kind} {_word(given[0])}" if given else kind, line=1)


def _binary(operator: str) -> Callable[[list[Expression]], Expression]:
    return lambda given: Binary(operator, given[0], given[1], line=1)


_FORMS: Final[Mapping[str, Callable[[list[Expression]], Expression]]] = {
    "and": _binary("&&"),
    "coalesce": _binary("??"),
    "copyIndex": _named("copyIndex"),
    "createArray": lambda given: Array(tuple(given), line=1),
    "createObject": _object,
    "equals": _binary("=="),
    "false": lambda _: Truth(False, line=1),
    "format": _format,
    "if": lambda given: Ternary(*given, line=1),
    "lambda": lambda given: Lambda(tuple(f"lambdaVariables {_word(one)}" for one in given[:-1]), given[-1], line=1),
    "lambdaVariables": _named("lambdaVariables"),
    "not": lambda given: Unary("!", given[0], line=1),
    "null": lambda _: Null(line=1),
    "or": _binary("||"),
    "parameters": _named("parameters"),
    "true": lambda _: Truth(True, line=1),
    "tryGet": _try,
    "variables": _named("variables"),
}


@dataclass(frozen=True, slots=True)
class Template:
    """A template of ARM. `identities` tells the resources, which it names by their ids, by their symbols."""

    content: Mapping[str, Any]
    parameters: Mapping[str, Value]
    identities: Mapping[str, str]
    name: str = ""

    def resources(self) -> Iterator[tuple[str, Value]]:
        """What is made, here and in nested templates: kind and name, and the values."""
        found = self.content["resources"]
        for entry in found.values() if isinstance(found, dict) else found:
            if entry["type"] == "Microsoft.Resources/deployments":
                if self.value(entry.get("condition", True), {}):
                    yield from self.nested(entry).resources()
                continue
            for local in self._times(entry, "copyIndex"):
                if self.value(entry.get("condition", True), local):
                    yield self._resource(entry, local)

    def outputs(self) -> dict[str, Value]:
        return {name: self.value(one["value"], {}) for name, one in self.content["outputs"].items()}

    def dependencies(self) -> dict[str, set[str]]:
        """For each nested template, those that have to come before it."""
        nested = [one for one in self.content["resources"] if one["type"] == "Microsoft.Resources/deployments"]
        found = {one["name"]: [self.value(text, {}) for text in one["dependsOn"]] for one in nested}
        return {name: {to.names[-1] for to in ids if "deployments" in to.kind} for name, ids in found.items()}

    def _resource(self, entry: Mapping[str, Any], local: Mapping[str, Value]) -> tuple[str, Value]:
        made = {key: self.value(value, local) for key, value in entry.items() if key not in _OF_ARM}
        kind = entry["type"].partition("@")[0].lower()
        if "import" in entry:
            body = made["properties"]
            return f"{kind} {said(body.get('uniqueName') or body.get('name') or body.get('appId'))}", body
        name, scope = (self.value(entry.get(key), local) for key in ("name", "scope"))
        return f"{kind} {name} {scope or ''}", made

    def _times(self, entry: Mapping[str, Any], index: str) -> list[dict[str, Value]]:
        if "copy" not in entry:
            return [{}]
        return [{index: at} for at in range(self.value(entry["copy"]["count"], {}))]

    def nested(self, entry: Mapping[str, Any]) -> Template:
        inner = entry["properties"]
        given = {name: self.value(value, {}) for name, value in inner["parameters"].items()}
        values = {name: value["value"] for name, value in given.items()}
        return Template(inner["template"], values, self.identities, entry["name"])

    def value(self, found: Any, local: Mapping[str, Value]) -> Value:
        """What a part of the template comes to."""
        if isinstance(found, str):
            return self._text(found, local)
        if isinstance(found, list):
            return [self.value(item, local) for item in found]
        if not isinstance(found, dict):
            return found
        entries = ((self.value(key, local), value) for key, value in found.items() if key != "copy")
        made = Fields({said(key).strip("'"): self.value(value, local) for key, value in entries})
        for copy in found.get("copy", ()):
            times = range(self.value(copy["count"], local))
            index = f"copyIndex {copy['name']}"
            made[copy["name"]] = [self.value(copy["input"], {**local, index: at}) for at in times]
        return made

    def _text(self, text: str, local: Mapping[str, Value]) -> Value:
        if not text.startswith("[") or text.startswith("[["):
            return text
        partly = Partly(lambda name: self._look(name, local), Path(), lambda *_: None, {"reference": self._reference})
        return partly.of(read(text[1:-1]))

    def _look(self, name: str, local: Mapping[str, Value]) -> Value:
        kind, _, word = name.partition(" ")
        if name in local:
            return local[name]
        if kind == "parameters":
            return self.parameters[word]
        return self.value(self.content["variables"][word], {})

    def _reference(self, to: Value, *_: Value) -> Value:
        if isinstance(to, Id) and to.kind == "Microsoft.Resources/deployments":
            entry = next(one for one in self.content["resources"] if one["name"] == to.names[-1])
            inner = self.nested(entry)
            outputs = inner.content.get("outputs", {})
            return {"outputs": {name: {"value": inner.value(one["value"], {})} for name, one in outputs.items()}}
        if isinstance(to, str):
            return Asked(f"{self.name}/{to}", "", "")
        return Asked(f"{self.identities[said(to)]}.properties", "", "")


def of_bicep(things: list[Thing]) -> dict[str, Value]:
    """The same of what the check computes: kind and name, and the values."""
    made = {}
    for thing in things:
        own = {"parent", "scope", "dependsOn"}
        body = {key: value for key, value in thing.body.items() if key not in own}
        if thing.kind.startswith("Microsoft.Graph/"):
            name = said(body.get("uniqueName") or body.get("name") or body.get("appId"))
            made[f"{thing.kind.lower()} {name}"] = body
            continue
        body.pop("name", None)
        names = "/".join(str(name) for name in thing.names)
        made[f"{thing.kind.lower()} {names} {thing.scope.id if isinstance(thing.scope, Thing) else ''}"] = body
    return made


def plain(value: Value) -> Any:
    """A value that can be compared, in whatever order its entries are."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in sorted(value.items())}
    return [plain(item) for item in value] if isinstance(value, list) else said(value)
