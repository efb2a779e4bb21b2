"""What a fake Azure tells of its providers and their operations: some types as the real one has them, and as many
invented ones as make it as large.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
# Azure told of about so many in November 2026.
PROVIDERS: Final = 300
OPERATIONS: Final = 18_000
_CAPABILITIES: Final = {"G": "CrossResourceGroupResourceMove, SupportsTags, SupportsLocation", "E": "SupportsExtension"}
_VERSIONS: Final = ["2025-06-01-preview", "2025-03-01", "2024-10-01"]
_PLACES: Final = [f"Region {number}" for number in range(40)]
_THINGS: Final = (
    "account workspace pool cluster service job policy rule endpoint connection dataset pipeline trigger gateway "
    "profile schedule template version image backup snapshot monitor agent device model project registry catalog "
    "volume group plan link domain certificate environment share queue topic table report alert task runbook node"
).split()
_OF: Final = (
    "data machine media quantum fleet edge mesh lab power health video map chaos load test orbital storage sync "
    "stream event graph hybrid arc stack cloud mobile dev network security private shared managed custom regional"
).split()


@dataclass
class Namespace:
    """One provider, in the two forms in which it is told."""

    name: str
    types: list[dict[str, Any]] = field(default_factory=list)
    operations: list[dict[str, Any]] = field(default_factory=list)

    @property
    def provider(self) -> dict[str, Any]:
        return {"namespace": self.name, "resourceTypes": self.types}

    @property
    def told(self) -> dict[str, Any]:
        own = f"{self.name}/register/action"
        return {
            "name": self.name,
            "displayName": self.name.replace(".", " "),
            "operations": [_operation(own, "Register the provider", f"Registers the subscription for {self.name}.")],
            "resourceTypes": self.operations,
        }

    def add(self, kind: str, called: str, capability: str, further: Sequence[str] = ()) -> None:
        place = _PLACES if capability == "G" else []
        told = _CAPABILITIES.get(capability, "None")
        entry = {"resourceType": kind, "locations": place, "apiVersions": _VERSIONS, "capabilities": told}
        self.types.append(entry)
        self.operations.append(
            {
                "name": kind,
                "displayName": called,
                "operations": list(_operations(f"{self.name}/{kind}", called, further)),
            }
        )


def known() -> dict[str, Namespace]:
    """What is as the real Azure has it, by the name of the provider."""
    found: dict[str, Namespace] = {}
    for line in (HERE / "known.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, called, capability, further = (part.strip() for part in line.split("|"))
            namespace, _, kind = name.partition("/")
            there = found.setdefault(namespace, Namespace(namespace))
            there.add(kind, called, capability, [part.strip() for part in further.split(";") if part.strip()])
    return found


def catalogue(operations: int = OPERATIONS, providers: int = PROVIDERS) -> list[Namespace]:
    """As many providers and operations as that, of which the known ones are some."""
    chance = random.Random(14)  # noqa: S311 - the same every time
    found = known()
    while len(found) < providers:
        name = f"Microsoft.{chance.choice(_OF).title()}{chance.choice(_THINGS).title()}{len(found)}"
        found[name] = Namespace(name)
    there = list(found.values())
    left = operations - sum(_size(one) for one in there)
    invented = [one for one in there if not one.types]
    while left > 0:
        left -= _grow(chance.choice(invented), chance)
    return there


def _grow(namespace: Namespace, chance: random.Random) -> int:
    """Add a type with some below it, and tell how many operations that makes."""
    before = _size(namespace)
    root = f"{chance.choice(_OF)}{chance.choice(_THINGS).title()}s{len(namespace.types)}"
    namespace.add(root, _called(root), chance.choice("GGGE-"))
    for _ in range(chance.randrange(4)):
        child = f"{root}/{chance.choice(_OF)}{chance.choice(_THINGS).title()}s{len(namespace.types)}"
        namespace.add(child, _called(child), "-", [f"{chance.choice(_THINGS)}/action Runs something there"])
        if chance.random() < 0.2:
            namespace.add(f"{root}/providers/Microsoft.Insights/diagnosticSettings", "Diagnostic Setting", "-")
    return _size(namespace) - before


def _called(kind: str) -> str:
    return " ".join(word.title() for word in kind.rpartition("/")[2].split())


def _size(namespace: Namespace) -> int:
    return 1 + sum(len(one["operations"]) for one in namespace.operations)


def _operations(name: str, called: str, further: Sequence[str]) -> Iterator[dict[str, Any]]:
    yield _operation(
        f"{name}/read", f"Get {called}", f"Gets or lists the properties of {called}, with all that they hold."
    )
    yield _operation(f"{name}/write", f"Create or Update {called}", f"Creates {called} or changes what is there.")
    yield _operation(f"{name}/delete", f"Delete {called}", f"Deletes {called} for good.")
    for entry in further:
        ending, _, words = entry.partition(" ")
        yield _operation(f"{name}/{ending.removeprefix('~')}", words, f"{words}.", is_data=ending.startswith("~"))


def _operation(name: str, title: str, description: str, *, is_data: bool = False) -> dict[str, Any]:
    told = {"origin": "user,system", "properties": None, "isDataAction": is_data}
    return {"name": name, "displayName": title, "description": description, **told}
