"""The impact of deleting a queue, topic or subscription: lost messages, senders and receivers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from changes.preview import Fact
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage, of_id
from clients.azure.servicebus.entities import NAMESPACE, Entity, entities
from clients.folding import folded
from tools.azure.servicebus.entity_parameters import counted
from tools.azure.shared.answers import at
from tools.azure.shared.magnitudes import about
from tools.azure.shared.parallel_reads import gathered

_MOST: Final = 1000
_SHOWN: Final = 50
_KINDS: Final = {
    "active": "messages",
    "deadLetter": "dead letters",
    "scheduled": "scheduled messages",
    "transfer": "messages being forwarded",
    "transferDeadLetter": "messages that could not be forwarded",
}


class DeletionImpact:
    """The total message counts of the queues and subscriptions to be deleted."""

    def __init__(self, found: Sequence[Entity]) -> None:
        self._counts = {kind: sum(one.counts[kind] for one in found) for kind in _KINDS}

    @property
    def facts(self) -> dict[str, Fact]:
        return {_KINDS[kind]: about(number) for kind, number in self._counts.items() if number} or {"messages": "none"}

    @property
    def notes(self) -> list[str]:
        """The exact current counts. These counts are not part of the approval, because they change too fast."""
        counts = [f"{_KINDS[kind]}: {number:,}" for kind, number in self._counts.items() if number]
        return [f"Now: {', '.join(counts)}."] if counts else []

    @property
    def grave(self) -> str:
        return "The messages are lost permanently." if any(self._counts.values()) else ""


async def inside(azure: Azure, found: Entity) -> tuple[list[Entity], list[str]]:
    """Return the entities that contain the messages: the queue or subscription itself, or the subscriptions of a topic.

    Also return what could not be counted.
    """
    if found.kind != "topic":
        return [found], []
    page = await entities(azure, found.id, "subscriptions", _MOST)
    own, reading = await counted(azure, page.items)
    missing = [f"counts of {name}" for name in reading.names if name not in reading.read]
    return own, [*missing, *(["other subscriptions"] if page.has_more else [])]


async def users(azure: Azure, found: Entity) -> tuple[dict[str, Fact], list[str]]:
    """Return who can use an entity: the names of access keys, and the entities that forward to it.

    Also return what could not be read.
    """
    namespace = ResourceId(found.id.segments[:8])
    owner = ResourceId(found.id.segments[:10])
    reads = {
        "its keys": partial(_keys, azure, owner),
        "keys of the namespace": partial(_keys, azure, namespace),
        "entities that forward to it": partial(_forwarding, azure, namespace, found.path),
    }
    lists, not_read = await gathered(reads)
    facts: dict[str, Fact] = {name: one[:_SHOWN] for name, one in lists.items() if one}
    return facts, [name for one in not_read or () for name in one.get("names") or ()]


async def _keys(azure: Azure, place: ResourceId) -> list[str]:
    """Return the names and rights of access keys, never the keys."""
    page = await azure.page(of_id("GET", place, "/AuthorizationRules", version=NAMESPACE.version), _MOST)
    return sorted(f"{one.get('name')}: {', '.join(sorted(at(one, 'properties.rights') or ()))}" for one in page.items)


async def _forwarding(azure: Azure, namespace: ResourceId, path: str) -> list[str]:
    page = await entities(azure, namespace, "queues", _MOST)
    return _that_forward(page, path)


def _that_forward(page: ListPage, path: str) -> list[str]:
    names = ("forwardTo", "forwardDeadLetteredMessagesTo")
    return sorted(one.path for one in page.items if any(_is(one.properties, name, path) for name in names))


def _is(properties: Mapping[str, Any], name: str, path: str) -> bool:
    return folded(str(properties.get(name) or "")) == folded(path)
