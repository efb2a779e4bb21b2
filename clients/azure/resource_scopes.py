"""Formats IDs of resources for answers, and values for filters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clients.answers import some_of
from clients.azure.client import Subscription
from clients.azure.ids import ResourceId

# The API version for requests about groups and resources.
VERSION: Final = "2024-07-01"


def names_of(asked: Sequence[Subscription]) -> str:
    """The names of the queried subscriptions, so that an answer can say where its data comes from."""
    return some_of([one.name or one.id for one in asked])


def scope_of(subscription: Subscription, group: str | None) -> ResourceId:
    text = f"/subscriptions/{subscription.id}"
    return ResourceId.of(f"{text}/resourceGroups/{group}" if group else text)


def type_and_name(resource_id: str) -> tuple[str, str]:
    """The type and name of a resource as Azure writes them: `Microsoft.Sql/servers/databases` and `shop/orders`."""
    place = resource_id.lower().rfind("/providers/")
    own = resource_id[place:].split("/")[2:] if place >= 0 else resource_id.strip("/").split("/")
    return "/".join([*own[:1], *own[1::2]]), "/".join(own[2::2])


def quoted(text: str) -> str:
    """Quote a string for a filter of Resource Manager."""
    return "'" + text.replace("'", "''") + "'"
