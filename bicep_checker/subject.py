"""A Bicep file to check, with the types and modules that it refers to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from bicep_checker import template as reading
from bicep_checker.findings import Problem, usual_level
from bicep_checker.inference import Inference, Local
from bicep_checker.resource_types import ResourceType, ResourceTypes
from bicep_checker.shapes import ANYTHING, TEXT, Shape, record
from bicep_checker.template import Declaration, Template


@dataclass(frozen=True)
class Files:
    """A template with its modules, including modules of modules."""

    read: dict[Path, Template]

    @classmethod
    def of(cls, main: Path) -> Files:
        files = cls({})
        files._add(main)
        return files

    def _add(self, path: Path) -> None:
        self.read[path] = reading.read(path)
        for module in self.read[path].of_kind("module").values():
            inner = (path.parent / module.reference).resolve()
            if inner.is_file() and inner not in self.read:
                self._add(inner)

    def module(self, of: Template, declaration: Declaration) -> Template | None:
        return self.read.get((of.path.parent / declaration.reference).resolve())


def full_type(template: Template, resource: Declaration) -> tuple[str, str]:
    """Return the type and version of a resource. The full type of a nested resource starts with the type of its
    parent.
    """
    kind, _, version = resource.reference.partition("@")
    if not resource.parent:
        return kind, version
    outer, outer_version = full_type(template, template.resources[resource.parent])
    return f"{outer}/{kind}", version or outer_version


@dataclass
class Subject:
    template: Template
    files: Files
    types: ResourceTypes
    told: list[Problem] = field(default_factory=list)

    def tell(self, line: int, code: str, text: str, level: str | None = None) -> None:
        if code not in self.template.silenced.get(line, ()):
            self.told.append(Problem(self.template.path.name, line, code, level or usual_level(code), text))

    @cached_property
    def inference(self) -> Inference:
        return Inference(self.template, self.outside, self.tell)

    def type_of(self, resource: Declaration) -> ResourceType | None:
        return self.types.get(*full_type(self.template, resource))

    def module(self, declaration: Declaration) -> Template | None:
        return self.files.module(self.template, declaration)

    def outside(self, declaration: Declaration) -> Shape:
        """Return the type of a resource or module: an object type with the members that expressions can access."""
        if declaration.kind == "module":
            inner = self.module(declaration)
            if inner is None:
                return ANYTHING
            outputs = {name: found.shape for name, found in inner.of_kind("output").items()}
            return record(declaration.name, {"name": TEXT, "outputs": record(f"module {declaration.name}", outputs)})
        found = self.type_of(declaration)
        return found.body if found else ANYTHING

    def locals(self, entry: Declaration) -> Local:
        """Return the names that are valid only inside this declaration: the variables of its loop, and the resources
        with the same parent.
        """
        siblings = self.template.resources[entry.parent].children if entry.parent else ()
        nested = {found.name: self.outside(found) for found in siblings}
        return {**nested, **(self.inference.of_loop(entry.loop, {}) if entry.loop else {})}

    def declarations(self, *kinds: str) -> Iterator[Declaration]:
        """Yield all declarations of these kinds, including nested resources."""
        for declared in self.template.declarations:
            if declared.kind in kinds:
                yield from declared.all()
