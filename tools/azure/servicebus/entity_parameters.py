"""Identifies entities and counts their messages, for the Service Bus tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from clients.answers import Json, at, present
from clients.azure.client import Azure
from clients.azure.servicebus.entities import Entity, entity
from clients.side_by_side import SECONDS, SourceReading, side_by_side
from mcp_server.declarations.field import Field

NamespaceName = Annotated[str, Field(min_length=1, max_length=2048, description="Name or id")]
EntityName = Annotated[str, Field(min_length=1, max_length=260, description="A queue or topic")]
TopicSubscription = Annotated[str | None, Field(min_length=1, max_length=50, description="Of the topic")]

# Parameters whose values may appear in audit records.
OF_NAMESPACE: Final = ("namespace", "subscription")
OF_ENTITY: Final = (*OF_NAMESPACE, "entity", "topic_subscription")
_NAMES: Final = {
    "active": "active",
    "deadLetter": "dead_letters",
    "scheduled": "scheduled",
    "transfer": "transfer",
    "transferDeadLetter": "transfer_dead_letters",
}


async def counted(
    azure: Azure, found: Sequence[Entity], seconds: float = SECONDS
) -> tuple[list[Entity], SourceReading]:
    """Return the entities with their message counts. Missing counts are requested concurrently."""
    known = {one.id.key: one for one in found}

    async def ask(one: Entity) -> None:
        known[one.id.key] = await entity(azure, one.id)

    uncounted = {f"{one.namespace}/{one.path}": one for one in found if not one.is_counted}
    reading = await side_by_side(uncounted, ask, seconds=seconds)
    return list(known.values()), reading


def messages(one: Entity) -> Json:
    """For each kind of message, return the number of messages in the entity. Zeros are omitted."""
    return present({_NAMES[kind]: number or None for kind, number in one.counts.items()})


def summary(one: Entity) -> Json:
    state = one.properties.get("status")
    is_usual = state == "Active"
    return present(
        {
            "name": one.name,
            "status": None if is_usual else state,
            "messages": messages(one),
            "subscriptions": one.properties.get("subscriptionCount"),
            "forwards_to": at(one.record, "properties.forwardTo"),
        }
    )
