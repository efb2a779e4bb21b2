"""Evaluates ARM templates that the Bicep compiler built. The results validate the checker's own evaluation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any, Final

from bicep_checker.expressions import Call, Expression, Index, Lambda, Member, Name, Number, Text
from bicep_checker.known import Asked, Fields, Id, Thing, Unknown, Value, mixed, said

_WORD: Final = re.compile(r"('(?:[^']|'')*'|-?\d+|\w+|[()\[\],.])")
_HOLE: Final = re.compile(r"\{(\d+)\}")
_OF_ARM: Final = {"apiVersion", "condition", "copy", "dependsOn", "import", "name", "scope", "type"}


def read(text: str) -> Expression:
    """Parse an ARM expression into function calls."""
    return _suffixed(_WORD.findall(text)[::-1])


def _suffixed(words: list[str]) -> Expression:
    found = _single(words)
    while words and words[-1] in {".", "["}:
        if words.pop() == ".":
            found = Member(found, words.pop(), line=1)
        else:
            found = Index(found, _suffixed(words), line=1)
            words.pop()
    return found


def _single(words: list[str]) -> Expression:
    first = words.pop()
    if first.startswith("'"):
        return Text((first[1:-1].replace("''", "'"),), line=1)
    if first.lstrip("-").isdigit():
        return Number(int(first), line=1)
    given: list[Expression] = []
    while words.pop() != ")":  # skips the opening parenthesis, then each comma
        if words[-1] != ")":
            given.append(_suffixed(words))
    return _called(first, given)


def _called(function: str, given: list[Expression]) -> Expression:
    names = [(one.literal or "") if isinstance(one, Text) else "" for one in given]
    if function in _NAMED:
        return Name(" ".join([function, *names]), line=1)
    if function == "lambda":
        return Lambda(tuple(f"lambdaVariables {name}" for name in names[:-1]), given[-1], line=1)
    return Call(function, tuple(given), line=1)


def _format(text: str, *given: Value) -> Value:
    pieces = _HOLE.split(text)
    return mixed([given[int(piece)] if at % 2 else piece for at, piece in enumerate(pieces)])


def _get(found: Value, *path: str) -> Value:
    for name in path:
        found = _asked(found, name) if isinstance(found, Unknown) else (found or {}).get(name)
    return found


def _asked(of: Unknown, name: str) -> Unknown:
    return Asked(f"{of.name}.{name}", "", "") if isinstance(of, Asked) else Unknown(f"{of.name}.{name}")


def _union(*given: Value) -> Value:
    if isinstance(given[0], dict):
        return {key: value for one in given for key, value in one.items()}
    return list({said(item): item for one in given for item in one}.values())


def _id(*given: Value) -> Id:
    place = next(at for at, one in enumerate(given) if isinstance(one, str) and one.startswith("Microsoft."))
    return Id(given[place], given[place + 1 :])


def _chosen(name: str) -> Callable[..., Value]:
    """Return the string function of this name. The function returns an unknown value if its arguments are unknown."""

    def called(*given: Value) -> Value:
        if all(isinstance(one, str | int | list) for one in given) and name in _TEXTS:
            return _TEXTS[name](*given)
        if name == "replace" and all(isinstance(one, str) for one in given[:2]):
            around = given[0].split(given[1])
            return mixed([around[0], *(part for text in around[1:] for part in (given[2], text))])
        return Unknown(f"{name}({', '.join(map(said, given))})")

    return called


_NAMED: Final = {"copyIndex", "lambdaVariables", "parameters", "variables"}
_TEXTS: Final[Mapping[str, Callable[..., Value]]] = {
    "cidrSubnet": lambda network, bits, at: str(list(ip_network(network).subnets(new_prefix=bits))[at]),
    "join": lambda items, between: between.join(items),
    "replace": lambda text, old, new: text.replace(old, new),
    "split": lambda text, at: text.split(at),
    "toLower": lambda text: text.lower(),
    "trim": lambda text: text.strip(),
}
# These implementations share no code with the checker, so comparing their results with the checker's results validates
# the checker.
_FUNCTIONS: Final[Mapping[str, Callable[..., Value]]] = {
    "and": lambda *given: all(given),
    "coalesce": lambda *given: next((one for one in given if one is not None), None),
    "concat": lambda *given: [item for one in given for item in one],
    "createArray": lambda *given: list(given),
    "createObject": lambda *given: dict(zip(given[::2], given[1::2], strict=True)),
    "empty": lambda one: one is None or one in ("", [], {}),
    "equals": lambda one, other: one == other,
    "extensionResourceId": _id,
    "false": lambda: False,
    "filter": lambda items, keep: [item for item in items if keep(item)],
    "format": _format,
    "if": lambda condition, then, otherwise: then if condition else otherwise,
    "items": lambda of: [{"key": key, "value": of[key]} for key in sorted(of)],
    "length": len,
    "map": lambda items, change: [change(item) for item in items],
    "not": lambda one: not one,
    "null": lambda: None,
    "resourceGroup": lambda *given: Unknown(f"resourceGroup({', '.join(map(said, given))})"),
    "resourceId": _id,
    "subscriptionResourceId": _id,
    "toObject": lambda items, key, value: {key(item): value(item) for item in items},
    "true": lambda: True,
    "tryGet": _get,
    "union": _union,
}


@dataclass(frozen=True, slots=True)
class Template:
    """An ARM template. `identities` maps resource IDs to symbols in Bicep."""

    content: Mapping[str, Any]
    parameters: Mapping[str, Value]
    identities: Mapping[str, str]
    name: str = ""

    def resources(self) -> Iterator[tuple[str, Value]]:
        """Yield the type, name and values of each resource, including resources in nested templates."""
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
        """For each nested template, return the nested templates that must be deployed before it."""
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
        """Evaluate a part of the template."""
        if isinstance(found, str):
            return self._text(found, local)
        if isinstance(found, list):
            return [self.value(item, local) for item in found]
        if not isinstance(found, dict):
            return found
        entries = ((self.value(key, local), value) for key, value in found.items() if key != "copy")
        made = Fields({said(key).strip("'"): self.value(value, local) for key, value in entries})
        for copy in found.get("copy", ()):
            made[copy["name"]] = self._copied(copy, local)
        return made

    def _copied(self, copy: Mapping[str, Any], local: Mapping[str, Value]) -> list[Value]:
        times = range(self.value(copy["count"], local))
        index = f"copyIndex {copy['name']}"
        return [self.value(copy["input"], {**local, index: at}) for at in times]

    def _text(self, text: str, local: Mapping[str, Value]) -> Value:
        if not text.startswith("[") or text.startswith("[["):
            return text
        return self._computed(read(text[1:-1]), local)

    def _computed(self, found: Expression, local: Mapping[str, Value]) -> Value:
        match found:
            case Text() | Number():
                return found.literal if isinstance(found, Text) else found.value
            case Name():
                return self._look(found.name, local)
            case Member():
                return _get(self._computed(found.of, local), found.name)
            case Index():
                return self._computed(found.of, local)[self._computed(found.at, local)]
            case Lambda(names=names, body=body):
                return lambda *given: self._computed(body, {**local, **dict(zip(names, given, strict=False))})
        if not isinstance(found, Call):
            raise TypeError(f"{found!r} is not computed")
        given = [self._computed(one, local) for one in found.arguments]
        own = self._reference if found.function == "reference" else _chosen(found.function)
        return _FUNCTIONS.get(found.function, own)(*given)

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
    """Map the type and name of each resource to the values that the checker determined."""
    return dict(map(_entry, things))


def _entry(thing: Thing) -> tuple[str, Value]:
    body = {key: value for key, value in thing.body.items() if key not in {"parent", "scope", "dependsOn"}}
    if thing.kind.startswith("Microsoft.Graph/"):
        name = said(body.get("uniqueName") or body.get("name") or body.get("appId"))
        return f"{thing.kind.lower()} {name}", body
    body.pop("name", None)
    names = "/".join(str(name) for name in thing.names)
    return f"{thing.kind.lower()} {names} {thing.scope.id if isinstance(thing.scope, Thing) else ''}", body


def plain(value: Value) -> Any:
    """Convert a value to a comparable form that does not depend on the order of entries."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in sorted(value.items())}
    return [plain(item) for item in value] if isinstance(value, list) else said(value)
