"""Making, changing and deleting namespaces of Service Bus."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from changes.preview import Edit, Fact, Preview
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.named import is_there
from clients.azure.servicebus.entities import NAMESPACE, Entity, entities, folders_of, namespace_called
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.provider import Arm
from tools.azure.servicebus.holding import Holding, inside
from tools.azure.servicebus.shared import OF_NAMESPACE, NamespaceName, counted
from tools.azure.shared.answers import Json, at
from tools.azure.shared.doing import SECONDS, Look, change, gone, holding, made
from tools.azure.shared.parameters import ResourceGroup, Subscription
from tools.azure.shared.previews import look_at
from tools.side_by_side import side_by_side

part = Part()

_MOST: Final = 1000
_SHOWN: Final = 50

NewNamespace = Annotated[
    str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]{4,48}[A-Za-z0-9]$", description="Unique in all of Azure")
]
Location = Annotated[str, Field(pattern=r"^[A-Za-z0-9 ]{3,40}$", description="A region")]
Tier = Literal["Basic", "Standard", "Premium"]
Units = Annotated[Literal[1, 2, 4, 8, 16] | None, Field(description="Of Premium")]
Keys = Annotated[bool, Field(description="Whether connection strings work, beside roles")]
MaybeKeys = Annotated[bool | None, Field(description="Whether connection strings work, beside roles")]
Tags = Annotated[dict[str, str] | None, Field(max_length=50, description="All of them")]


async def _making(
    azure: Arm,
    namespace: NewNamespace,
    resource_group: ResourceGroup,
    location: Location,
    tier: Tier = "Standard",
    units: Units = None,
    keys_allowed: Keys = False,
    subscription: Subscription = None,
) -> Preview:
    place = await _new(azure, namespace, resource_group, subscription)
    sku = _sku(tier, units)
    known = await look_at(azure, place)
    known.refuse_locked("change")
    if known.document(place) is not None:
        raise Refusal(f"There is a namespace {namespace} already. update_servicebus_namespace changes it.")
    group = known.documents.get(ResourceId(place.segments[:4]).key) or {}
    facts: dict[str, Fact] = {
        "resource group": place.group,
        "its location": group.get("location"),
        "there is": "none yet",
        "whether the name is free": "not known: all of Azure shares these names",
    }
    edits = [Edit("tier", None, tier), Edit("units", None, sku.get("capacity")), Edit("location", None, location)]
    edits.append(Edit("keys allowed", None, keys_allowed))
    more: Any = {"missing": known.missing, "destroys": False}
    return Preview(what=f"New Service Bus namespace {namespace}", facts=facts, edits=edits, places=known.places, **more)


@part.tool(
    Access.WRITE,
    previewed=_making,
    harmless=(*OF_NAMESPACE, "resource_group", "location", "tier", "units", "keys_allowed"),
    seconds=SECONDS,
)
async def create_servicebus_namespace(
    azure: Arm,
    namespace: NewNamespace,
    resource_group: ResourceGroup,
    location: Location,
    tier: Annotated[Tier, Field(description="Basic has no topics")] = "Standard",
    units: Units = None,
    keys_allowed: Keys = False,
    subscription: Subscription = None,
) -> Json:
    """Create a Service Bus namespace."""
    place = await _new(azure, namespace, resource_group, subscription)
    properties = {"minimumTlsVersion": "1.2", "disableLocalAuth": not keys_allowed}
    body = {"location": location, "sku": _sku(tier, units), "properties": properties}
    if await is_there(azure, NAMESPACE, place):
        raise Refusal(f"There is a namespace {namespace} already. update_servicebus_namespace changes it.")
    done = await change(azure, of_id("PUT", place, body=body, version=NAMESPACE.version), _look(place, made))
    return done.told(created=namespace, id=place.text)


async def _updating(
    azure: Arm,
    namespace: NamespaceName,
    tier: Tier | None = None,
    units: Units = None,
    keys_allowed: MaybeKeys = None,
    public_network_access: bool | None = None,
    tags: Tags = None,
    subscription: Subscription = None,
) -> Preview:
    record = await namespace_called(azure, namespace, subscription, anew=True)
    body = _changes(record, tier, units, keys_allowed, public_network_access, tags)
    place = ResourceId.of(str(record.get("id")))
    known = await look_at(azure, place, seen=[dict(record)])
    known.refuse_locked("change")
    keys = {"keys for senders and receivers": "end at once"} if keys_allowed is False else {}
    return Preview(
        what=f"Service Bus namespace {place.name}",
        facts={**known.facts(place), **keys},
        edits=_edits(record, body),
        places=known.places,
        missing=known.missing,
        destroys=False,
    )


@part.tool(
    Access.WRITE,
    previewed=_updating,
    harmless=(*OF_NAMESPACE, "tier", "units", "keys_allowed", "public_network_access"),
    seconds=SECONDS,
)
async def update_servicebus_namespace(
    azure: Arm,
    namespace: NamespaceName,
    tier: Annotated[Tier | None, Field(description="Basic or Standard: Premium is made so")] = None,
    units: Units = None,
    keys_allowed: MaybeKeys = None,
    public_network_access: Annotated[bool | None, Field(description="From outside of networks")] = None,
    tags: Tags = None,
    subscription: Subscription = None,
) -> Json:
    """Change a Service Bus namespace: tier, units, keys, network, tags."""
    record = await namespace_called(azure, namespace, subscription, anew=True)
    body = _changes(record, tier, units, keys_allowed, public_network_access, tags)
    place = ResourceId.of(str(record.get("id")))
    look = _look(place, holding(body, dict(record)))
    done = await change(azure, of_id("PATCH", place, body=body, version=NAMESPACE.version), look)
    return done.told(updated=place.name)


async def _deleting(azure: Arm, namespace: NamespaceName, subscription: Subscription = None) -> Preview:
    record = await namespace_called(azure, namespace, subscription, anew=True)
    place = ResourceId.of(str(record.get("id")))
    known = await look_at(azure, place, seen=[dict(record)])
    known.refuse_locked("delete")
    found, missing = await _all_in(azure, place, record)
    held, uncounted = await _held(azure, found)
    queues, topics = ([one.name for one in found if one.kind == kind] for kind in ("queue", "topic"))
    what = Holding(held)
    return Preview(
        what=f"Service Bus namespace {place.name} with all that is in it",
        facts={
            **known.facts(place),
            "queues": sorted(queues)[:_SHOWN],
            "topics": sorted(topics)[:_SHOWN],
            "number of queues and topics": len(found),
            **what.facts,
        },
        places=known.places,
        grave="A namespace cannot be restored, and its messages are lost for good.",
        missing=sorted([*known.missing, *missing, *uncounted]),
        notes=what.notes,
    )


@part.tool(Access.DESTROY, previewed=_deleting, harmless=OF_NAMESPACE, seconds=SECONDS)
async def delete_servicebus_namespace(azure: Arm, namespace: NamespaceName, subscription: Subscription = None) -> Json:
    """Delete a Service Bus namespace with its queues, topics and messages."""
    place = ResourceId.of(str((await namespace_called(azure, namespace, subscription, anew=True)).get("id")))
    done = await change(azure, of_id("DELETE", place, version=NAMESPACE.version), _look(place, gone))
    return done.told(deleted=place.name)


async def _new(azure: Azure, name: str, group: str, subscription: str | None) -> ResourceId:
    scope = ResourceId.of(f"/subscriptions/{(await azure.subscription(subscription)).id}/resourceGroups/{group}")
    return ResourceId((*scope.segments, "providers", "Microsoft.ServiceBus", "namespaces", name))


def _sku(tier: Tier, units: int | None) -> Json:
    if units is not None and tier != "Premium":
        raise Refusal("`units` are of the tier Premium.")
    return {"name": tier, "tier": tier, **({"capacity": units or 1} if tier == "Premium" else {})}


def _changes(
    record: Any,
    tier: Tier | None,
    units: int | None,
    keys_allowed: bool | None,
    public_network_access: bool | None,
    tags: dict[str, str] | None,
) -> Json:
    now = at(record, "sku.name")
    if tier and tier != now and "Premium" in {tier, now}:
        raise Refusal(f"{record.get('name')} is {now}. What is not Premium cannot become it, nor the other way.")
    sized = tier or units
    network = {True: "Enabled", False: "Disabled"}
    properties = {
        **({} if keys_allowed is None else {"disableLocalAuth": not keys_allowed}),
        **({} if public_network_access is None else {"publicNetworkAccess": network[public_network_access]}),
    }
    body = {
        **({"sku": _sku(tier or now, units)} if sized else {}),
        **({"tags": tags} if tags is not None else {}),
        **({"properties": properties} if properties else {}),
    }
    if not body:
        raise Refusal("Say what to change: tier, units, keys_allowed, public_network_access or tags.")
    return body


def _edits(record: Any, body: Json) -> list[Edit]:
    told = {
        "tier": (at(record, "sku.name"), at(body, "sku.name")),
        "units": (at(record, "sku.capacity"), at(body, "sku.capacity")),
        "keys disabled": (at(record, "properties.disableLocalAuth"), at(body, "properties.disableLocalAuth")),
        "network": (at(record, "properties.publicNetworkAccess"), at(body, "properties.publicNetworkAccess")),
        "tags": (_tags(record), _tags(body) if "tags" in body else None),
    }
    return [Edit(name, before, after) for name, (before, after) in told.items() if after not in (None, before)]


def _tags(record: Any) -> list[str]:
    return sorted(f"{name}={value}" for name, value in (record.get("tags") or {}).items())


async def _all_in(azure: Azure, place: ResourceId, record: Any) -> tuple[list[Entity], list[str]]:
    found: list[Entity] = []
    missing = []
    for folder in folders_of(record):
        page = await entities(azure, place, folder, _MOST)
        found += page.items
        missing += [f"further {folder}"] if page.has_more else []
    return found, missing


async def _held(azure: Azure, found: list[Entity]) -> tuple[list[Entity], list[str]]:
    """All that holds messages, with its counts."""
    queues, reading = await counted(azure, [one for one in found if one.kind == "queue"])
    held = list(queues)
    missing = [f"counts of {name}" for name in reading.names if name not in reading.read]

    async def ask(topic: Entity) -> None:
        own, lacking = await inside(azure, topic)
        held.extend(own)
        missing.extend(lacking)

    topics = {one.path: one for one in found if one.kind == "topic"}
    asked = await side_by_side(topics, ask)
    return held, [*missing, *(f"subscriptions of {name}" for name in topics if name not in asked.read)]


def _look(place: ResourceId, judge: Any) -> Look:
    call = f"show_servicebus_namespace(namespace={place.text!r})"
    return Look(of_id("GET", place, version=NAMESPACE.version), judge, call)
