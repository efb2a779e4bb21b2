"""The schemas of Azure resources: as Azure's own tool carries them, and by hand for the few that it lacks."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import yaml

from scripts import environment
from tests import npm
from tests.infra.bicep.shapes import (
    ANYTHING,
    ARRAY,
    NUMBER,
    OBJECT,
    TEXT,
    TRUTH,
    Choice,
    Field,
    ListOf,
    Record,
    Shape,
    TextShape,
    one_of,
)

AZMCP: Final = Path(__file__).parent.parent / "azmcp"
BY_HAND: Final = Path(__file__).parent / "by_hand.yaml"
_TYPE: Final = re.compile(r"Microsoft\.\w+(/\w+)+")
_WORDS: Final[Mapping[str, Shape]] = {
    "any": ANYTHING,
    "array": ARRAY,
    "bool": TRUTH,
    "int": NUMBER,
    "object": OBJECT,
    "string": TEXT,
}


@dataclass(frozen=True, slots=True)
class ResourceType:
    name: str
    version: str
    body: Record | Choice
    # Where such a resource may be deployed to: `ResourceGroup`, `Subscription`, and so on.
    scopes: frozenset[str] = frozenset({"ResourceGroup"})


@dataclass(frozen=True)
class ResourceTypes:
    """All types that were asked for; each is read once, and kept on disk for the next run."""

    read: dict[str, ResourceType | None] = field(default_factory=dict)

    def get(self, name: str, version: str) -> ResourceType | None:
        """The type, or nothing if neither source knows it. Its version may be another one than was asked for."""
        if (found := self._by_hand.get((name, version))) is not None:
            return found
        if not _TYPE.fullmatch(name):
            return None
        if name not in self.read:
            self.read[name] = _from_azure(name, _answer(npm.installed(AZMCP), name))
        return self.read[name]

    def prepare(self, names: Iterable[str]) -> None:
        """Read several at once: each takes a second when it is asked for the first time."""
        written = {name for name, _ in self._by_hand}
        wanted = sorted(name for name in set(names) - written - self.read.keys() if _TYPE.fullmatch(name))
        packages = npm.installed(AZMCP)
        with ThreadPoolExecutor(2) as pool:
            for name, answer in zip(wanted, pool.map(partial(_answer, packages), wanted), strict=True):
                self.read[name] = _from_azure(name, answer)

    @cached_property
    def _by_hand(self) -> dict[tuple[str, str], ResourceType]:
        written = yaml.safe_load(BY_HAND.read_text(encoding="utf-8"))
        types = [_written(name, content) for name, content in written.items()]
        return {(entry.name, entry.version): entry for entry in types}


def _answer(packages: npm.Packages, name: str) -> dict[str, Any]:
    kept = environment.LOCAL / f"{packages.folder.name}-schemas" / f"{name.replace('/', '.')}.json"
    if kept.exists():
        content: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return content
    telemetry_off = {**packages.variables, "AZURE_MCP_COLLECT_TELEMETRY": "false"}
    asked = npm.Packages(packages.folder, telemetry_off).run("azmcp", "bicepschema", "get", "--resource-type", name)
    assert "{" in asked.stdout, asked.stderr
    content = json.loads(asked.stdout[asked.stdout.index("{") :])
    if content["status"] == 200:
        kept.parent.mkdir(exist_ok=True)
        written = kept.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(content), encoding="utf-8")
        written.replace(kept)  # whole, or not at all
    return content


def _from_azure(name: str, answer: Mapping[str, Any]) -> ResourceType | None:
    if answer["status"] != 200:
        return None
    entries = answer["results"]["BicepSchemaResult"]
    resource = next(entry for entry in entries if entry["$type"] == "Resource")
    types = {entry["name"]: entry for entry in entries if entry["$type"] in {"Object", "DiscriminatedObject"}}
    body = _object(resource["bodyType"], types)
    scopes = frozenset(resource["writableScopes"].split(", "))
    return ResourceType(name, resource["name"].rpartition("@")[2], body, scopes)


def _object(entry: Mapping[str, Any], types: Mapping[str, Any]) -> Record | Choice:
    if entry["$type"] == "DiscriminatedObject":
        return _choice(entry, types)
    rest = entry.get("additionalPropertiesType")
    fields = {item["name"]: _field(item, types) for item in entry["properties"]}
    return Record(entry["name"], fields, _shape(rest, types) if rest else None)


def _choice(entry: Mapping[str, Any], types: Mapping[str, Any]) -> Choice:
    shared = {item["name"]: _field(item, types) for item in entry["baseProperties"]}
    forms: dict[str, Record] = {}
    for element in entry["elements"]:
        form = _object(element, types)
        assert isinstance(form, Record)
        value = form.fields[entry["discriminator"]].shape
        assert isinstance(value, TextShape)
        forms |= {name: Record(form.name, {**shared, **form.fields}) for name in value.values or ()}
    return Choice(entry["name"], entry["discriminator"], forms)


def _field(item: Mapping[str, Any], types: Mapping[str, Any]) -> Field:
    flags = item.get("flags") or ""
    return Field(partial(_shape, item["type"], types), "Required" in flags, "ReadOnly" in flags)


def _shape(name: str, types: Mapping[str, Any]) -> Shape:
    if name.startswith("(") and name.endswith(")"):
        return _shape(name[1:-1], types)
    if name.endswith("[]"):
        return ListOf(_shape(name[:-2], types))
    if " | " in name:
        return one_of(*(_shape(part, types) for part in name.split(" | ")))
    if name in _WORDS:
        return _WORDS[name]
    return _object(types[name], types) if name in types else TextShape(frozenset([name]))


def _written(name: str, content: Mapping[str, Any]) -> ResourceType:
    kind, _, version = name.partition("@")
    standard = {"id~": "string", "type~": "string", "apiVersion~": "string"}
    if not kind.startswith("Microsoft.Graph/"):
        standard["name!"] = "string"
    body = _written_shape({**standard, **content["body"]}, kind)
    assert isinstance(body, Record)
    return ResourceType(kind, version, body, frozenset(content.get("scopes", ["ResourceGroup"])))


def _written_shape(content: Any, name: str) -> Shape:
    """In what is written by hand, `name!` is required and `name~` is read-only; `*` stands for any other name."""
    if isinstance(content, list):
        return ListOf(_written_shape(content[0], name))
    if isinstance(content, str):
        return _shape(content, {})
    rest = content.get("*")
    fields = {
        key.rstrip("!~"): Field(partial(_written_shape, value, f"{name}.{key}"), key[-1] == "!", key[-1] == "~")
        for key, value in content.items()
        if key != "*"
    }
    return Record(name, fields, _written_shape(rest, name) if rest else None)
