"""What is new to a saved search: the changes, as syncs logged them, of updates that it finds or found before."""

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
from watching.update_news import news_of
from watching.watch import Watch

if TYPE_CHECKING:
    from updates.searching.index import UpdatesIndex

# So many changes are told in one go; the next look goes on with the others.
MOST_AT_ONCE: Final = 150


@dataclass(frozen=True, slots=True)
class SearchFindings:
    """What one look found. `cursor` is how much of the log was looked at, and `found` what the search finds now."""

    news: Sequence[WatchNews]
    cursor: int
    found: frozenset[str]
    # Whether there is nothing more in the log.
    is_all: bool = True


@dataclass(frozen=True, slots=True)
class SavedSearch:
    library: UpdatesLibrary

    async def begin(self, watch: Watch) -> SearchFindings:
        """Where a watch begins: nothing that is there already is news.

        Raises:
            Refusal: The search makes no sense, or no updates were read yet.
        """
        edition = await self.library.edition()
        if edition is None:
            raise Refusal("No updates were read yet. Create the watch when check_azure_updates_health reports a sync.")
        return SearchFindings((), edition.published.revision, await _found(watch, edition.index))

    async def look(self, watch: Watch, found_before: frozenset[str]) -> SearchFindings | None:
        """What is new since the last look; nothing where no sync changed anything since.

        Raises:
            Refusal: The search makes no sense any more.
        """
        edition = await self.library.edition()
        if edition is None or edition.published.revision == watch.cursor:
            return None
        newest, index = edition.published.revision, edition.index
        found = await _found(watch, index)
        # A storage that was emptied begins to count anew.
        logged = await self.library.logged(min(watch.cursor, newest), newest)
        meant = [one for one in _oldest_first(logged) if one.change.id in found or one.change.id in found_before]
        taken = _first(meant)
        news = [one for one in (news_of(change, index.find(change.change.id)) for change in taken) if one]
        if len(taken) == len(meant):
            return SearchFindings(news, newest, found)
        return SearchFindings(news, taken[-1].revision, found | found_before, is_all=False)


async def _found(watch: Watch, index: UpdatesIndex) -> frozenset[str]:
    return await asyncio.to_thread(SHIFTS.do, index.matching, watch.query, watch.filters)


def _oldest_first(logged: Sequence[LoggedChange]) -> Sequence[LoggedChange]:
    return sorted(logged, key=lambda one: (one.revision, one.key))


def _first(changes: Sequence[LoggedChange]) -> Sequence[LoggedChange]:
    """The oldest ones; those of one revision stay together, because the cursor knows nothing smaller."""
    if len(changes) <= MOST_AT_ONCE:
        return changes
    last = changes[MOST_AT_ONCE - 1].revision
    return [one for one in changes if one.revision <= last]
