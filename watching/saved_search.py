"""Finds news for a saved search: changes to updates that match the search now or matched it before."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from refusal import Refusal
from shifts import SHIFTS
from updates.keeping.store import LoggedChange
from updates.library import UpdatesLibrary
from watching.news import WatchNews
from watching.subject import WatchFailsError, WatchFindings, recalled, remembered
from watching.update_news import news_of
from watching.watch import Watch

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex

# The maximum number of changes per check. The next check continues with the remaining changes.
MOST_AT_ONCE: Final = 150


@dataclass(frozen=True, slots=True)
class SavedSearch:
    library: UpdatesLibrary

    async def begin(self, watch: Watch) -> WatchFindings:
        edition = await self.library.edition()
        if edition is None:
            raise Refusal(
                "No updates have been synced yet. Create the watch when check_azure_updates_health reports a sync."
            )
        return _findings((), edition.published.revision, await _found(watch, edition.index))

    async def look(self, watch: Watch, memory: bytes) -> WatchFindings | None:
        edition = await self.library.edition()
        if edition is None or edition.published.revision == watch.cursor:
            return None
        newest, index, before = edition.published.revision, edition.index, frozenset(recalled(memory) or ())
        found = await _find_or_fail(watch, index)
        # A cursor above the current revision shows that the storage was emptied, after which revision numbers start at
        # zero again.
        logged = await self.library.logged(min(watch.cursor, newest), newest)
        matching = [one for one in _oldest_first(logged) if one.change.id in found or one.change.id in before]
        selected = _first(matching)
        news = [one for one in (news_of(change, index.find(change.change.id)) for change in selected) if one]
        if len(selected) == len(matching):
            return _findings(news, newest, found)
        return _findings(news, selected[-1].revision, found | before, is_all=False)


def _findings(news: Sequence[WatchNews], cursor: int, found: frozenset[str], *, is_all: bool = True) -> WatchFindings:
    """Build the findings. They contain the updates that match now, so that the next check can detect updates that no
    longer match.
    """
    return WatchFindings(news, remembered(sorted(found)), cursor, len(found), is_all)


async def _find_or_fail(watch: Watch, index: UpdatesIndex) -> frozenset[str]:
    try:
        return await _found(watch, index)
    except Refusal as refused:
        raise WatchFailsError(str(refused)) from None


async def _found(watch: Watch, index: UpdatesIndex) -> frozenset[str]:
    return await asyncio.to_thread(SHIFTS.do, index.matching, watch.query, watch.filters)


def _oldest_first(logged: Sequence[LoggedChange]) -> Sequence[LoggedChange]:
    return sorted(logged, key=lambda one: (one.revision, one.key))


def _first(changes: Sequence[LoggedChange]) -> Sequence[LoggedChange]:
    """Return the oldest changes, up to the maximum. Changes in the same revision stay together, because the cursor is a
    revision number.
    """
    if len(changes) <= MOST_AT_ONCE:
        return changes
    last = changes[MOST_AT_ONCE - 1].revision
    return [one for one in changes if one.revision <= last]
