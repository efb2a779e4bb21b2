"""Reads Service Bus namespaces, and their queues, topics and subscriptions, from Resource Manager."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage, of_id
from clients.azure.named import Sort, one_called
from refusal import Refusal

NAMESPACE: Final = Sort("Microsoft.ServiceBus/namespaces", "2024-01-01", "Service Bus namespace")

Folder = Literal["queues", "topics", "subscriptions"]

_NOT_FOUND: Final = 404
_IN_NAMESPACE: Final = 8
_COUNTS: Final = "countDetails"
_MESSAGES: Final = ("active", "deadLetter", "scheduled", "transfer", "transferDeadLetter")


@dataclass(frozen=True, slots=True)
class Entity:
    """A queue, a topic, or a subscription of a topic."""

    id: ResourceId
    record: Mapping[str, Any]

    @property
    def name(self) -> str:
        return _spelled_out(self.id.name)

    @property
    def kind(self) -> str:
        return self.id.segments[-2].removesuffix("s")

    @property
    def path(self) -> str:
        """The path in Service Bus: `orders`, or `baked/subscriptions/kitchen`."""
        return "/".join(map(_spelled_out, self.id.segments[_IN_NAMESPACE + 1 :]))

    @property
    def topic(self) -> str:
        """The ID of the topic of a subscription."""
        return _spelled_out(self.id.segments[_IN_NAMESPACE + 1])

    @property
    def namespace(self) -> str:
        return self.id.segments[_IN_NAMESPACE - 1]

    @property
    def properties(self) -> Mapping[str, Any]:
        found = self.record.get("properties")
        return found if isinstance(found, Mapping) else {}

    @property
    def is_counted(self) -> bool:
        """Whether the entity has message counts. In some API versions, lists do not contain message counts."""
        return isinstance(self.properties.get(_COUNTS), Mapping)

    @property
    def counts(self) -> dict[str, int]:
        """The message counts. Each key is the first part of the count's name, without `MessageCount`."""
        found = self.properties.get(_COUNTS)
        details = found if isinstance(found, Mapping) else {}
        counts = {kind: details.get(f"{kind}MessageCount") for kind in _MESSAGES}
        return {kind: number if isinstance(number, int) else 0 for kind, number in counts.items()}

    @property
    def dead_letters(self) -> int:
        """The number of dead-lettered messages, including messages that could not be forwarded."""
        return self.counts["deadLetter"] + self.counts["transferDeadLetter"]


async def namespace_called(
    azure: Azure, named: str, subscription: str | None, *, anew: bool = True
) -> Mapping[str, Any]:
    return await one_called(azure, NAMESPACE, named, subscription, anew=anew)


def folders_of(namespace: Mapping[str, Any]) -> Sequence[Folder]:
    """The kinds of entities that a namespace can contain.

    The Basic tier has no topics, and rejects requests for them.
    """
    sku = namespace.get("sku")
    is_basic = isinstance(sku, Mapping) and str(sku.get("name")).lower() == "basic"
    return ["queues"] if is_basic else ["queues", "topics"]


async def entities(azure: Azure, place: ResourceId, folder: Folder, limit: int) -> ListPage:
    """List the queues or topics of a namespace, or the subscriptions of a topic."""
    page = await azure.page(of_id("GET", place, f"/{folder}", version=NAMESPACE.version), limit)
    found = [Entity(below(place, folder, str(one.get("name"))), one) for one in page.items]
    return ListPage(found, page.has_more, page.left_out)


async def entity(azure: Azure, place: ResourceId) -> Entity:
    """Read an entity by its ID, with its message counts."""
    return Entity(place, await azure.json(of_id("GET", place, version=NAMESPACE.version)))


async def entity_called(azure: Azure, namespace: ResourceId, name: str, subscription: str | None) -> Entity:
    """Find a queue or topic by name, or a subscription of the topic."""
    topic = below(namespace, "topics", name)
    if subscription:
        return await entity(azure, below(topic, "subscriptions", subscription))
    for place in (below(namespace, "queues", name), topic):
        try:
            return await entity(azure, place)
        except AzureRefusal as refusal:
            if refusal.status != _NOT_FOUND:
                raise
    raise Refusal(f"Queue or topic {name!r} not found. Use show_servicebus_namespace to list the queues and topics.")


async def rules(azure: Azure, subscription: Entity, limit: int) -> ListPage:
    """List the rules of a subscription."""
    return await azure.page(of_id("GET", subscription.id, "/rules", version=NAMESPACE.version), limit)


def below(place: ResourceId, folder: Folder, name: str) -> ResourceId:
    # Names may contain slashes, which Resource Manager writes as `~` in IDs.
    return ResourceId((*place.segments, folder, name.replace("/", "~")))


def _spelled_out(name: str) -> str:
    return name.replace("~", "/")
