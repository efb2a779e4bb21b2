"""Shared code of tools that handle several resources in one call: resolving ids, and labeling resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.named import is_id, place_called
from clients.azure.resource_scopes import type_and_name
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure.resource.reading.readable import readable

MOST: Final = 100
_MOST_NAMES: Final = 10

ResourceIds = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=2048)]],
    Field(min_length=1, max_length=MOST, description="Ids (/subscriptions/...) or names"),
]


async def ids_of(azure: Azure, texts: Sequence[str]) -> list[ResourceId]:
    """Return the ids without duplicates. Names are resolved to ids.

    Raises:
        Refusal: An id does not belong to a resource, group or subscription, or a name is unknown or ambiguous.
    """
    if sum(not is_id(text) for text in texts) > _MOST_NAMES:
        raise Refusal(
            f"Too many names: one call accepts at most {_MOST_NAMES}. Use list_resources to find ids, and pass the ids."
        )
    places = [readable(text).id if is_id(text) else await place_called(azure, text) for text in texts]
    found = {one.key: one for one in places}
    if stray := [one.text for one in found.values() if one.is_list or not one.subscription]:
        raise Refusal(f"Not the id of a resource, group or subscription: {stray[0]}. Use list_resources to find ids.")
    return list(found.values())


def short_names(ids: Sequence[ResourceId]) -> Mapping[str, str]:
    """Return a label for each resource: its name or, if the name is not unique, the name with type and group."""
    names = [_name(one) for one in ids]
    return {
        one.key: name if names.count(name) == 1 else f"{one.group}/{'/'.join(type_and_name(one.text))}"
        for one, name in zip(ids, names, strict=True)
    }


def told_place(one: ResourceId) -> str:
    """Describe a resource by its type, and by its group or subscription."""
    where = f"the group {one.group}" if one.group and one.namespace else f"the subscription {one.subscription}"
    return f"{type_and_name(one.text)[0] if one.namespace else one.type.rpartition('/')[2]} in {where}"


def _name(one: ResourceId) -> str:
    return type_and_name(one.text)[1] if one.namespace else one.name
