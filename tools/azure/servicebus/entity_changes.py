"""Creates, changes and deletes Service Bus queues, topics and subscriptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

from changes.preview import Fact, Preview
from changes.undo import Undo, by_call, by_hand, never
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.named import is_there
from clients.azure.servicebus.entities import NAMESPACE, Entity, below, entity_called, folders_of, namespace_called
from clients.azure.servicebus.entities import rules as rules_of
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.servicebus.deletion_impact import DeletionImpact, inside, users
from tools.azure.servicebus.entity_parameters import OF_ENTITY, EntityName, NamespaceName, TopicSubscription
from tools.azure.servicebus.entity_settings import Given, Kind, NewName, edits, merged, settings_of, wanted
from tools.azure.shared.answers import at
from tools.azure.shared.applying import SECONDS, Judge, gone, holding, made
from tools.azure.shared.inspecting import NOT_YET, Inspected
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange, Shows

part = Part()

_SHOWN: Final = 50

NewKind = Annotated[Kind, Field(description="Type of the entity")]


@part.change(Access.WRITE, harmless=(*OF_ENTITY, "kind"), seconds=SECONDS)
async def create_servicebus_entity(
    azure: Arm,
    namespace: NamespaceName,
    entity: NewName,
    kind: NewKind = "queue",
    topic_subscription: TopicSubscription = None,
    settings: Given = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Create a Service Bus queue or topic. With topic_subscription, creates a subscription in the existing topic."""
    owner, place = await _new_place(azure, namespace, entity, kind, topic_subscription, subscription)
    one = Entity(place, {})
    settled = wanted(one.kind, settings, is_new=True)
    await _refuse_known(azure, one)

    def shown(_known: Inspected) -> Preview:
        facts: dict[str, Fact] = {
            "namespace": str(owner.get("name")),
            "tier": at(owner, "sku.name"),
            "location": owner.get("location"),
            **NOT_YET,
        }
        return Preview(
            what=f"New {one.kind} {one.path} in {owner.get('name')}",
            sentence=f"Create the {one.kind} {one.path} in the Service Bus namespace {owner.get('name')}",
            facts=facts,
            edits=edits({}, settled),
            undo=by_call("delete_servicebus_entity", **_arguments_of(one)),
            destroys=False,
        )

    body = {"properties": {name: it for name, it in settled.items() if it is not None}}
    request = of_id("PUT", place, body=body, version=NAMESPACE.version)
    change = _change(azure, request, one, made, shown, {"created": one.kind, **_named(one)})
    return replace(change, part_of=[owner])


@part.change(Access.WRITE, interrupts=True, harmless=OF_ENTITY, seconds=SECONDS)
async def update_servicebus_entity(
    azure: Arm,
    namespace: NamespaceName,
    entity: EntityName,
    settings: Given,
    topic_subscription: TopicSubscription = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Change settings of a Service Bus queue, topic or subscription; other settings stay."""
    one, changes = await _to_update(azure, namespace, entity, topic_subscription, settings, subscription)
    edited = edits(one.properties, changes)

    def shown(known: Inspected) -> Preview:
        return Preview(
            what=f"Settings of {one.kind} {one.path} in {one.namespace}",
            sentence=f"Change settings of the {one.kind} {one.path} in {one.namespace}",
            facts={**known.facts(one.id), "path": one.path, "status": str(one.properties.get("status") or "")},
            edits=edited,
            undo=_set_back(one, changes),
            destroys=False,
            notes=DeletionImpact([one]).notes if one.is_counted else [],
        )

    request = of_id("PUT", one.id, body={"properties": merged(one, changes)}, version=NAMESPACE.version)
    judge, answers = holding({"properties": changes}, dict(one.record)), {"updated": one.kind, **_named(one)}
    return replace(_change(azure, request, one, judge, shown, answers), is_no_op=not edited)


@part.change(Access.DESTROY, harmless=OF_ENTITY, seconds=SECONDS)
async def delete_servicebus_entity(
    azure: Arm,
    namespace: NamespaceName,
    entity: EntityName,
    topic_subscription: TopicSubscription = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Delete a Service Bus queue, topic or subscription with its messages and everything in it."""
    one = await _entity(azure, namespace, entity, topic_subscription, subscription)

    async def shown(known: Inspected) -> Preview:
        entities, not_counted = await inside(azure, one)
        who, not_read = await users(azure, one)
        what = DeletionImpact(entities)
        return Preview(
            what=f"{one.kind.capitalize()} {one.path} of {one.namespace}",
            sentence=f"Delete the {one.kind} {one.path} of {one.namespace} with its messages and everything in it",
            facts={**known.facts(one.id), **what.facts, **await _below(azure, one, entities), **who},
            grave=what.grave,
            undo=never(f"its messages cannot be restored; create_servicebus_entity creates an empty {one.kind}"),
            missing=[*not_counted, *not_read],
            notes=[*what.notes, *_last_used(one)],
        )

    request = of_id("DELETE", one.id, version=NAMESPACE.version)
    return _change(azure, request, one, gone, shown, {"deleted": one.kind, **_named(one)})


async def _below(azure: Azure, one: Entity, entities: list[Entity]) -> dict[str, Fact]:
    """Return what is deleted together with an entity, apart from messages."""
    if one.kind == "topic":
        return {
            "subscriptions": sorted(each.name for each in entities)[:_SHOWN],
            "number of subscriptions": len(entities),
        }
    if one.kind == "subscription":
        page = await rules_of(azure, one, _SHOWN)
        return {"rules": sorted(str(each.get("name")) for each in page.items)}
    return {}


def _last_used(one: Entity) -> list[str]:
    at_last = one.properties.get("accessedAt")
    return [f"Last used {at_last}."] if at_last else []


async def _entity(
    azure: Azure, namespace: str, entity: str, topic_subscription: str | None, subscription: str | None
) -> Entity:
    place = ResourceId.of(str((await namespace_called(azure, namespace, subscription, anew=True)).get("id")))
    return await entity_called(azure, place, entity, topic_subscription)


async def _to_update(
    azure: Azure, namespace: str, entity: str, topic_subscription: str | None, settings: Given, subscription: str | None
) -> tuple[Entity, dict[str, Any]]:
    one = await _entity(azure, namespace, entity, topic_subscription, subscription)
    changes = wanted(one.kind, settings, is_new=False)
    if not changes:
        raise Refusal("Pass the settings to change in `settings`.")
    return one, changes


async def _new_place(
    azure: Azure, namespace: str, entity: str, kind: Kind, topic_subscription: str | None, subscription: str | None
) -> tuple[Any, ResourceId]:
    """Return the namespace, and the id that the new entity will have."""
    owner = await namespace_called(azure, namespace, subscription)
    place = ResourceId.of(str(owner.get("id")))
    is_of_topic = kind == "topic" or topic_subscription is not None
    if is_of_topic and "topics" not in folders_of(owner):
        raise Refusal(f"{owner.get('name')} is in the Basic tier, which does not support topics.")
    if topic_subscription is None:
        return owner, below(place, "topics" if kind == "topic" else "queues", entity)
    return owner, below(below(place, "topics", entity), "subscriptions", topic_subscription)


async def _refuse_known(azure: Azure, one: Entity) -> None:
    """Refuse to create an entity that already exists, because Service Bus would overwrite it. Service Bus has no option
    to reject such requests.
    """
    if await is_there(azure, NAMESPACE, one.id):
        raise Refusal(
            f"The {one.kind} {one.path} already exists. Use update_servicebus_entity to change the {one.kind}."
        )


def _change(
    azure: Azure, request: AzureRequest, one: Entity, judge: Judge, shows: Shows, answers: Mapping[str, Any]
) -> ResourceChange:
    """Build a change to an entity. The record of a new entity is empty."""
    call, before = f"show_servicebus_entity({_arguments(one)})", dict(one.record) or None
    return ResourceChange(
        azure, request, on=one.id, before=before, judge=judge, call=call, shows=shows, answers=answers
    )


def _set_back(one: Entity, changes: Mapping[str, Any]) -> Undo:
    settings = settings_of(one.properties, changes)
    if settings is None:
        return by_hand("restore it in the portal: it has values that update_servicebus_entity does not support")
    return by_call("update_servicebus_entity", **_arguments_of(one), settings=settings)


def _arguments(one: Entity) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in _arguments_of(one).items())


def _arguments_of(one: Entity) -> dict[str, str]:
    """Return the arguments that identify an entity in tool calls."""
    more = {"topic_subscription": one.name} if one.kind == "subscription" else {}
    return {"namespace": ResourceId(one.id.segments[:8]).text, "entity": one.topic, **more}


def _named(one: Entity) -> dict[str, str]:
    return {"path": one.path, "namespace": one.namespace}
