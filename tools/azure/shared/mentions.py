"""Finds the resources whose settings, as shown by Resource Graph, refer to another resource."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clients.azure.client import Azure
from clients.azure.graph import ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage
from clients.azure.named import with_readable_ids
from refusal import Refusal

_MOST: Final = 20
NOBODY: Final = (
    "no other resource in this subscription, according to Resource Graph (which does not include app settings)"
)


async def named_by(azure: Azure, own: ResourceId, texts: Sequence[str]) -> tuple[list[str] | str, list[str]]:
    """Return the resources whose properties contain one of these texts. If the query fails, return what is unknown."""
    mentioned = " or ".join(f"tostring(properties) contains {text_of(text)}" for text in texts)
    steps = (f"where id !~ {text_of(own.text)} and ({mentioned})", "project id", "order by id asc")
    try:
        rows = await rows_of(azure.send, ready_made([own.subscription], "resources", *steps), _MOST)
    except Refusal:
        return [], ["which other resources use it: Resource Graph did not answer"]
    found = [ResourceId.of(str(row["id"])) for row in with_readable_ids(ListPage(rows.items)).items]
    more = rows.total - len(found)
    names = [f"{one.name} ({one.type})" for one in found] + ([f"and {more} more"] if more > 0 else [])
    return names or NOBODY, []
