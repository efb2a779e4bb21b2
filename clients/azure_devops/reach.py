"""The organizations, projects and repositories that settings and roles allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self
from unicodedata import normalize

from clients import folding

_BETWEEN: Final = "/"
_LONGEST_ENTRY: Final = 300
# The maximum number of parts in an entry: an organization has one, a project two, and a repository three.
PARTS_OF_AN_ORGANIZATION, PARTS_OF_A_PROJECT, PARTS_OF_A_REPOSITORY = 1, 2, 3


def folded(name: str) -> str:
    """Normalize a name for comparison, ignoring case and the encoding of accents."""
    return folding.folded(normalize("NFC", name))


def entries(names: Iterable[str], most_parts: int) -> frozenset[str]:
    """Check the entries of a setting. Raises ValueError if an entry is invalid or has more than `most_parts` parts."""
    found = frozenset(normalize("NFC", name.strip()) for name in names)
    if any(not part.strip() for name in found for part in name.split(_BETWEEN)):
        raise ValueError("a name is missing next to a comma or slash")
    if any(len(name) > _LONGEST_ENTRY or not name.isprintable() for name in found):
        raise ValueError(f"a name must not be longer than {_LONGEST_ENTRY} characters or contain invisible characters")
    if any(name.count(_BETWEEN) >= most_parts for name in found):
        raise ValueError(
            f"a name can have at most {most_parts} parts" if most_parts > 1 else "a name cannot contain a slash"
        )
    return found


def parts_of(entry: str, count: int) -> list[str | None]:
    """The parts of an entry, starting with the organization. Parts that the entry leaves out are None."""
    names = entry.split(_BETWEEN)[-count:]
    return [*([None] * (count - len(names))), *names]


@dataclass(frozen=True, slots=True)
class ReachLock:
    """The organizations, projects and repositories that a setting or role allows. None means that all are allowed.

    Each entry is a name or an ID. The entry for a project may contain the organization, as in `acme/Web`. The entry for
    a repository may contain the project, as in `Web/oven`.
    """

    organizations: frozenset[str] | None = None
    projects: frozenset[str] | None = None
    repositories: frozenset[str] | None = None

    def admits_organization(self, names: Iterable[str]) -> bool:
        """Whether the organization with these names is allowed."""
        return self.organizations is None or not {*map(folded, names)}.isdisjoint(map(folded, self.organizations))


@dataclass(frozen=True, slots=True)
class DevOpsReach:
    """The allowed scope. Access is allowed if all restrictions of at least one alternative permit the access.

    If there are no alternatives, nothing is allowed.
    """

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
        """The part of the scope that applies to the organization with these names."""
        there = [all_of for all_of in self.alternatives if all(lock.admits_organization(names) for lock in all_of)]
        inner = (
            frozenset(ReachLock(None, lock.projects, lock.repositories) for lock in all_of) - {OPEN} for all_of in there
        )
        return DevOpsReach(frozenset(inner))

    @property
    def project_entries(self) -> frozenset[str]:
        """All projects that the scope names."""
        locks = (lock for all_of in self.alternatives for lock in all_of)
        return frozenset(entry for lock in locks for entry in lock.projects or ())


OPEN: Final = ReachLock()
EVERYTHING: Final = DevOpsReach(frozenset({frozenset()}))
NOTHING: Final = DevOpsReach(frozenset())
