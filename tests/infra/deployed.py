"""What the templates say, for tests that look at single values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from bicep_checker.expressions import Array, Expression, Number, Object, Ternary, Text, Truth
from bicep_checker.subject import full_type
from bicep_checker.template import Declaration, Template, read

INFRA: Final = Path(__file__).parents[2] / "infra"


@dataclass(frozen=True, slots=True)
class Resource:
    file: str
    kind: str
    declared: Declaration

    def value(self, path: str) -> Any:
        """A value by its path, as plain Python where it is written out; nothing where it is not given."""
        found: Expression | None = self.declared.body
        for name in path.split("."):
            # What holds where something is on comes first.
            found = found.then if isinstance(found, Ternary) else found
            found = found.named.get(name) if isinstance(found, Object) else None
        return plain(found)


@dataclass(frozen=True, slots=True)
class Deployed:
    """All templates of a folder."""

    templates: Mapping[str, Template]

    @classmethod
    def of(cls, folder: Path) -> Self:
        return cls({path.stem: read(path) for path in sorted(folder.rglob("*.bicep"))})

    def resources(self, kind: str = "") -> Iterator[Resource]:
        for name, template in self.templates.items():
            for declared in template.resources.values():
                found = Resource(name, full_type(template, declared)[0], declared)
                if not declared.existing and kind in {"", found.kind}:
                    yield found

    def one(self, kind: str) -> Resource:
        (found,) = self.resources(kind)
        return found

    def expressions(self) -> Iterator[tuple[str, Expression]]:
        for name, template in self.templates.items():
            for declaration in template.declarations:
                for entry in declaration.all():
                    if entry.value:
                        yield from ((name, found) for found in entry.value.everything())


def plain(value: Expression | None) -> Any:
    match value:
        case Text() if value.literal is not None:
            return value.literal
        case Number() | Truth():
            return value.value
        case Array():
            return [plain(item) for item in value.items]
        case Object():
            return {key: plain(inner) for key, inner in value.named.items()}
    return value
