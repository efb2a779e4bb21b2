"""Which organizations, projects and repositories settings and roles give access to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self
from unicodedata import normalize

from clients import folding

_BETWEEN: Final = "/"
_LONGEST_ENTRY: Final = 300
# With the optional organization and project before it.
PARTS_OF_AN_ORGANIZATION, PARTS_OF_A_PROJECT, PARTS_OF_A_REPOSITORY = 1, 2, 3


def folded(name: str) -> str:
    """A name normalized for comparison: case and the encoding of accents do not matter."""
    return folding.folded(normalize("NFC", name))


def entries(names: Iterable[str], most_parts: int) -> frozenset[str]:
    """The names in a lock, each with at most this many parts.

    Raises:
        ValueError: One of them is not a valid name.
    """
    found = frozenset(normalize("NFC", name.strip()) for name in names)
    if any(not part.strip() for name in found for part in name.split(_BETWEEN)):
        raise ValueError("a name is missing next to a comma or slash")
    if any(len(name) > _LONGEST_ENTRY or not name.isprintable() for name in found):
        raise ValueError(f"a name has at most {_LONGEST_ENTRY} characters, all of them visible")
    if any(name.count(_BETWEEN) >= most_parts for name in found):
        raise ValueError(
            f"a name has at most {most_parts} parts" if most_parts > 1 else "a name cannot contain a slash"
        )
    return found


def parts_of(entry: str, count: int) -> list[str | None]:
    """The names in an entry, from the outermost to the last; those that it leaves out are None."""
    names = entry.split(_BETWEEN)[-count:]
    return [*([None] * (count - len(names))), *names]


@dataclass(frozen=True, slots=True)
class ReachLock:
    """The scope that one setting or role allows. Whatever it does not mention is allowed.

    Each entry is a name or an id. A project can be qualified by its organization, `acme/Web`, and a repository by its
    project, `Web/oven`.
    """

    organizations: frozenset[str] | None = None
    projects: frozenset[str] | None = None
    repositories: frozenset[str] | None = None

    def admits_organization(self, names: Iterable[str]) -> bool:
        """Whether the organization with these names is allowed."""
        return self.organizations is None or not {*map(folded, names)}.isdisjoint(map(folded, self.organizations))


@dataclass(frozen=True, slots=True)
class DevOpsReach:
    """Allows what all locks of any one alternative allow. Without alternatives, nothing."""

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
        """The part of the scope that applies within the organization with these names."""
        there = [all_of for all_of in self.alternatives if all(lock.admits_organization(names) for lock in all_of)]
        inner = (
            frozenset(ReachLock(None, lock.projects, lock.repositories) for lock in all_of) - {OPEN} for all_of in there
        )
        return DevOpsReach(frozenset(inner))

    @property
    def project_entries(self) -> frozenset[str]:
        """All projects that it names."""
        locks = (lock for all_of in self.alternatives for lock in all_of)
        return frozenset(entry for lock in locks for entry in lock.projects or ())


OPEN: Final = ReachLock()
EVERYTHING: Final = DevOpsReach(frozenset({frozenset()}))
NOTHING: Final = DevOpsReach(frozenset())
