"""Scopes of resources: ids as shown in answers, and quoted filter values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clients.answers import some_of
from clients.azure.client import Subscription
from clients.azure.ids import ResourceId

# The API version for requests to groups and resources.
VERSION: Final = "2024-07-01"


def names_of(asked: Sequence[Subscription]) -> str:
    """The queried subscriptions; answers do not mention others."""
    return some_of([one.name or one.id for one in asked])


def scope_of(subscription: Subscription, group: str | None) -> ResourceId:
    text = f"/subscriptions/{subscription.id}"
    return ResourceId.of(f"{text}/resourceGroups/{group}" if group else text)


def type_and_name(resource_id: str) -> tuple[str, str]:
    """Type and name in Azure's form, `Microsoft.Sql/servers/databases` and `shop/orders`, for an id of any form."""
    place = resource_id.lower().rfind("/providers/")
    own = resource_id[place:].split("/")[2:] if place >= 0 else resource_id.strip("/").split("/")
    return "/".join([*own[:1], *own[1::2]]), "/".join(own[2::2])


def quoted(text: str) -> str:
    """A text quoted for a Resource Manager filter."""
    return "'" + text.replace("'", "''") + "'"
