"""Reads the resource types of Azure and Microsoft Graph, by version, from Bicep's type libraries."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any, Final

from bicep_checker.carry_types import CARRIED
from bicep_checker.shapes import (
    ANYTHING,
    TRUTH,
    Choice,
    Field,
    ListOf,
    NumberShape,
    Record,
    Shape,
    TextShape,
    one_of,
)

# A hand-written file for a type that is missing from the generated files.
BY_HAND: Final = CARRIED / "by_hand.json"
_REQUIRED, _READ_ONLY, _CONSTANT = 1, 2, 8
SCOPES: Final = {"tenant": 1, "managementGroup": 2, "subscription": 4, "resourceGroup": 8}
EXTENSION: Final = 16
_ANYWHERE: Final = sum(SCOPES.values())


@dataclass(frozen=True, slots=True)
class ResourceType:
    name: str
    version: str
    body: Record | Choice
    scopes: int  # the scopes to which the resource can be deployed

    @property
    def everywhere(self) -> Mapping[str, Field]:
        """The properties that all variants of the type have."""
        return self.body.shared if isinstance(self.body, Choice) else self.body.fields


@dataclass(frozen=True)
class ResourceTypes:
    """All resource types. Each type is built when it is first used."""

    built: dict[tuple[str, str], ResourceType | None] = field(default_factory=dict)

    def get(self, name: str, version: str) -> ResourceType | None:
        """Return exactly this version of a type, or None if this version is unknown."""
        key = name.lower(), version
        if key not in self.built:
            self.built[key] = self._build(*key)
        return self.built[key]

    def versions(self, name: str) -> Sequence[str]:
        """Return all published versions of a type."""
        found: Sequence[str] = self._entry(name).get("versions", ())
        return found

    def newest_stable(self, name: str) -> str:
        found: str = self._entry(name).get("newest_stable", "")
        return found

    @property
    def names(self) -> list[str]:
        return [entry["name"] for entry in self._index.values()]

    def _entry(self, name: str) -> Mapping[str, Any]:
        entry: Mapping[str, Any] = self._index.get(name.lower(), {})
        return entry

    def _build(self, name: str, version: str) -> ResourceType | None:
        file = self._entry(name).get("files", {}).get(version)
        types = _carried(file.partition("/")[0])[file] if file else self._by_hand
        wanted = f"{name}@{version}"
        found = next((one for one in types if one["$type"] == "ResourceType" and one["name"].lower() == wanted), None)
        return _Reader(types).resource(found) if found else None

    @cached_property
    def _index(self) -> dict[str, dict[str, Any]]:
        return {name.lower(): {**entry, "name": name} for name, entry in _carried("index").items()}

    @cached_property
    def _by_hand(self) -> list[dict[str, Any]]:
        content: list[dict[str, Any]] = json.loads(BY_HAND.read_text(encoding="utf-8"))
        return content


@cache
def _carried(name: str) -> Any:
    return json.loads(gzip.decompress((CARRIED / f"{name}.json.gz").read_bytes()))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads a file in which types refer to each other by index."""

    types: Sequence[Mapping[str, Any]]
    known: dict[str, Shape] = field(default_factory=dict)

    def resource(self, entry: Mapping[str, Any]) -> ResourceType:
        name, _, version = entry["name"].partition("@")
        body = self.shape(entry["body"])
        if not isinstance(body, Record | Choice):
            raise TypeError(f"{name} has no body")
        return ResourceType(name, version, body, entry.get("writableScopes", _ANYWHERE))

    def shape(self, reference: Mapping[str, str]) -> Shape:
        place = reference["$ref"]
        if place not in self.known:
            self.known[place] = self._shape(self.types[int(place.removeprefix("#/"))])
        return self.known[place]

    def _shape(self, entry: Mapping[str, Any]) -> Shape:
        match entry["$type"]:
            case "ObjectType":
                return self._record(entry)
            case "DiscriminatedObjectType":
                return self._choice(entry)
            case "ArrayType":
                return ListOf(self.shape(entry["itemType"]), entry.get("minLength", 0), entry.get("maxLength"))
            case "UnionType":
                return _union([self.shape(element) for element in entry["elements"]])
            case _:
                return _single(entry)

    def _record(self, entry: Mapping[str, Any]) -> Record:
        rest = entry.get("additionalProperties")
        return Record(
            entry["name"], self._fields(entry["properties"]), self.shape(rest) if rest else None, lenient=True
        )

    def _fields(self, properties: Mapping[str, Any]) -> dict[str, Field]:
        return {name: self._field(item) for name, item in properties.items()}

    def _field(self, item: Mapping[str, Any]) -> Field:
        flags = item["flags"]
        find = partial(self.shape, item["type"])
        return Field(find, bool(flags & _REQUIRED), bool(flags & _READ_ONLY), bool(flags & _CONSTANT))

    def _choice(self, entry: Mapping[str, Any]) -> Choice:
        shared = self._fields(entry["baseProperties"])
        return Choice(entry["name"], entry["discriminator"], dict(self._forms(entry, shared)), shared)

    def _forms(self, entry: Mapping[str, Any], shared: Mapping[str, Field]) -> Iterator[tuple[str, Record]]:
        for value, element in entry["elements"].items():
            form = self.shape(element)
            if not isinstance(form, Record):
                raise TypeError(f"{value} of {entry['name']} has no fields")
            yield value, Record(form.name, {**shared, **form.fields}, form.rest, lenient=True)


def _single(entry: Mapping[str, Any]) -> Shape:
    match entry["$type"]:
        case "StringLiteralType":
            return TextShape(frozenset([entry["value"]]))
        case "StringType":
            return _text(entry)
        case "IntegerType":
            return NumberShape(least=entry.get("minValue"), most=entry.get("maxValue"))
        case "BooleanType":
            return TRUTH
        case _:
            return ANYTHING


def _text(entry: Mapping[str, Any]) -> TextShape:
    return TextShape(
        pattern=entry.get("pattern", ""),
        shortest=entry.get("minLength", 0),
        longest=entry.get("maxLength"),
        secret=entry.get("sensitive", False),
    )


def _union(parts: list[Shape]) -> Shape:
    """Combine types. If `string` is one of the types, all strings are allowed, and literals are only examples."""
    texts = [part for part in parts if isinstance(part, TextShape)]
    known = frozenset().union(*(part.values for part in texts if part.values is not None))
    if len(texts) == len(parts) and any(part.values is None for part in texts):
        return TextShape(known=known)
    return one_of(*parts)
