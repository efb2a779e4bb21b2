"""Making, changing and deleting queues, topics and subscriptions of Service Bus."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from changes.preview import Fact, Preview
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.named import is_there
from clients.azure.servicebus.entities import NAMESPACE, Entity, below, entity_called, folders_of, namespace_called
from clients.azure.servicebus.entities import rules as rules_of
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.provider import Arm
from tools.azure.servicebus.changing import Given, Kind, NewName, edits, merged, wanted
from tools.azure.servicebus.holding import Holding, inside, users
from tools.azure.servicebus.shared import OF_ENTITY, EntityName, NamespaceName, TopicSubscription
from tools.azure.shared.answers import Json, at
from tools.azure.shared.doing import SECONDS, Look, change, gone, holding, made
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.previews import look_at

part = Part()

_SHOWN: Final = 50

NewKind = Annotated[Kind, Field(description="Of one that is not of a topic")]


async def _making(
    azure: Arm,
    namespace: NamespaceName,
    entity: NewName,
    kind: NewKind = "queue",
    topic_subscription: TopicSubscription = None,
    settings: Given = None,
    subscription: Subscription = None,
) -> Preview:
    owner, place = await _new_place(azure, namespace, entity, kind, topic_subscription, subscription)
    one = Entity(place, {})
    body = wanted(one.kind, settings, is_new=True)
    known = await look_at(azure, place)
    known.refuse_locked("change")
    if known.document(place) is not None:
        raise Refusal(f"There is a {one.kind} {one.path} already. update_servicebus_entity changes it.")
    facts: dict[str, Fact] = {
        "namespace": str(owner.get("name")),
        "tier": at(owner, "sku.name"),
        "location": owner.get("location"),
        "there is": "none yet",
    }
    what = f"New {one.kind} {one.path} in {owner.get('name')}"
    more: Any = {"edits": edits({}, body), "missing": known.missing, "destroys": False}
    return Preview(what=what, facts=facts, places=known.places, **more)


@part.tool(Access.WRITE, previewed=_making, harmless=(*OF_ENTITY, "kind"), seconds=SECONDS)
async def create_servicebus_entity(
    azure: Arm,
    namespace: NamespaceName,
    entity: NewName,
    kind: NewKind = "queue",
    topic_subscription: TopicSubscription = None,
    settings: Given = None,
    subscription: Subscription = None,
) -> Json:
    """Create a Service Bus queue or topic, or with topic_subscription a subscription of the topic."""
    _, place = await _new_place(azure, namespace, entity, kind, topic_subscription, subscription)
    one = Entity(place, {})
    body = {"properties": {name: it for name, it in wanted(one.kind, settings, is_new=True).items() if it is not None}}
    await _refuse_known(azure, one)
    done = await change(azure, of_id("PUT", place, body=body, version=NAMESPACE.version), _look(one, made))
    return done.told(created=one.kind, path=one.path, namespace=one.namespace)


async def _updating(
    azure: Arm,
    namespace: NamespaceName,
    entity: EntityName,
    settings: Given,
    topic_subscription: TopicSubscription = None,
    subscription: Subscription = None,
) -> Preview:
    one, body = await _to_update(azure, namespace, entity, topic_subscription, settings, subscription)
    known = await look_at(azure, one.id, seen=[dict(one.record)])
    known.refuse_locked("change")
    facts = {**known.facts(one.id), "path": one.path, "status": str(one.properties.get("status") or "")}
    return Preview(
        what=f"Settings of {one.kind} {one.path} in {one.namespace}",
        facts=facts,
        edits=edits(one.properties, body),
        places=known.places,
        missing=known.missing,
        destroys=False,
        notes=Holding([one]).notes if one.is_counted else [],
    )


@part.tool(Access.WRITE, previewed=_updating, harmless=OF_ENTITY, seconds=SECONDS)
async def update_servicebus_entity(
    azure: Arm,
    namespace: NamespaceName,
    entity: EntityName,
    settings: Given,
    topic_subscription: TopicSubscription = None,
    subscription: Subscription = None,
) -> Json:
    """Change settings of a Service Bus queue, topic or subscription; the others stay."""
    one, changes = await _to_update(azure, namespace, entity, topic_subscription, settings, subscription)
    body = {"properties": merged(one, changes)}
    look = _look(one, holding({"properties": changes}, dict(one.record)))
    done = await change(azure, of_id("PUT", one.id, body=body, version=NAMESPACE.version), look)
    return done.told(updated=one.kind, path=one.path, namespace=one.namespace)


async def _deleting(
    azure: Arm,
    namespace: NamespaceName,
    entity: EntityName,
    topic_subscription: TopicSubscription = None,
    subscription: Subscription = None,
) -> Preview:
    one = await _entity(azure, namespace, entity, topic_subscription, subscription)
    known = await look_at(azure, one.id, seen=[dict(one.record)])
    known.refuse_locked("delete")
    held, not_counted = await inside(azure, one)
    who, not_read = await users(azure, one)
    what = Holding(held)
    return Preview(
        what=f"{one.kind.capitalize()} {one.path} of {one.namespace}",
        facts={**known.facts(one.id), **what.facts, **await _below(azure, one, held), **who},
        places=known.places,
        grave=what.grave,
        missing=sorted([*known.missing, *not_counted, *not_read]),
        notes=[*what.notes, *_last_used(one)],
    )


@part.tool(Access.DESTROY, previewed=_deleting, harmless=OF_ENTITY, seconds=SECONDS)
async def delete_servicebus_entity(
    azure: Arm,
    namespace: NamespaceName,
    entity: EntityName,
    topic_subscription: TopicSubscription = None,
    subscription: Subscription = None,
) -> Json:
    """Delete a Service Bus queue, topic or subscription with its messages and all below it."""
    one = await _entity(azure, namespace, entity, topic_subscription, subscription)
    done = await change(azure, of_id("DELETE", one.id, version=NAMESPACE.version), _look(one, gone))
    return done.told(deleted=one.kind, path=one.path, namespace=one.namespace)


async def _below(azure: Azure, one: Entity, held: list[Entity]) -> dict[str, Fact]:
    """What goes with it besides messages."""
    if one.kind == "topic":
        return {"subscriptions": sorted(each.name for each in held)[:_SHOWN], "number of subscriptions": len(held)}
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
    place = ResourceId.of(str((await namespace_called(azure, namespace, subscription)).get("id")))
    return await entity_called(azure, place, entity, topic_subscription)


async def _to_update(
    azure: Azure, namespace: str, entity: str, topic_subscription: str | None, settings: Given, subscription: str | None
) -> tuple[Entity, dict[str, Any]]:
    one = await _entity(azure, namespace, entity, topic_subscription, subscription)
    changes = wanted(one.kind, settings, is_new=False)
    if not changes:
        raise Refusal("Say in `settings` what to change.")
    return one, changes


async def _new_place(
    azure: Azure, namespace: str, entity: str, kind: Kind, topic_subscription: str | None, subscription: str | None
) -> tuple[Any, ResourceId]:
    """The namespace, and where in it the new one will be."""
    owner = await namespace_called(azure, namespace, subscription, anew=True)
    place = ResourceId.of(str(owner.get("id")))
    is_of_topic = kind == "topic" or topic_subscription is not None
    if is_of_topic and "topics" not in folders_of(owner):
        raise Refusal(f"{owner.get('name')} is of the tier Basic, which has no topics.")
    if topic_subscription is None:
        return owner, below(place, "topics" if kind == "topic" else "queues", entity)
    return owner, below(below(place, "topics", entity), "subscriptions", topic_subscription)


async def _refuse_known(azure: Azure, one: Entity) -> None:
    """Service Bus would write over what is there, and has no way to be told not to."""
    if await is_there(azure, NAMESPACE, one.id):
        raise Refusal(f"There is a {one.kind} {one.path} already. update_servicebus_entity changes it.")


def _look(one: Entity, judge: Any) -> Look:
    namespace = ResourceId(one.id.segments[:8]).text
    is_of_topic = one.kind == "subscription"
    more = f", topic_subscription={one.name!r}" if is_of_topic else ""
    call = f"show_servicebus_entity(namespace={namespace!r}, entity={one.topic!r}{more})"
    return Look(of_id("GET", one.id, version=NAMESPACE.version), judge, call)
