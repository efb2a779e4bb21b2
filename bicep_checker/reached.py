"""Evaluates a template and its modules. Returns all resources, with the values that are known before deployment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from bicep_checker.expressions import If, Object
from bicep_checker.known import Fields, Thing, Unknown, Value, either
from bicep_checker.partly import Partly
from bicep_checker.shapes import NumberShape, TextShape
from bicep_checker.subject import Files, full_type
from bicep_checker.template import Declaration, Template

Report = Callable[[str, int, str, str], None]
_PARENTS: Final = "parent"


@dataclass(frozen=True)
class Called:
    """A module call, or one iteration of a module call in a loop."""

    place: Place
    name: Value
    scope: Value
    condition: Value


@dataclass
class Place:
    """A file of the template, with the values of its parameters."""

    template: Template
    files: Files
    parameters: Mapping[str, Value]
    report: Report
    way: tuple[str, ...] = ()
    _known: dict[str, Value] = field(default_factory=dict)

    @property
    def file(self) -> str:
        return self.template.path.name

    @property
    def identity(self) -> str:
        return "/".join(self.way)

    @property
    def partly(self) -> Partly:
        return Partly(self.look, self.template.path.parent, lambda *told: self.report(self.file, *told))

    def look(self, name: str) -> Value:
        if name not in self._known:
            self._known[name] = Unknown(f"{self.identity}.{name}")  # in case the value refers to itself
            self._known[name] = self._found(name)
        return self._known[name]

    def _found(self, name: str) -> Value:
        declared = self.template.symbols.get(name)
        if declared is None:
            return Unknown(f"{self.identity}.{name}")
        match declared.kind:
            case "parameter":
                return self._parameter(declared)
            case "variable":
                return self.partly.of(declared.value) if declared.value else None
            case "resource":
                things = list(self.things(declared))
            case _:
                things = [_offered(called) for called in self._called_once(declared)]
        return things if declared.loop else things[0] if things else Unknown(f"{self.identity}.{name}")

    def _parameter(self, declared: Declaration) -> Value:
        if declared.name in self.parameters:
            return self.parameters[declared.name]
        unknown = Unknown(f"{self.identity}.{declared.name}")
        if declared.value is None:
            return unknown
        default = self.partly.of(declared.value)
        if self.way:  # a module's omitted parameter has its default; the main file's parameters are unknown
            return default
        allowed = declared.shape.values if isinstance(declared.shape, TextShape | NumberShape) else None
        if allowed is not None:
            return either(iter(sorted(allowed)))
        return unknown if default in ({}, [], "") else either(iter([default, unknown]))

    def things(self, declared: Declaration) -> Iterator[Thing]:
        """Yield the resources of a declaration: for each parent, one resource for each iteration of the loop."""
        parents = self.look(declared.parent) if declared.parent else None
        for parent in parents if isinstance(parents, list) else [parents]:
            for at, partly, body in self._bodies(declared):
                yield self._thing(declared, partly, body, parent if isinstance(parent, Thing) else None, at)

    def _bodies(self, declared: Declaration) -> Iterator[tuple[str, Partly, Object]]:
        if declared.body is None:
            return
        if declared.loop is None:
            yield "", self.partly, declared.body
            return
        for item, at in self.partly.each(declared.loop):
            yield f"[{at}]", self.partly.inside(declared.loop.names, (item, at)), declared.body

    def _thing(self, declared: Declaration, partly: Partly, body: Object, parent: Thing | None, at: str) -> Thing:
        kind, version = full_type(self.template, declared)
        thing = Thing(
            kind=kind,
            version=version,
            identity=f"{self.identity}/{declared.name}{at}",
            name=None,
            body=Fields(),
            file=self.file,
            line=declared.line,
            existing=declared.existing,
            conditional=declared.conditional,
            condition=_holds(declared, partly),
            way=(*self.way, declared.name),
        )
        if not declared.loop:
            self._known[declared.name] = thing  # children and properties of the resource may refer to it
        made = partly.of(body)
        thing.body = made if isinstance(made, Fields) else Fields()
        thing.name, thing.scope = thing.body.get("name"), thing.body.get("scope")
        given = thing.body.get(_PARENTS)
        thing.parent = parent or (given if isinstance(given, Thing) else None)
        return thing

    def called(self, declared: Declaration) -> Iterator[Called]:
        inner = self.files.module(self.template, declared)
        if inner is None:
            return
        for at, partly, body in self._bodies(declared):
            given = {entry.key: entry.value for entry in body.properties if isinstance(entry.key, str)}
            params = partly.of(given["params"]) if "params" in given else {}
            place = Place(
                inner,
                self.files,
                params if isinstance(params, dict) else {},
                self.report,
                (*self.way, f"{declared.name}{at}"),
            )
            name, scope = (partly.of(given[key]) if key in given else None for key in ("name", "scope"))
            yield Called(place, name, scope, _holds(declared, partly))

    def modules(self) -> Iterator[tuple[Declaration, Called]]:
        for declared in self.template.of_kind("module").values():
            for called in self._called_once(declared):
                if called.condition is not False:
                    yield declared, called

    def _called_once(self, declared: Declaration) -> list[Called]:
        key = f"{declared.name}()"
        if key not in self._known:
            self._known[key] = list(self.called(declared))
        found: list[Called] = self._known[key]
        return found

    def everything(self) -> Iterator[tuple[Place, Thing]]:
        """Yield all resources, including those in modules."""
        for declared in self.template.resources.values():
            found = self.look(declared.name)
            for thing in found if isinstance(found, list) else [found]:
                if isinstance(thing, Thing) and thing.condition is not False:
                    yield self, thing
        for _, called in self.modules():
            yield from called.place.everything()

    def places(self) -> Iterator[Place]:
        yield self
        for _, called in self.modules():
            yield from called.place.places()


def _offered(called: Called) -> Value:
    """Return the outputs of a module, or None if the module's condition is false."""
    if called.condition is False:
        return None
    outputs = called.place.template.of_kind("output")
    values = {name: called.place.partly.of(found.value) for name, found in outputs.items() if found.value}
    made = Fields({"name": called.name, "outputs": Fields(values)})
    return made if called.condition is True else either(iter([None, made]))


def _holds(declared: Declaration, partly: Partly) -> Value:
    found = condition(declared)
    return partly.of(found.condition) if found else True


def condition(declared: Declaration) -> If | None:
    inner = declared.loop.body if declared.loop else declared.value
    return inner if isinstance(inner, If) else None
