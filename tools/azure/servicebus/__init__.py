"""Service Bus: namespaces, queues, topics, subscriptions, and the messages in them. Nothing here takes a message."""

from __future__ import annotations

from typing import Final

from tools.azure.servicebus import dead_letters, entities, filters, making, messages, namespaces, owning

parts: Final = (
    *(namespaces.part, entities.part, dead_letters.part, messages.part),
    *(making.part, filters.part, owning.part),
)
