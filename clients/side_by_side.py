"""Sends the same request to many projects or repositories in parallel, so that a model needs only one call."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest, nsmallest
from typing import Any, Final, TypeVar

from clients.answers import Json, present
from clients.messages import ListPage
from clients.together import together
from refusal import Refusal

MOST_SOURCES: Final = 500
SECONDS: Final = 30.0
# After this number of seconds, reading a source is interrupted, and the source is tried once more after all others.
SECONDS_EACH: Final = 3.0
_AT_ONCE: Final = 10
_MOST_SLOW: Final = 20
# The limits for reporting sources that were not read: the number of reasons, and the number of names for each reason.
_MOST_REASONS: Final = 5
_MOST_NAMES: Final = 20
_LONGEST_REASON: Final = 200

Rank = Callable[[Any], Any]
Source = TypeVar("Source")


@dataclass(slots=True)
class SourceReading:
    """For each source: whether it was read and, if it was not, the reason."""

    names: list[str]
    read: set[str] = field(default_factory=set)
    failed: dict[str, Refusal] = field(default_factory=dict)

    def said(self, kind: str) -> Json:
        """The report for an answer: how many sources were read, and which sources were not read."""
        return present({"read": f"{len(self.read)} of {len(self.names)} {kind}", "notRead": self._not_read()})

    def _not_read(self) -> list[Json]:
        reasons: dict[str, list[str]] = {}
        for name in self.names:
            if name not in self.read:
                reasons.setdefault(self.reason(name), []).append(name)
        by_count = sorted(reasons.items(), key=lambda entry: len(entry[1]), reverse=True)
        others = sum(len(names) for _, names in by_count[_MOST_REASONS:])
        rest = [{"why": "other reasons", "count": others}] if others else []
        return [_reason(why, names) for why, names in by_count[:_MOST_REASONS]] + rest

    def reason(self, name: str) -> str:
        """The reason why a source was not read."""
        if refusal := self.failed.get(name):
            return first_sentence(str(refusal))
        return (
            f"Not read: the time limit or the limit of {MOST_SOURCES} sources was reached. Request this source by name."
        )

    def refuse_if_none(self, kind: str) -> None:
        """Raise an exception if no source could be read.

        Raises:
            Refusal: There are sources, but none of them could be read.
        """
        if self.read or not self.names:
            return
        first = next(iter(self.failed.values()), None)
        if first and len(self.names) == 1:
            raise first
        why = str(first) if first else "No source responded in time. Request a single source by name."
        raise Refusal(f"None of the {len(self.names)} {kind} could be read. {why}")


class Foremost:
    """Sorts the entries of many lists by rank, and keeps the first `limit`. Lists may arrive in any order."""

    def __init__(self, limit: int, rank: Rank, *, descending: bool = True) -> None:
        self._limit, self._rank = limit, rank
        self._pick = nlargest if descending else nsmallest
        self._items: list[Any] = []
        self._has_more = False

    def add(self, page: ListPage) -> None:
        items = [*self._items, *page.items]
        self._has_more = self._has_more or page.has_more or len(items) > self._limit
        self._items = self._pick(self._limit, items, key=self._rank)

    @property
    def page(self) -> ListPage:
        return ListPage(self._items, self._has_more)


async def side_by_side(
    sources: Mapping[str, Source],
    ask: Callable[[Source], Awaitable[None]],
    *,
    seconds: float = SECONDS,
    seconds_each: float = SECONDS_EACH,
) -> SourceReading:
    """Ask all sources, a few at a time and for at most `seconds`.

    Failures are recorded and do not stop the other sources.
    """
    reading = SourceReading(list(sources))
    waiting = deque(reading.names[:MOST_SOURCES])
    slow: set[str] = set()
    all_are_slow = False

    async def work() -> None:
        nonlocal all_are_slow
        while waiting:
            name = waiting.popleft()
            # If nearly all sources are slow, stop interrupting them.
            all_are_slow = all_are_slow or len(slow) >= _MOST_SLOW > len(reading.read)
            try:
                if not await _done_within(ask(sources[name]), None if all_are_slow or name in slow else seconds_each):
                    slow.add(name)
                    waiting.append(name)
                    continue
            except Refusal as refusal:
                reading.failed[name] = refusal
            else:
                reading.read.add(name)

    await together(work, min(_AT_ONCE, len(sources)), seconds)
    return reading


async def _done_within(asking: Awaitable[None], seconds: float | None) -> bool:
    try:
        async with asyncio.timeout(seconds) as limit:
            await asking
    except TimeoutError:
        if not limit.expired():
            raise
        return False
    return True


def first_sentence(text: str) -> str:
    """The first sentence of an error.

    The rest of the error is the service's own message, which differs for each source.
    """
    return text.partition(". ")[0][:_LONGEST_REASON].rstrip(".") + "."


def _reason(why: str, names: list[str]) -> Json:
    more = len(names) - _MOST_NAMES
    return present({"why": why, "names": names[:_MOST_NAMES], "more": more if more > 0 else None})
