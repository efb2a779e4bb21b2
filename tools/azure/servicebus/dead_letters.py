"""Finds queues and subscriptions with dead letters, in one Service Bus namespace or in all namespaces of a
subscription.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage
from clients.azure.named import Record
from clients.azure.servicebus.entities import NAMESPACE, Entity, entities, folders_of, namespace_called
from clients.side_by_side import MOST_SOURCES, Foremost, SourceReading, side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.servicebus.entity_parameters import OF_NAMESPACE, counted, messages
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.everywhere import in_each, of_sort
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription

part = Part()

_MOST_OF_A_KIND: Final = 1000
# The time limit of a call. Each of the three steps (namespaces, topics, counts) gets a third of the time.
_SECONDS: Final = 15.0

AnyNamespace = Annotated[str | None, Field(max_length=2048, description="Name or id; default: all")]


@dataclass(slots=True)
class _Search:
    """Collects the queues and subscriptions of namespaces."""

    azure: Azure
    found: list[Entity] = field(default_factory=list)
    topics: list[Entity] = field(default_factory=list)
    too_long: list[str] = field(default_factory=list)

    async def in_namespace(self, record: Record) -> None:
        place = ResourceId.of(str(record.get("id")))
        pages = [await entities(self.azure, place, folder, _MOST_OF_A_KIND) for folder in folders_of(record)]
        for page, kind in zip(pages, (self.found, self.topics), strict=False):
            self._note(place.name, page)
            kind.extend(page.items)

    async def in_topic(self, topic: Entity) -> None:
        page = await entities(self.azure, topic.id, "subscriptions", _MOST_OF_A_KIND)
        self._note(f"{topic.namespace}/{topic.path}", page)
        self.found += page.items

    def _note(self, name: str, page: ListPage) -> None:
        if page.has_more:
            self.too_long.append(name)


@part.tool(Access.READ, harmless=(*OF_NAMESPACE, "resource_group"))
async def find_dead_letters(
    azure: Arm,
    namespace: AnyNamespace = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    max_results: MaxResults = 30,
) -> Json:
    """Find queues and subscriptions with dead letters in one or all Service Bus namespaces, most dead letters first."""
    places, said = await _places(azure, namespace, resource_group, subscription)
    search = _Search(azure)
    named = {str(one.get("name")): one for one in places}
    readings = [await side_by_side(named, search.in_namespace, seconds=_SECONDS)]
    readings[0].refuse_if_none("namespaces")
    topics = {f"{one.namespace}/{one.path}": one for one in search.topics}
    readings.append(await side_by_side(topics, search.in_topic, seconds=_SECONDS))
    known, counting = await counted(azure, search.found, _SECONDS)
    most = Foremost(max_results, lambda one: one.dead_letters)
    most.add(ListPage([one for one in known if one.dead_letters]))
    looked_at = f"{len(places)} namespaces, {len(search.topics)} topics, {len(known)} queues and subscriptions"
    return many(
        ListPage([_entry(one) for one in most.page.items], most.page.has_more),
        dead_letters=sum(one.dead_letters for one in known),
        looked_at=looked_at,
        asked=said.get("asked"),
        notRead=[*(said.get("notRead") or ()), *_not_read([*readings, counting])],
        not_read_to_the_end=search.too_long,
    )


async def _places(
    azure: Azure, namespace: str | None, group: str | None, subscription: str | None
) -> tuple[Sequence[Record], Json]:
    if namespace:
        return [await namespace_called(azure, namespace, subscription)], {}
    found = await in_each(azure, subscription, of_sort(azure, NAMESPACE, MOST_SOURCES), MOST_SOURCES, group=group)
    return found.page.items, found.said


def _not_read(readings: list[SourceReading]) -> list[Json]:
    return [told for reading in readings for told in reading.said("").get("notRead") or ()]


def _entry(one: Entity) -> Json:
    onwards = at(one.record, "properties.forwardDeadLetteredMessagesTo")
    deliveries = at(one.record, "properties.maxDeliveryCount")
    about = {"namespace": one.namespace, "path": one.path, **messages(one)}
    return present({**about, "most_deliveries": deliveries, "forwards_dead_letters_to": onwards})
