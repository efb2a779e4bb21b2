"""What may be reached of Azure DevOps: which organizations, projects and repositories. Settings and roles say it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self
from unicodedata import normalize

from clients import folding

_BETWEEN: Final = "/"
_LONGEST_ENTRY: Final = 300
# With the organization, and the project, that may stand before it.
PARTS_OF_AN_ORGANIZATION, PARTS_OF_A_PROJECT, PARTS_OF_A_REPOSITORY = 1, 2, 3


def folded(name: str) -> str:
    """A name as it compares: without its case, and whichever way its accents are written."""
    return folding.folded(normalize("NFC", name))


def entries(names: Iterable[str], most_parts: int) -> frozenset[str]:
    """Names as a lock has them, each of so many parts at most.

    Raises:
        ValueError: One of them can be no name.
    """
    found = frozenset(normalize("NFC", name.strip()) for name in names)
    if any(not part.strip() for name in found for part in name.split(_BETWEEN)):
        raise ValueError("a name is missing next to a comma or slash")
    if any(len(name) > _LONGEST_ENTRY or not name.isprintable() for name in found):
        raise ValueError(f"a name has up to {_LONGEST_ENTRY} characters, and none that cannot be seen")
    if any(name.count(_BETWEEN) >= most_parts for name in found):
        raise ValueError(f"a name has at most {most_parts} parts" if most_parts > 1 else "a name has no slash")
    return found


def parts_of(entry: str, count: int) -> list[str | None]:
    """The names of which an entry consists, from the outermost to the last one: those that it leaves open are None."""
    names = entry.split(_BETWEEN)[-count:]
    return [*([None] * (count - len(names))), *names]


@dataclass(frozen=True, slots=True)
class ReachLock:
    """What one setting, or one role, lets be reached. What it does not speak of it leaves open.

    Each entry is a name or an id. That of a project may begin with its organization, `acme/Web`, and that of a
    repository with its project, `Web/oven`.
    """

    organizations: frozenset[str] | None = None
    projects: frozenset[str] | None = None
    repositories: frozenset[str] | None = None

    def admits_organization(self, names: Iterable[str]) -> bool:
        """Whether an organization is meant, of which these are the names."""
        return self.organizations is None or not {*map(folded, names)}.isdisjoint(map(folded, self.organizations))


@dataclass(frozen=True, slots=True)
class DevOpsReach:
    """Whatever all locks of one of the alternatives admit. Without alternatives, nothing."""

    alternatives: frozenset[frozenset[ReachLock]]

    @classmethod
    def within(cls, *locks: ReachLock) -> Self:
        return cls(frozenset({frozenset(lock for lock in locks if lock != OPEN)}))

    @property
    def is_everything(self) -> bool:
        return frozenset() in self.alternatives

    def __and__(self, other: DevOpsReach) -> DevOpsReach:
        return DevOpsReach(frozenset(one | another for one in self.alternatives for another in other.alternatives))

    def __or__(self, other: DevOpsReach) -> DevOpsReach:
        alternatives = self.alternatives | other.alternatives
        return EVERYTHING if frozenset() in alternatives else DevOpsReach(alternatives)

    def of_organization(self, names: Sequence[str]) -> DevOpsReach:
        """What is left of it in an organization that has these names, beyond whether that may be reached at all."""
        there = [all_of for all_of in self.alternatives if all(lock.admits_organization(names) for lock in all_of)]
        inner = (
            frozenset(ReachLock(None, lock.projects, lock.repositories) for lock in all_of) - {OPEN} for all_of in there
        )
        return DevOpsReach(frozenset(inner))

    @property
    def project_entries(self) -> frozenset[str]:
        """All projects that are named in it."""
        locks = (lock for all_of in self.alternatives for lock in all_of)
        return frozenset(entry for lock in locks for entry in lock.projects or ())


OPEN: Final = ReachLock()
EVERYTHING: Final = DevOpsReach(frozenset({frozenset()}))
NOTHING: Final = DevOpsReach(frozenset())
