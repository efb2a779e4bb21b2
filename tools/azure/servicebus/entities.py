"""Shows a queue, topic or subscription of Service Bus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.servicebus.entities import Entity, entities, entity_called, namespace_called, rules
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.servicebus.entity_parameters import (
    OF_ENTITY,
    EntityName,
    NamespaceName,
    TopicSubscription,
    counted,
    messages,
    summary,
)
from tools.azure.shared.answers import Json, answer, at, present, shape
from tools.azure.shared.parameters import MaxResults, Subscription

part = Part()

# The duration that means "never" in Service Bus.
_FOREVER: Final = "P10675199DT2H48M5.4775807S"
_SETTINGS: Final = shape(
    status="properties.status",
    size_bytes="properties.sizeInBytes",
    most_megabytes="properties.maxSizeInMegabytes",
    lock="properties.lockDuration",
    most_deliveries="properties.maxDeliveryCount",
    sessions="properties.requiresSession",
    detects_duplicates="properties.requiresDuplicateDetection",
    duplicates_within="properties.duplicateDetectionHistoryTimeWindow",
    time_to_live="properties.defaultMessageTimeToLive",
    dead_letters_expired="properties.deadLetteringOnMessageExpiration",
    dead_letters_failed_filters="properties.deadLetteringOnFilterEvaluationExceptions",
    forwards_to="properties.forwardTo",
    forwards_dead_letters_to="properties.forwardDeadLetteredMessagesTo",
    deleted_when_idle="properties.autoDeleteOnIdle",
    partitioned="properties.enablePartitioning",
    keeps_order="properties.supportOrdering",
    created="properties.createdAt",
    changed="properties.updatedAt",
    last_used="properties.accessedAt",
)


@part.tool(Access.READ, harmless=OF_ENTITY)
async def show_servicebus_entity(
    azure: Arm,
    namespace: NamespaceName,
    entity: EntityName,
    topic_subscription: TopicSubscription = None,
    subscription: Subscription = None,
    max_results: MaxResults = 100,
) -> Json:
    """Show a queue, a topic with its subscriptions, or a subscription with its rules: settings and message counts."""
    place = ResourceId.of(str((await namespace_called(azure, namespace, subscription)).get("id")))
    found = await entity_called(azure, place, entity, topic_subscription)
    inside = await _inside(azure, found, max_results)
    return answer(kind=found.kind, path=found.path, **_settings(found), messages=messages(found), **inside)


def _settings(found: Entity) -> Json:
    return {name: value for name, value in _SETTINGS(found.record).items() if value not in (False, _FOREVER)}


async def _inside(azure: Azure, found: Entity, limit: int) -> Json:
    if found.kind == "topic":
        page = await entities(azure, found.id, "subscriptions", limit)
        inside, reading = await counted(azure, page.items)
        more = "raise max_results" if page.has_more else None
        not_counted = reading.said("subscriptions").get("notRead")
        return {"subscriptions": list(map(summary, inside)), "more": more, "not_counted": not_counted}
    if found.kind == "subscription":
        page = await rules(azure, found, limit)
        return {"rules": list(map(_rule, page.items)), "more": "raise max_results" if page.has_more else None}
    return {}


def _rule(record: Mapping[str, Any]) -> Json:
    """Describe which messages a rule matches, and what it does to them."""
    correlation = at(record, "properties.correlationFilter") or {}
    return present(
        {
            "name": record.get("name"),
            "sql": at(record, "properties.sqlFilter.sqlExpression"),
            "equals": {name: value for name, value in correlation.items() if name != "requiresPreprocessing"},
            "action": at(record, "properties.action.sqlExpression"),
        }
    )
