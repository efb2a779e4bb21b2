"""Matches announced retirements with retirements in Advisor or Service Health, even if their names differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from retirements.advised import Advised
from retirements.announcements import Announcement
from retirements.confidence import Confidence
from retirements.mapping import products
from retirements.retiring import Affected, RetirementHere, of_announcements
from retirements.scope import Scope

BY_WORDS: Final = "date and words"
_MONTH: Final = len("YYYY-MM")
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9.+#]*")
_TOO_USUAL: Final = frozenset(
    "a an and are at be by end ends for from in is it now of on or retire retired retirement retires retiring support"
    " the to will with your you upgrade migrate before azure microsoft".split()
)
# The minimum share of the shorter name's words that must also occur in the longer name.
_ALIKE: Final = 0.6


def grouped(announcements: Iterable[Announcement]) -> list[RetirementHere]:
    """Merge announcements that have the same mapping entry and month, because the feed announces some retirements
    twice.
    """
    by_entry: dict[tuple[int, str], list[Announcement]] = {}
    for one in announcements:
        by_entry.setdefault((id(one.entry), one.due[:_MONTH]), []).append(one)
    return [of_announcements(found) for found in by_entry.values()]


def join(
    advised: Iterable[Advised], known: Sequence[RetirementHere], others: Sequence[Announcement], scope: Scope
) -> list[RetirementHere]:
    """Add the affected resources from Advisor and Service Health to the matching retirements in `known`. Return all
    other retirements that affect resources.
    """
    more: list[RetirementHere] = []
    for one in advised:
        touched = [_affected(one, resource) for resource in one.resources.values() if scope.has(resource)]
        if not touched:
            continue
        same = _same(one, [*known, *more]) or _announced(one, others)
        if same is None:
            same = RetirementHere(f"advised-{_key(one)}", one.name, one.due, one.do)
        if same not in known and same not in more:
            more.append(same)
        same.touch(touched)
    return more


def _affected(one: Advised, resource: str) -> Affected:
    sources = tuple(sorted(one.sources))
    return Affected(resource, "", Confidence.CERTAIN, f"named by {' and '.join(sources)}", sources)


def _same(one: Advised, known: Sequence[RetirementHere]) -> RetirementHere | None:
    entry = products().entry_of(one.name)
    by_entry = [each for each in known if entry and any(own.entry is entry for own in each.announcements)]
    exact = [each for each in by_entry if each.due[:_MONTH] == one.due[:_MONTH] or len(by_entry) == 1]
    if exact:
        return exact[0]
    found = max(known, key=lambda each: _likeness(one, each.name, each.due), default=None)
    if found is None or _likeness(one, found.name, found.due) < _ALIKE:
        return None
    found.matched_by = found.matched_by or BY_WORDS
    return found


def _announced(one: Advised, others: Sequence[Announcement]) -> RetirementHere | None:
    """Return the announced retirement that matches a retirement from Advisor or Service Health, if any."""
    found = max(others, key=lambda each: _likeness(one, each.name, each.due), default=None)
    if found is None or _likeness(one, found.name, found.due) < _ALIKE:
        return None
    retiring = of_announcements([found])
    retiring.do, retiring.matched_by = retiring.do or one.do, BY_WORDS
    return retiring


def _likeness(one: Advised, name: str, due: str) -> float:
    """Return the share of the shorter name's words that also occur in the longer name, or 0 if the months differ."""
    if not one.due or one.due[:_MONTH] != due[:_MONTH]:
        return 0.0
    mine, theirs = _words(f"{one.feature} {one.title}"), _words(name)
    return len(mine & theirs) / max(min(len(mine), len(theirs)), 2)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.rstrip(".").removesuffix("s") for word in _WORD.findall(text.lower())) - _TOO_USUAL


def _key(one: Advised) -> str:
    """Return a stable key: Advisor's feature name or, if there is none, the tracking id of Service Health."""
    return re.sub(r"[^a-z0-9]+", "-", (one.feature or min(one.tracking, default="")).lower()).strip("-")[:80]
