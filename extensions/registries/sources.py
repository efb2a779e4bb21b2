"""Queries all registries in the operator's list concurrently."""

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
# The number of seconds to cache a combined result, and the maximum number of cached results.
SECONDS_KEPT: Final = 300.0
MOST_KEPT: Final = 50


@dataclass(frozen=True, slots=True)
class FoundOffers:
    """The offers that were found, and the errors of the registries that failed, by registry name."""

    offers: Sequence[ServerOffer]
    failed: dict[str, str] = field(default_factory=dict)


class ServerSources:
    """The registries that the operator lists.

    If several registries list a server with the same name, the first registry is used.
    """

    def __init__(self, registries: Sequence[ServerRegistry], clock: Callable[[], float] = time.monotonic) -> None:
        self.registries = registries
        self._clock = clock
        self._kept: OrderedDict[tuple[tuple[str, ...], int], tuple[float, FoundOffers]] = OrderedDict()

    @classmethod
    def at(cls, places: Sequence[str], folder: Path = Path()) -> ServerSources:
        """Open the registries at these locations.

        Raises:
            Refusal: A location is invalid.
        """
        return cls([registry_at(place, read_public, folder) for place in places])

    async def search(self, words: Sequence[str], most: int) -> FoundOffers:
        """Search all registries, and take a similar number of offers from each. Results are cached for a while."""
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
                failed[registry.name] = f"No answer within {SECONDS:g} seconds."
            except Refusal as refusal:
                failed[registry.name] = str(refusal)
            return []

        lists = await asyncio.gather(*map(ask, self.registries))
        return FoundOffers(_by_turns(lists)[:most], failed)

    async def offer(self, name: str, version: str = LATEST, source: str = "") -> ServerOffer:
        """Return the server with this name.

        Raises Refusal if no registry lists the server, or if a registry cannot be read.
        """
        for registry in self._asked(name, source):
            if offer := await registry.offer(name, version):
                return offer
        which = "" if version == LATEST else f" {version[:100]}"
        raise Refusal(f"{name[:200]!r}{which} is not in any source. Use search_extensions to find servers.")

    def _asked(self, name: str, source: str) -> Sequence[ServerRegistry]:
        if not self.registries:
            raise Refusal(
                f"Cannot look up {name[:200]!r}: there are no sources. Ask an operator to set EXTENSION_SOURCES."
            )
        asked = [one for one in self.registries if source in {"", one.name}]
        if not asked:
            names = ", ".join(one.name for one in self.registries)
            raise Refusal(f"Source {source[:100]!r} not found. Available: {names}.")
        return asked


def _by_turns(lists: Sequence[Sequence[ServerOffer]]) -> list[ServerOffer]:
    longest = max(map(len, lists), default=0)
    return [offers[place] for place in range(longest) for offers in lists if place < len(offers)]


async def read_public(address: str) -> bytes:
    """Read a public URL.

    Raises:
        Refusal: The URL is not allowed, or cannot be read.
    """
    from clients.public_fetch import fetch_public

    return (await fetch_public(address, largest=LARGEST, seconds=SECONDS)).body
