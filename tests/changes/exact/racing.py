"""Races: somebody else changes what a change is about, at any moment between its preview and its last request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from changes.preview import Preview
from mcp_server.declarations.toolset import Tool
from tests.changes.exact.meddling import Meddling, lists_in, places_in
from tests.changes.exact.rehearsing import Shown, rehearsing
from tests.changes.exact.services import Service
from tests.changes.exact.stage import Exchange, Stage
from tests.tools.golden import Case, Sent

# Versions of interfaces are kept for an hour: nothing that is written goes by them.
VERSIONS: Final = re.compile(r"GET management\.azure\.com/subscriptions/[^/]+/providers/[^/]+ \[")

_SHARE_OF_LISTS: Final = 0.3
# What is read to find out what the caller may do, where a tool itself reads nothing.
RIGHTS: Final = re.compile(
    r"POST dev\.azure\.com/acme/_apis/(wit/workitemsbatch .*\"fields\": ?\[\"System\.AreaPath\"\]|security/)"
    r"|GET dev\.azure\.com/acme/[^/]+/_apis/wit/classificationnodes/areas "
)


@dataclass(frozen=True)
class Undisturbed:
    """How a case goes if nobody meddles."""

    case: Case
    preview: Preview
    # What was read for the preview.
    told: Mapping[str, Exchange]
    written: Sequence[Sent]
    # How many requests come before the approval is claimed, and before the first write.
    claimed: int
    first_write: int
    looks_long: bool = False

    @property
    def targets(self) -> list[str]:
        """What is read of the very things that are written: what is nearest to them."""
        near = {line: max((_nearness(line, sent) for sent in self.written), default=0) for line in self.told}
        return [line for line in near if near[line] and near[line] == max(near.values())]

    def meddlings(self, lines: Sequence[str]) -> list[Meddling]:
        replies = {line: self.told[line].get("reply") for line in lines}
        found = [Meddling(line, place) for line in lines for place in places_in(replies[line])]
        found += [Meddling(line, place, grows=True) for line in lines for place in lists_in(replies[line])]
        tagged = [Meddling(line, ()) for line in lines if self.told[line].get("reply") is None]
        return [*found, *(one for one in tagged if one.changes_version(self.told[one.line]))]


def _nearness(line: str, sent: Sent) -> int:
    """How much of the path of a write is that of a read; nothing where the read is of something else."""
    read = line.partition(" ")[2].partition(" [")[0].lower()
    return len(read) if f"{sent.line.partition(' ')[2]}/".lower().startswith(f"{read}/") else 0


@dataclass(frozen=True)
class Outcome:
    """What came of a call during which somebody meddled."""

    meddling: Meddling
    moment: int
    # Whether a new preview would have shown another change, or none.
    is_another: bool
    # Whether that was before the approval was claimed, after which the tool looks again.
    is_early: bool
    # Whether the tool read it afterwards, before it wrote anything.
    is_read_again: bool
    is_refused: bool
    written: Sequence[Sent]
    # Whether what was written is what is written if nobody meddles, apart from what somebody else has changed.
    is_as_before: bool

    @property
    def is_unapproved(self) -> bool:
        """Whether something was done that nobody has seen."""
        if not self.written:
            return False
        return self.is_early or self.is_read_again if self.is_another else not self.is_as_before


async def undisturbed(service: Service, tool: Tool, case: Case) -> Undisturbed | str:
    """How the case goes, or in which words its preview is refused."""
    async with rehearsing(service, case) as play:
        shown = await play.shown()
        if isinstance(shown, str):
            return shown
        told = dict(play.stage.told)
        await play.approve(shown)
        play.stage.begin()
        if words := await play.sent():
            return words
        numbers = play.claimed, play.stage.first_write, tool.may_look_long(case.arguments)
        return Undisturbed(case, shown.preview, told, play.stage.written, *numbers)


async def raced(service: Service, plain: Undisturbed, meddling: Meddling, moment: int) -> Outcome:
    is_another = await _shows_another(service, plain, meddling)
    async with rehearsing(service, plain.case) as play:
        shown = await play.shown()
        assert isinstance(shown, Shown), shown
        await play.approve(shown)
        play.stage.begin()
        play.stage.meddle(meddling, moment)
        await play.sent()
        stage = play.stage
        return Outcome(
            meddling,
            moment,
            is_another,
            moment <= plain.claimed and not plain.looks_long,
            any(number >= moment for number in stage.reads_of(meddling.line)),
            bool(stage.refused),
            stage.written,
            _as_before(stage, plain, meddling),
        )


async def _shows_another(service: Service, plain: Undisturbed, meddling: Meddling) -> bool:
    async with rehearsing(service, plain.case) as play:
        play.stage.meddle(meddling)
        shown = await play.shown()
        return isinstance(shown, str) or shown.preview.bound != plain.preview.bound


def _as_before(stage: Stage, plain: Undisturbed, meddling: Meddling) -> bool:
    told = plain.told[meddling.line]
    now = [[sent.line, dict(sent.query), sent.body] for sent in stage.written]
    before = [[sent.line, dict(sent.query), _golden(plain.case, sent)] for sent in plain.written]
    return meddling.explains(now, before, told)


def _golden(case: Case, sent: Sent) -> Any:
    """What is written as the case has it, where some of it is of the moment."""
    same = [one.get("body") for one in case.exchanges if one["request"] == sent.line and one.get("body") == sent.body]
    return same[0] if same else sent.body


def any_race(plain: Undisturbed, random: Random) -> tuple[Meddling, int] | None:
    """Something that somebody else may change, and when."""
    found = plain.meddlings([line for line in plain.told if not VERSIONS.match(line)])
    # Values are many, and lists few.
    growing = [one for one in found if one.grows]
    likely = growing if growing and random.random() < _SHARE_OF_LISTS else found
    return (random.choice(likely), random.randint(0, plain.first_write)) if found else None


async def refuses(service: Service, plain: Undisturbed, meddling: Meddling) -> bool:
    """Whether the service refuses the write, if somebody has changed its target since it was last read."""
    async with rehearsing(service, plain.case) as play:
        shown = await play.shown()
        assert isinstance(shown, Shown), shown
        await play.approve(shown)
        play.stage.begin()
        play.stage.meddle(meddling, plain.first_write)
        await play.sent()
        return bool(play.stage.refused)


async def is_conditional(service: Service, plain: Undisturbed) -> bool:
    """Whether what is written names the version of its target that was read."""
    by_version = [one for one in plain.meddlings(list(plain.told)) if one.changes_version(plain.told[one.line])]
    # One of each thing that is read is enough.
    of_each = {one.line: one for one in by_version}
    return any([await refuses(service, plain, one) for one in of_each.values()])
