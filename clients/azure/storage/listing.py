"""Reads lists of Azure Storage: pages of XML with a marker for the next page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clients.azure.messages import AzureRequest
from clients.azure.storage.data import Data
from clients.azure.storage.xml import Element
from refusal import Refusal

_LARGEST_PAGE: Final = 1000
_MOST_PAGES: Final = 20


@dataclass(frozen=True, slots=True)
class StorageListing:
    """The entries of a list, and the marker of the next page, if any."""

    entries: Sequence[Element]
    following: str = ""


async def listed(data: Data, request: AzureRequest, limit: int, marker: str | None) -> StorageListing:
    """Read a list, starting at a marker, until `limit` entries have been read or the list ends.

    A page may have fewer entries than requested, or no entries.
    """
    entries: list[Element] = []
    following, seen = marker or "", {marker or ""}
    for _ in range(_MOST_PAGES):
        size = min(limit - len(entries), _LARGEST_PAGE)
        page = await data.element(request.asking("query", maxresults=size, **_from(following)))
        entries += [entry for group in page if len(group) for entry in group]
        following = page.findtext("NextMarker") or ""
        if not following or len(entries) >= limit:
            break
        if following in seen:
            raise Refusal("Azure Storage keeps returning the same page of this list. Request less data.")
        seen.add(following)
    return StorageListing(entries, following)


def _from(marker: str) -> dict[str, str]:
    return {"marker": marker} if marker else {}
