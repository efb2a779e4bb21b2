"""The check of a template and of all modules that it uses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.infra.bicep import template as reading
from tests.infra.bicep.expressions import Array, Expression, If, Loop, Member, Name, Number, Object, Ternary, Text
from tests.infra.bicep.functions import DECORATORS
from tests.infra.bicep.inference import Inference, Local
from tests.infra.bicep.resource_types import ResourceType, ResourceTypes
from tests.infra.bicep.shapes import (
    ANYTHING,
    OBJECT,
    TEXT,
    TRUTH,
    Choice,
    ListOf,
    Record,
    Shape,
    TextShape,
    record,
    records,
)
from tests.infra.bicep.shapes import field as known
from tests.infra.bicep.template import Declaration, Problem, Template

_OF_EVERY_RESOURCE: Final = {"parent", "scope", "dependsOn"}
_OF_A_MODULE: Final = {"name", "scope", "params", "dependsOn"}
_LEVELS: Final = {"resourceGroup": "ResourceGroup", "subscription": "Subscription", "tenant": "Tenant"}


def check(main: Path, types: ResourceTypes) -> list[Problem]:
    """What is wrong with a template and with its modules."""
    files = _Files({})
    files.add(main)
    if flawed := [entry for entry in files.read.values() if entry.flaws]:
        return [Problem(entry.path.name, line, flaw) for entry in flawed for line, flaw in entry.flaws]
    types.prepare(_azure_types(files))
    found = [problem for entry in list(files.read.values()) for problem in _Check(entry, files, types).problems()]
    return sorted(set(found))


@dataclass(frozen=True)
class _Files:
    read: dict[Path, Template]

    def add(self, path: Path) -> None:
        self.read[path] = reading.read(path)
        for module in self.read[path].of_kind("module").values():
            inner = (path.parent / module.reference).resolve()
            if inner.is_file() and inner not in self.read:
                self.add(inner)

    def module(self, of: Template, declaration: Declaration) -> Template | None:
        return self.read.get((of.path.parent / declaration.reference).resolve())


def _azure_types(files: _Files) -> Iterator[str]:
    for entry in files.read.values():
        for resource in entry.resources.values():
            kind = full_type(entry, resource)[0]
            if kind.startswith("Microsoft.") and not kind.startswith("Microsoft.Graph/"):
                yield kind


def full_type(template: Template, resource: Declaration) -> tuple[str, str]:
    """The type and the version of a resource; a nested one continues those of its parent."""
    kind, _, version = resource.reference.partition("@")
    if not resource.parent:
        return kind, version
    outer, outer_version = full_type(template, template.resources[resource.parent])
    return f"{outer}/{kind}", version or outer_version


@dataclass
class _Check:
    template: Template
    files: _Files
    types: ResourceTypes
    told: list[Problem] = field(default_factory=list)

    def tell(self, line: int, text: str) -> None:
        self.told.append(Problem(self.template.path.name, line, text))

    def problems(self) -> list[Problem]:
        if self.template.target not in {*_LEVELS, "managementGroup"}:
            self.tell(1, f"there is no target scope {self.template.target!r}")
        self._names()
        self._extensions()
        self._circles()
        self.inference = Inference(self.template, self._outside, self.tell)
        for declaration in self.template.declarations:
            for entry in declaration.all():
                self._declaration(entry)
        return self.told

    # Names

    def _names(self) -> None:
        seen: set[str] = set()
        outputs: set[str] = set()
        for declaration in self.template.declarations:
            names = outputs if declaration.kind == "output" else seen
            for entry in declaration.all():
                if entry.name in names:
                    self.tell(entry.line, f"{entry.name} is declared twice")
                names.add(entry.name)
        used = {name for declaration in self.template.declarations for name in _used(declaration)}
        for declaration in self.template.declarations:
            if declaration.kind in {"parameter", "variable"} and declaration.name not in used:
                self.tell(declaration.line, f"the {declaration.kind} {declaration.name} is never used")

    def _extensions(self) -> None:
        config = next(
            (found for folder in self.template.path.parents if (found := folder / "bicepconfig.json").is_file()), None
        )
        known = json.loads(config.read_text(encoding="utf-8")).get("extensions", {}) if config else {}
        for name in self.template.extensions:
            if name not in known:
                self.tell(1, f"bicepconfig.json does not name the extension {name}")

    def _circles(self) -> None:
        needs = {entry.name: set(_used(entry)) - {entry.name} for entry in self.template.symbols.values()}
        settled: set[str] = set()
        while ready := {name for name in needs if name not in settled and not (needs[name] & needs.keys()) - settled}:
            settled |= ready
        for name in sorted(needs.keys() - settled):
            if self.template.symbols[name].parent == "":
                self.tell(self.template.symbols[name].line, f"{name} depends on itself")

    # Declarations

    def _declaration(self, entry: Declaration) -> None:
        for decorator in entry.decorators:
            if decorator.function not in DECORATORS:
                self.tell(entry.line, f"there is no decorator {decorator.function}")
        match entry.kind:
            case "parameter":
                self._parameter(entry)
            case "resource":
                self._resource(entry)
            case "module":
                self._module(entry)
            case "output" if entry.value:
                self._fit(entry.value, entry.shape, f"the output {entry.name}", {})
            case "variable" if entry.value:
                self.inference.shape(entry.value, {})

    def _parameter(self, entry: Declaration) -> None:
        if entry.shape == ANYTHING:
            self.tell(entry.line, f"the parameter {entry.name} has a type that these checks do not know")
        if entry.value is None:
            return
        self._fit(entry.value, entry.shape, f"the default of {entry.name}", {})
        self._bounds(entry, entry.value)
        if entry.decorated("secure") and not (isinstance(entry.value, Text) and entry.value.literal == ""):
            self.tell(entry.line, f"the secure parameter {entry.name} has a default")

    def _bounds(self, entry: Declaration, value: Expression) -> None:
        """A number or a string that is given as it stands keeps to what the parameter allows."""
        if isinstance(value, Number):
            size, kinds = value.value, ("minValue", "maxValue")
        elif isinstance(value, Text) and value.literal is not None:
            size, kinds = len(value.literal), ("minLength", "maxLength")
        else:
            return
        least, most = (_bound(entry, kind) for kind in kinds)
        if (least is not None and size < least) or (most is not None and size > most):
            self.tell(value.line, f"{entry.name} is outside of its bounds")
        allowed = entry.decorated("allowed")
        if allowed and isinstance(value, Number) and size not in _numbers(allowed.arguments[0]):
            self.tell(value.line, f"{entry.name} is none of the allowed values")

    # Resources

    def _resource(self, entry: Declaration) -> None:
        kind, version = full_type(self.template, entry)
        if not version:
            self.tell(entry.line, f"{entry.name} has no API version")
            return
        found = self.types.get(kind, version)
        if found is None:
            self.tell(entry.line, f"there is no resource type {kind}@{version}")
            return
        if found.version != version:
            self.tell(entry.line, f"{kind} can be checked at version {found.version} only, and is {version}")
        if entry.body is None:
            self.tell(entry.line, f"{entry.name} has no body")
            return
        self._place(entry, found)
        local = self._locals(entry)
        if entry.existing:
            self._existing(entry.body, local)
        else:
            self._object(entry.body, found.body, kind, local, also=_OF_EVERY_RESOURCE)
        self._own_properties(entry.body, local)

    def _existing(self, body: Object, local: Local) -> None:
        for entry in body.properties:
            self.inference.shape(entry.value, local)
            if entry.key not in {"name", *_OF_EVERY_RESOURCE}:
                self.tell(entry.line, f"an existing resource takes no {entry.key}")
        if "name" not in body.named:
            self.tell(body.line, "an existing resource needs a name")

    def _place(self, entry: Declaration, found: ResourceType) -> None:
        body = entry.body.named if entry.body else {}
        level = _LEVELS.get(self.template.target, "")
        if level not in found.scopes and "scope" not in body and "Extension" not in found.scopes:
            self.tell(entry.line, f"{found.name} cannot be deployed to a {self.template.target}")
        if found.scopes == {"Extension"} and "scope" not in body:
            self.tell(entry.line, f"{found.name} needs a scope")
        if found.name.count("/") > 1 and not entry.parent and "parent" not in body:
            self.tell(entry.line, f"{found.name} needs a parent")

    def _own_properties(self, body: Object, local: Local) -> None:
        for name, value in body.named.items():
            if name in {"parent", "scope"}:
                self.inference.expect(value, OBJECT, name, local)
            elif name == "dependsOn":
                self.inference.expect(value, ListOf(OBJECT), name, local)

    def _locals(self, entry: Declaration) -> Local:
        if isinstance(entry.value, If):
            self.inference.expect(entry.value.condition, TRUTH, "a condition", {})
        nested = {found.name: self._outside(found) for found in self._siblings(entry)}
        return {**nested, **(self.inference.of_loop(entry.loop, {}) if entry.loop else {})}

    def _siblings(self, entry: Declaration) -> tuple[Declaration, ...]:
        return self.template.resources[entry.parent].children if entry.parent else ()

    # Modules

    def _module(self, entry: Declaration) -> None:
        inner, body, local = self.files.module(self.template, entry), entry.body, self._locals(entry)
        if inner is None or body is None:
            self.tell(entry.line, f"there is no file {entry.reference}")
            return
        for given in body.properties:
            if given.key not in _OF_A_MODULE:
                self.tell(given.line, f"a module takes no {given.key}")
        if inner.target != self.template.target and "scope" not in body.named:
            self.tell(entry.line, f"{entry.name} is for a {inner.target}, and needs a scope")
        self._own_properties(body, local)
        self._parameters(entry, inner, body.named.get("params", Object((), line=entry.line)), local)

    def _parameters(self, entry: Declaration, inner: Template, params: Expression, local: Local) -> None:
        wanted = inner.of_kind("parameter")
        given = params.named if isinstance(params, Object) else {}
        for name, value in given.items():
            if name not in wanted:
                self.tell(value.line, f"{entry.name} has no parameter {name}")
            else:
                self._fit(value, wanted[name].shape, f"the parameter {name} of {entry.name}", local)
                self._bounds(wanted[name], value)
        for name, parameter in wanted.items():
            if reading.required(parameter) and name not in given:
                self.tell(entry.line, f"{entry.name} needs the parameter {name}")

    def _outside(self, declaration: Declaration) -> Shape:
        """What a resource or a module offers to others."""
        if declaration.kind == "module":
            inner = self.files.module(self.template, declaration)
            outputs = {name: found.shape for name, found in inner.of_kind("output").items()} if inner else {}
            return record(declaration.name, {"name": TEXT, "outputs": record(f"module {declaration.name}", outputs)})
        found = self.types.get(*full_type(self.template, declaration))
        return found.body if found else ANYTHING

    # Values

    def _fit(self, value: Expression, expected: Shape, what: str, local: Local) -> None:
        """Check a value where something is expected of it, part by part where it is written out."""
        match value:
            case Object() if isinstance(expected, Record | Choice):
                self._object(value, expected, what, local)
            case Object() if forms := list(records(expected)):
                self._object(value, forms[0], what, local)
            case Array() if isinstance(expected, ListOf):
                for item in value.items:
                    self._fit(item, expected.item, f"an entry of {what}", local)
            case Ternary():
                self.inference.expect(value.condition, TRUTH, "a condition", local)
                self._fit(value.then, expected, what, local)
                self._fit(value.otherwise, expected, what, local)
            case Loop() if isinstance(expected, ListOf):
                inner = {**local, **self.inference.of_loop(value, local)}
                self._fit(value.body, expected.item, f"an entry of {what}", inner)
            case _:
                self.inference.expect(value, expected, what, local)

    def _object(
        self,
        value: Object,
        expected: Record | Choice,
        what: str,
        local: Local,
        also: frozenset[str] | set[str] = frozenset(),
    ) -> None:
        form = self._form(value, expected, what, local)
        if form is None:
            return
        seen: set[str] = set()
        for entry in value.properties:
            if not isinstance(entry.key, str):
                self.inference.shape(entry.key, local)
                self._fit(entry.value, form.rest or ANYTHING, what, local)
                continue
            if entry.key in seen:
                self.tell(entry.line, f"{what} has {entry.key} twice")
            seen.add(entry.key)
            if entry.key not in also:
                self._entry(entry.key, entry.value, form, what, local)
        for name, wanted in form.fields.items():
            if wanted.required and name not in seen:
                self.tell(value.line, f"{what} needs {name}")

    def _entry(self, name: str, value: Expression, form: Record, what: str, local: Local) -> None:
        inner = f"{what}.{name}"
        if name in form.fields:
            if form.fields[name].read_only:
                self.tell(value.line, f"{inner} is read-only")
            self._fit(value, form.fields[name].shape, inner, local)
        elif form.rest is not None:
            self._fit(value, form.rest, inner, local)
        else:
            self.tell(value.line, f"{what} has no property {name}")
            self.inference.shape(value, local)

    def _form(self, value: Object, expected: Record | Choice, what: str, local: Local) -> Record | None:
        if isinstance(expected, Record):
            return expected
        by = value.named.get(expected.by)
        shape = self.inference.shape(by, local) if by else None
        values = shape.values if isinstance(shape, TextShape) else None
        if not values or not values <= expected.forms.keys():
            self.tell(value.line, f"{what}.{expected.by} must be one of {', '.join(expected.forms)}")
            return None
        form = expected.forms[min(values)]
        return Record(form.name, {**form.fields, expected.by: known(TextShape(values))})


def _used(declaration: Declaration) -> Iterator[str]:
    """The names that a declaration uses."""
    for entry in declaration.all():
        for value in filter(None, [entry.value, *entry.decorators]):
            for found in value.everything():
                if isinstance(found, Name) or (isinstance(found, Member) and found.nested):
                    yield found.name


def _bound(entry: Declaration, kind: str) -> int | None:
    call = entry.decorated(kind)
    value = call.arguments[0] if call else None
    return value.value if isinstance(value, Number) else None


def _numbers(values: Expression) -> set[int]:
    return {found.value for found in values.everything() if isinstance(found, Number)}
