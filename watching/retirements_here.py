"""Finds news about retirements that affect resources: new retirements, ended retirements, and moved dates."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from notifying.notification import LONGEST_TEXT, NotificationItem
from retirements.assessment import Assessment
from retirements.retiring import RetirementHere
from watching.news import WatchNews, bounded
from watching.subject import WatchFailsError, WatchFindings, recalled, remembered
from watching.watch import Watch

# The maximum number of resources that a watch stores for a retirement, and the maximum number that a notice names.
_MOST_REMEMBERED: Final = 300
_MOST_TOLD: Final = 8

# Assesses which retirements affect these subscriptions and resource groups, with the app's own identity.
Assess = Callable[[Sequence[str]], Awaitable[Assessment]]


@dataclass(frozen=True, slots=True)
class KnownRetirement:
    """A retirement, in the form in which a watch stores it after each check."""

    keys: Sequence[str]
    name: str
    due: str
    do: str
    link: str
    resources: Sequence[str]

    @classmethod
    def of(cls, found: RetirementHere) -> KnownRetirement:
        link = found.announcements[0].url if found.announcements else ""
        resources = sorted(one.resource for one in found.affected.values())[:_MOST_REMEMBERED]
        return cls(sorted(found.keys), found.name, found.due, found.do, link, resources)

    def joined(self, before: KnownRetirement | None) -> KnownRetirement:
        """Return a copy that also contains the resources from earlier checks."""
        known = before.resources if before else ()
        return replace(self, resources=sorted({*self.resources, *known})[:_MOST_REMEMBERED])


@dataclass(frozen=True, slots=True)
class RetirementsHere:
    assess: Assess

    async def begin(self, watch: Watch) -> WatchFindings:
        found = await self._assessed(watch)
        return _findings((), [KnownRetirement.of(one) for one in found.retiring])

    async def look(self, watch: Watch, memory: bytes) -> WatchFindings | None:
        before = [KnownRetirement(**one) for one in recalled(memory) or []]
        found = await self._assessed(watch)
        pairs = [(_before(one, before), one) for one in map(KnownRetirement.of, found.retiring)]
        # If a source failed, missing retirements are not news, so the watch keeps all retirements that it stored
        # earlier.
        pairs = pairs if found.is_whole else [(known, one.joined(known)) for known, one in pairs]
        ended = [one for one in before if not any(known is one for known, _ in pairs)]
        news = [one for known, now in pairs for one in _news(known, now)]
        now = [one for _, one in pairs]
        return _findings([*news, *map(_over, ended)], now) if found.is_whole else _findings(news, [*now, *ended])

    async def _assessed(self, watch: Watch) -> Assessment:
        found = await self.assess(watch.scopes)
        if not found.read:
            raise WatchFailsError(next(iter(found.failed.values()), "Azure did not answer."))
        return found


def _findings(news: Sequence[WatchNews], known: Sequence[KnownRetirement]) -> WatchFindings:
    return WatchFindings(news, remembered([asdict(one) for one in known]), count=len(known))


def _is_same(one: KnownRetirement, other: KnownRetirement) -> bool:
    return not {*one.keys}.isdisjoint(other.keys)


def _before(known: KnownRetirement, before: Sequence[KnownRetirement]) -> KnownRetirement | None:
    return next((one for one in before if _is_same(one, known)), None)


def _news(before: KnownRetirement | None, now: KnownRetirement) -> Iterator[WatchNews]:
    if before is None:
        facts = {"What": f"Retires, and affects {_count(now.resources)} here", "Date": now.due, "To do": now.do}
        yield _news_about("affects", now, {**facts, "Resources": _names(now.resources)}, resources=list(now.resources))
    else:
        yield from _changes(before, now)


def _changes(before: KnownRetirement, now: KnownRetirement) -> Iterator[WatchNews]:
    added, removed = _without(now, before), _without(before, now)
    facts = {
        "Date": _changed(before.due, now.due),
        "Title": _changed(before.name, now.name),
        "To do": _changed(before.do, now.do),
        "Also affects": _names(added),
        "No longer affects": _names(removed),
    }
    if any(facts.values()):
        details = {"dueBefore": before.due, "added": added, "removed": removed}
        yield _news_about("changed", now, {"What": "Changed", **facts}, **details)


def _over(before: KnownRetirement) -> WatchNews:
    facts = {"What": "No longer affects anything here", "Date": before.due, "Resources": _names(before.resources)}
    return _news_about("over", before, facts, removed=list(before.resources))


def _news_about(change: str, now: KnownRetirement, facts: Mapping[str, str], **details: Any) -> WatchNews:
    shown = {name: text[:LONGEST_TEXT] for name, text in facts.items() if text}
    document = {"id": now.keys[0], "title": now.name, "change": change, "due": now.due, "url": now.link, **details}
    return WatchNews(NotificationItem(now.name[:LONGEST_TEXT], shown, now.link), bounded(document))


def _without(one: KnownRetirement, other: KnownRetirement) -> list[str]:
    return sorted({*one.resources} - {*other.resources})


def _changed(before: str, after: str) -> str:
    return f"{before or 'unknown'} → {after or 'unknown'}" if before != after else ""


def _names(resources: Sequence[str]) -> str:
    named = ", ".join(one.rpartition("/")[2] for one in resources[:_MOST_TOLD])
    more = len(resources) - _MOST_TOLD
    return f"{named}{f' and {more} more' if more > 0 else ''}"


def _count(resources: Sequence[str]) -> str:
    many = f"{len(resources)}{'+' * (len(resources) == _MOST_REMEMBERED)}"
    return f"{many} resource{'s' * (len(resources) != 1)}"
