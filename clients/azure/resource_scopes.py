"""Where something is: ids as an answer shows them, and texts as a filter has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clients.answers import some_of
from clients.azure.client import Subscription
from clients.azure.ids import ResourceId

# In which Azure's specification has what groups and resources are asked.
VERSION: Final = "2024-07-01"


def told(asked: Sequence[Subscription]) -> str:
    """Which subscriptions a question was about: of others an answer says nothing, and does not say so."""
    return some_of([one.name or one.id for one in asked])


def scope_of(subscription: Subscription, group: str | None) -> ResourceId:
    text = f"/subscriptions/{subscription.id}"
    return ResourceId.of(f"{text}/resourceGroups/{group}" if group else text)


def type_and_name(resource_id: str) -> tuple[str, str]:
    """Both as Azure says them, `Microsoft.Sql/servers/databases` and `shop/orders`, of an id of any form."""
    place = resource_id.lower().rfind("/providers/")
    own = resource_id[place:].split("/")[2:] if place >= 0 else resource_id.strip("/").split("/")
    return "/".join([*own[:1], *own[1::2]]), "/".join(own[2::2])


def quoted(text: str) -> str:
    """A text as a filter of Resource Manager has it."""
    return "'" + text.replace("'", "''") + "'"
