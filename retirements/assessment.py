"""Assesses which retirements affect resources. An assessment combines announcements, the resources, Advisor and Service
Health.

`assess` is the entry point. The assessment finds only resources that the caller can see.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, Final

from clients.azure.client import Azure
from refusal import Refusal
from retirements import estate, joining, owners
from retirements.advised import ADVISOR, SERVICE_HEALTH, Advised, AdvisedRows
from retirements.announcements import Announcement, first_day_of, last_day_of
from retirements.conditions import Truth
from retirements.estate import Estate
from retirements.mapping import Concerned
from retirements.retiring import Affected, RetirementHere, Unassessed
from retirements.scope import Scope

GRAPH: Final = "Resource Graph"
ALL: Final = frozenset({GRAPH, ADVISOR, SERVICE_HEALTH})
SECONDS: Final = 20.0
_UNNAMED: Final = "Service Health announces this retirement for one of these subscriptions without naming resources."


@dataclass(frozen=True, kw_only=True)
class RetirementInquiry:
    """The input of an assessment: the scope, the announcements, and the latest due date.

    `sources` contains the sources that may be read.
    """

    azure: Azure
    scope: Scope
    announcements: Sequence[Announcement]
    until: str = ""
    sources: frozenset[str] = ALL
    owner_tags: Sequence[str] = owners.USUAL
    seconds: float = SECONDS
    today: date = field(default_factory=lambda: datetime.now(UTC).date())

    @property
    def asked(self) -> list[Announcement]:
        """The announcements that apply to this cloud, may affect resources, and are due by the date `until`."""
        cloud = self.azure.cloud.name
        return [
            one for one in self.announcements if one.is_of(cloud) and not one.touches_nothing and self.is_soon(one.due)
        ]

    def is_soon(self, due: str) -> bool:
        return not self.until or first_day_of(due) <= self.until

    def is_over(self, due: str) -> bool:
        return bool(due) and last_day_of(due) < self.today.isoformat()


@dataclass(slots=True)
class Assessment:
    """The result of an assessment. `read` contains the sources that answered. `failed` contains the reasons why other
    sources did not answer. `partly` describes missing data.
    """

    retiring: list[RetirementHere] = field(default_factory=list)
    unassessed: list[Unassessed] = field(default_factory=list)
    read: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    partly: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether the result contains every retirement that affects a resource visible to the caller."""
        return not self.failed and not self.partly and self.read == ALL


async def assess(inquiry: RetirementInquiry) -> Assessment:
    """Find the retirements that affect resources in a scope, soonest first. The result lists failed sources."""
    return await _Assessing(inquiry).done()


@dataclass
class _Assessing:
    inquiry: RetirementInquiry
    found: Assessment = field(default_factory=Assessment)
    there: Estate = field(default_factory=Estate)
    counts: Mapping[str, int] = field(default_factory=dict)
    advised_rows: AdvisedRows = field(default_factory=AdvisedRows)
    # For each announcement: the number of possibly affected resources of each type.
    unknown: dict[str, dict[str, int]] = field(default_factory=dict)

    async def done(self) -> Assessment:
        announcements = self.inquiry.asked
        can_tell = [one for one in announcements if not one.cannot]
        cannot_tell = [one for one in announcements if one.cannot and not self.inquiry.is_over(one.due)]
        await self._read(can_tell, cannot_tell)
        advised = [one for one in self.advised_rows.retirements if self.inquiry.is_soon(one.due)]
        retiring = [self._with_resources(one) for one in joining.grouped(can_tell)]
        retiring += joining.join(advised, retiring, cannot_tell, self.inquiry.scope)
        self.found.retiring = sorted((one for one in retiring if one.affected), key=_rank)
        self.found.unassessed = sorted([*self._unassessed(announcements), *_unnamed(advised)], key=_rank)
        await self._try("Tags of resource groups", self._name_owners)
        self._note_gaps()
        return self.found

    async def _read(self, can_tell: Sequence[Announcement], cannot_tell: Sequence[Announcement]) -> None:
        azure, scope = self.inquiry.azure, self.inquiry.scope
        reads = {
            GRAPH: lambda: self._read_resources([*_of(can_tell)], [*_of(cannot_tell)]),
            ADVISOR: lambda: self.advised_rows.read_advisor(azure, scope.subscriptions, *scope.steps),
            SERVICE_HEALTH: lambda: self.advised_rows.read_health(azure, scope.subscriptions),
        }
        open_ones = [(name, read) for name, read in reads.items() if name in self.inquiry.sources]
        for name, was_read in zip(
            dict(open_ones), await asyncio.gather(*(self._try(*one) for one in open_ones)), strict=True
        ):
            if was_read:
                self.found.read.add(name)

    async def _try(self, source: str, read: Callable[[], Awaitable[None]]) -> bool:
        try:
            async with asyncio.timeout(self.inquiry.seconds):
                await read()
        except Refusal as refusal:
            self.found.failed[source] = str(refusal)
        except TimeoutError:
            self.found.failed[source] = f"No answer within {self.inquiry.seconds:g} s."
        return source not in self.found.failed

    async def _read_resources(self, concerned: Sequence[Concerned], unmapped: Sequence[Concerned]) -> None:
        azure, scope = self.inquiry.azure, self.inquiry.scope
        concerned = [*concerned, *(one for one in unmapped if one.conditions)]
        if concerned:
            self.there = await estate.read(azure, scope, concerned)
        self.counts = await estate.counted(azure, scope, (one.type for one in unmapped if not one.conditions))

    def _with_resources(self, one: RetirementHere) -> RetirementHere:
        entry = one.announcements[0].entry
        if entry is None:
            raise TypeError("Only announcements with a mapping entry can be assessed")
        for resource in self.there.of(each.type for each in entry.concerned):
            finding = entry.finding(resource.record, is_whole=resource.is_whole)
            if finding.truth is Truth.YES:
                one.touch([Affected(resource.id, "", entry.confidence, finding.why, (GRAPH,))])
            elif finding.truth is Truth.UNKNOWN and not self.inquiry.is_over(one.due):
                counts = self.unknown.setdefault(one.key, {})
                counts[finding.why] = counts.get(finding.why, 0) + 1
        return one

    def _unassessed(self, announcements: Sequence[Announcement]) -> Iterator[Unassessed]:
        matched = {update for one in self.found.retiring for update in one.keys}
        for one in announcements:
            counts = self.unknown.get(one.update, {})
            do = one.entry.do if one.entry else ""
            if one.cannot and not self.inquiry.is_over(one.due) and one.update not in matched:
                concerned = tuple(self._counts(one.concerned).items())
                if concerned or not one.concerned:
                    yield Unassessed(one.name, one.due, one.cannot, one.update, do, concerned)
            for why, number in counts.items():
                yield Unassessed(one.name, one.due, f"{why}.", one.update, do, (("resources", number),))

    def _counts(self, concerned: Sequence[Concerned]) -> dict[str, int]:
        """For each resource type, return the number of resources that a retirement may affect."""
        found: dict[str, int] = {}
        for one in concerned:
            number = self.counts.get(one.type, 0) if not one.conditions else self._may_be(one)
            if number:
                found[one.type] = max(number, found.get(one.type, 0))
        return found

    def _may_be(self, concerned: Concerned) -> int:
        resources = self.there.of([concerned.type])
        return sum(concerned.finding(one.record, is_whole=one.is_whole).truth is not Truth.NO for one in resources)

    async def _name_owners(self) -> None:
        """Set the owner of each affected resource, from its tags or, if they name no owner, from its group's tags."""
        azure, scope, names = self.inquiry.azure, self.inquiry.scope, self.inquiry.owner_tags
        tags = {one.id.lower(): one.tags for several in self.there.by_type.values() for one in several}
        touched = {one.key for retiring in self.found.retiring for one in retiring.affected.values()}
        tags |= await owners.tags_of(azure, scope, touched - tags.keys())
        own = {key: owners.owner_in(tags.get(key, {}), names) for key in touched}
        groups = await owners.tags_of_groups(azure, scope, [key for key, owner in own.items() if not owner])
        for retiring in self.found.retiring:
            for key, one in retiring.affected.items():
                owner = own[key] or owners.owner_in(groups.get(owners.group_of(key), {}), names)
                retiring.affected[key] = replace(one, owner=owner)

    def _note_gaps(self) -> None:
        self.found.partly += self.there.unread
        if self.advised_rows.is_cut:
            self.found.partly.append("Advisor or Service Health has more entries than were read. Narrow `scope`.")


def _rank(one: RetirementHere | Unassessed) -> tuple[Any, ...]:
    return one.due or "9999", one.name


def _of(announcements: Sequence[Announcement]) -> Iterator[Concerned]:
    for one in announcements:
        yield from one.concerned


def _unnamed(advised: Sequence[Advised]) -> Iterator[Unassessed]:
    """Yield the Service Health announcements that name no affected resources."""
    for one in advised:
        if not one.resources:
            yield Unassessed(one.name, one.due, _UNNAMED)
