"""The toolset `servicebus`: namespaces, queues, topics, subscriptions, and their messages. No tool
removes a message.
"""

from __future__ import annotations

from typing import Final

from tools.azure.servicebus import (
    dead_letters,
    entities,
    entity_changes,
    filters,
    messages,
    namespace_changes,
    namespaces,
)

parts: Final = (
    *(namespaces.part, entities.part, dead_letters.part, messages.part),
    *(entity_changes.part, filters.part, namespace_changes.part),
)
