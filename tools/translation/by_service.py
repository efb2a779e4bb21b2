"""Translates with Azure Translator. Segments that lose protected text are translated again in pieces."""

from __future__ import annotations

import asyncio
from itertools import islice

from clients.azure_translator import LONGEST_ELEMENT, Translator, counted
from translating.text import TranslatableText


async def by_service(text: TranslatableText, translator: Translator, source: str, target: str) -> tuple[str, int]:
    """Return the translation, and the number of segments that were translated in pieces."""
    tagged = {place: text.segments[place].tagged for place in text.asked}
    whole = {place: one for place, one in tagged.items() if counted(one) <= LONGEST_ELEMENT}
    answers = await translator.translated(list(whole.values()), source, target)
    found = {
        place: made
        for place, answer in zip(whole, answers, strict=True)
        if (made := text.segments[place].from_tagged(answer)) is not None
    }
    lost = [place for place in text.asked if place not in found]
    found |= await _in_pieces(text, lost, translator, source, target)
    return await asyncio.to_thread(text.with_segments, found), len(lost)


async def _in_pieces(
    text: TranslatableText, places: list[int], translator: Translator, source: str, target: str
) -> dict[int, str]:
    pieces = [text.segments[place].pieces for place in places]
    answers = iter(await translator.translated([one for many in pieces for one in many], source, target))
    return {
        place: text.segments[place].from_pieces(list(islice(answers, len(many))))
        for place, many in zip(places, pieces, strict=True)
    }
