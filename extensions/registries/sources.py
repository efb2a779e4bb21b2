"""All registries that an operator named, asked at once."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from extensions.registries.offer import ServerOffer
from extensions.registries.registry import LARGEST, LATEST, ServerRegistry, registry_at
from refusal import Refusal

SECONDS: Final = 15.0
# How long an answer of all of them counts, and how many are kept.
SECONDS_KEPT: Final = 300.0
MOST_KEPT: Final = 50


@dataclass(frozen=True, slots=True)
class FoundOffers:
    """What was found, and why a registry could not be asked, by its name."""

    offers: Sequence[ServerOffer]
    failed: dict[str, str] = field(default_factory=dict)


class ServerSources:
    """The first that has a server under a name is the one that is meant by it."""

    def __init__(self, registries: Sequence[ServerRegistry], clock: Callable[[], float] = time.monotonic) -> None:
        self.registries = registries
        self._clock = clock
        self._kept: OrderedDict[tuple[tuple[str, ...], int], tuple[float, FoundOffers]] = OrderedDict()

    @classmethod
    def at(cls, places: Sequence[str], folder: Path = Path()) -> ServerSources:
        """Raises:
        Refusal: One of them is no place.
        """
        return cls([registry_at(place, read_public, folder) for place in places])

    async def search(self, words: Sequence[str], most: int) -> FoundOffers:
        """Of each registry as many as fit beside those of the others. What all of them answered is kept for a while."""
        asked = tuple(sorted({word.casefold() for word in words})), most
        until, kept = self._kept.get(asked, (0.0, None))
        if kept and self._clock() < until:
            return kept
        found = await self._search(asked[0], most)
        if not found.failed:
            self._kept[asked] = self._clock() + SECONDS_KEPT, found
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return found

    async def _search(self, words: Sequence[str], most: int) -> FoundOffers:
        failed: dict[str, str] = {}

        async def ask(registry: ServerRegistry) -> list[ServerOffer]:
            try:
                async with asyncio.timeout(SECONDS):
                    return await registry.search(words, most)
            except TimeoutError:
                failed[registry.name] = f"It did not answer within {SECONDS:g} seconds."
            except Refusal as refusal:
                failed[registry.name] = str(refusal)
            return []

        lists = await asyncio.gather(*map(ask, self.registries))
        return FoundOffers(_by_turns(lists)[:most], failed)

    async def offer(self, name: str, version: str = LATEST, source: str = "") -> ServerOffer:
        """The one of this name.

        Raises:
            Refusal: None of them has it, or one that may have it cannot be asked.
        """
        asked = [one for one in self.registries if source in {"", one.name}]
        if not asked:
            if not self.registries:
                raise Refusal(f"{name[:200]!r} is looked for in sources, and none is named: set EXTENSION_SOURCES.")
            names = ", ".join(one.name for one in self.registries)
            raise Refusal(f"There is no source {source[:100]!r}. Those that an operator named are: {names}.")
        for registry in asked:
            if offer := await registry.offer(name, version):
                return offer
        which = "" if version == LATEST else f" {version[:100]}"
        raise Refusal(f"No source has {name[:200]!r}{which}. search_extensions finds those there are.")


def _by_turns(lists: Sequence[Sequence[ServerOffer]]) -> list[ServerOffer]:
    longest = max(map(len, lists), default=0)
    return [offers[place] for place in range(longest) for offers in lists if place < len(offers)]


async def read_public(address: str) -> bytes:
    """What is at a public address.

    Raises:
        Refusal: It may not be read, or cannot be.
    """
    from clients.public_fetch import fetch_public

    return (await fetch_public(address, largest=LARGEST, seconds=SECONDS)).body
