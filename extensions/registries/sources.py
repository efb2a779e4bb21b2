"""All registries that an operator named, asked at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from extensions.registries.offer import Offer
from extensions.registries.registry import LARGEST, LATEST, Registry, registry_at
from refusal import Refusal

SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, and why a registry could not be asked, by its name."""

    offers: Sequence[Offer]
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sources:
    """The first that has a server under a name is the one that is meant by it."""

    registries: Sequence[Registry]

    @classmethod
    def at(cls, places: Sequence[str]) -> Sources:
        return cls([registry_at(place, read_public) for place in places])

    async def search(self, words: Sequence[str], most: int) -> Found:
        """Of each registry as many as fit beside those of the others."""
        failed: dict[str, str] = {}

        async def ask(registry: Registry) -> list[Offer]:
            try:
                return await registry.search(words, most)
            except Refusal as refusal:
                failed[registry.name] = str(refusal)
                return []

        lists = await asyncio.gather(*map(ask, self.registries))
        return Found(_by_turns(lists)[:most], failed)

    async def offer(self, name: str, version: str = LATEST, source: str = "") -> Offer:
        """The one of this name.

        Raises:
            Refusal: None of them has it, or one that may have it cannot be asked.
        """
        asked = [one for one in self.registries if source in {"", one.name}]
        if not asked:
            names = ", ".join(one.name for one in self.registries) or "none"
            raise Refusal(f"There is no source {source[:100]!r}. Those that an operator named are: {names}.")
        for registry in asked:
            if offer := await registry.offer(name, version):
                return offer
        which = "" if version == LATEST else f" {version[:100]}"
        raise Refusal(f"No source has {name[:200]!r}{which}. search_extensions finds those there are.")


def _by_turns(lists: Sequence[Sequence[Offer]]) -> list[Offer]:
    longest = max(map(len, lists), default=0)
    return [offers[place] for place in range(longest) for offers in lists if place < len(offers)]


async def read_public(address: str) -> bytes:
    """What is at a public address.

    Raises:
        Refusal: It may not be read, or cannot be.
    """
    from clients.public_fetch import fetch_public  # noqa: PLC0415 - few look for extensions

    return (await fetch_public(address, largest=LARGEST, seconds=SECONDS)).body
