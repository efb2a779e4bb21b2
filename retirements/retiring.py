"""One retirement and what it touches, as an assessment finds it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from retirements.announcements import Announcement
from retirements.confidence import Confidence


@dataclass(frozen=True, slots=True)
class Affected:
    """One resource: who owns it, how sure it is that the retirement touches it, and by what that is known."""

    resource: str
    owner: str = ""
    confidence: Confidence = Confidence.CERTAIN
    why: str = ""
    sources: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.resource.lower()

    def joined(self, other: Affected) -> Affected:
        """What two sources say of the same resource: the surer one counts."""
        surer = min(self, other, key=lambda one: one.confidence.rank)
        sources = tuple(dict.fromkeys([*self.sources, *other.sources]))
        return Affected(self.resource, self.owner or other.owner, surer.confidence, surer.why, sources)


@dataclass(slots=True)
class RetirementHere:
    """`announcements` are all that announce it; of what only Advisor or Service Health know, there is none.

    `matched_by` says how that was found out, where it is not by the names of both.
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
        """All keys under which it may have been known before."""
        return frozenset({self.key, *(one.update for one in self.announcements)})

    def touch(self, found: Iterable[Affected]) -> None:
        for one in found:
            known = self.affected.get(one.key)
            self.affected[one.key] = known.joined(one) if known else one


@dataclass(frozen=True, slots=True)
class Unassessed:
    """A retirement that may touch something: why nobody can tell, and how many resources of which types it may be."""

    name: str
    due: str
    why: str
    update: str = ""
    do: str = ""
    may_concern: tuple[tuple[str, int], ...] = ()


def of_announcements(found: Sequence[Announcement]) -> RetirementHere:
    """One retirement that all of these announce."""
    first = min(found, key=lambda one: (len(one.update), one.update))
    entry = first.entry
    do, but = (entry.do, entry.but) if entry else ("", "")
    return RetirementHere(first.update, first.name, first.due, do, but, tuple(found))
