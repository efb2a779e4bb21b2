"""A retirement and the resources that it affects, as found by an assessment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from retirements.announcements import Announcement
from retirements.confidence import Confidence


@dataclass(frozen=True, slots=True)
class Affected:
    """A resource that a retirement affects, its owner, and the confidence and reason of this finding."""

    resource: str
    owner: str = ""
    confidence: Confidence = Confidence.CERTAIN
    why: str = ""
    sources: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.resource.lower()

    def joined(self, other: Affected) -> Affected:
        """Merge the findings of two sources about the same resource. The finding with the higher confidence counts."""
        surer = min(self, other, key=lambda one: one.confidence.rank)
        sources = tuple(dict.fromkeys([*self.sources, *other.sources]))
        return Affected(self.resource, self.owner or other.owner, surer.confidence, surer.why, sources)


@dataclass(slots=True)
class RetirementHere:
    """A retirement that affects resources in the assessed scope.

    `announcements` is empty if only Advisor or Service Health reports the retirement. `matched_by` describes how the
    sources were matched, if their names differ.
    """

    key: str
    name: str
    due: str
    do: str = ""
    but: str = ""
    announcements: tuple[Announcement, ...] = ()
    matched_by: str = ""
    affected: dict[str, Affected] = field(default_factory=dict)

    @property
    def sources(self) -> list[str]:
        return list(dict.fromkeys(source for one in self.affected.values() for source in one.sources))

    @property
    def keys(self) -> frozenset[str]:
        """All keys that this retirement may have had before."""
        return frozenset({self.key, *(one.update for one in self.announcements)})

    def touch(self, found: Iterable[Affected]) -> None:
        for one in found:
            known = self.affected.get(one.key)
            self.affected[one.key] = known.joined(one) if known else one


@dataclass(frozen=True, slots=True)
class Unassessed:
    """A retirement that may affect resources. `why` is the reason why the effect on resources is unknown, and
    `may_concern` counts the possibly affected resources.
    """

    name: str
    due: str
    why: str
    update: str = ""
    do: str = ""
    may_concern: tuple[tuple[str, int], ...] = ()


def of_announcements(found: Sequence[Announcement]) -> RetirementHere:
    """Combine several announcements of the same retirement."""
    first = min(found, key=lambda one: (len(one.update), one.update))
    entry = first.entry
    do, but = (entry.do, entry.but) if entry else ("", "")
    return RetirementHere(first.update, first.name, first.due, do, but, tuple(found))
