"""Creates, changes and deletes Service Bus namespaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo, by_call, never
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.named import group_called, is_there
from clients.azure.servicebus.entities import NAMESPACE, Entity, entities, folders_of, namespace_called
from clients.side_by_side import side_by_side
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.servicebus.deletion_impact import DeletionImpact, inside
from tools.azure.servicebus.entity_parameters import OF_NAMESPACE, NamespaceName, counted
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, Judge, gone, holding
from tools.azure.shared.creation import creation
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import ResourceGroup, Subscription
from tools.azure.shared.resource_change import ResourceChange, Shows

part = Part()

_MOST: Final = 1000
_SHOWN: Final = 50

NewNamespace = Annotated[
    str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]{4,48}[A-Za-z0-9]$", description="Unique in all of Azure")
]
Location = Annotated[str, Field(pattern=r"^[A-Za-z0-9 ]{3,40}$", description="A region")]
Tier = Literal["Basic", "Standard", "Premium"]
Units = Annotated[Literal[1, 2, 4, 8, 16] | None, Field(description="Premium only")]
Keys = Annotated[bool, Field(description="Allow connection strings as well as roles")]
MaybeKeys = Annotated[bool | None, Field(description="Allow connection strings as well as roles")]
Tags = Annotated[dict[str, str] | None, Field(max_length=50, description="Replace all tags")]


@part.change(
    Access.WRITE,
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
) -> ResourceChange:
    """Create a Service Bus namespace."""
    place = await _new(azure, namespace, resource_group, subscription)
    properties = {"minimumTlsVersion": "1.2", "disableLocalAuth": not keys_allowed}
    sku = _sku(tier, units)
    if await is_there(azure, NAMESPACE, place):
        raise Refusal(f"Namespace {namespace} already exists. Use update_servicebus_namespace to change the namespace.")

    given = {"tier": tier, "units": sku.get("capacity"), "location": location, "keys allowed": keys_allowed}
    body = {"location": location, "sku": sku, "properties": properties}
    return creation(
        azure,
        of_id("PUT", place, body=body, version=NAMESPACE.version),
        place,
        "Service Bus namespace",
        edits=[Edit(name, None, value) for name, value in given.items()],
        undo=by_call("delete_servicebus_namespace", namespace=place.text),
        call=_show_call(place),
    )


@part.change(
    Access.WRITE,
    interrupts=True,
    harmless=(*OF_NAMESPACE, "tier", "units", "keys_allowed", "public_network_access"),
    seconds=SECONDS,
)
async def update_servicebus_namespace(
    azure: Arm,
    namespace: NamespaceName,
    tier: Annotated[Tier | None, Field(description="Basic or Standard; Premium is set at creation")] = None,
    units: Units = None,
    keys_allowed: MaybeKeys = None,
    public_network_access: Annotated[bool | None, Field(description="Allow access from public networks")] = None,
    tags: Tags = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Change a Service Bus namespace: tier, units, keys, network, tags."""
    record = dict(await namespace_called(azure, namespace, subscription, anew=True))
    body = _changes(record, tier, units, keys_allowed, public_network_access, tags)
    place, edits = ResourceId.of(str(record.get("id"))), _edits(record, body)

    def shown(known: Inspected) -> Preview:
        return Preview(
            what=f"Service Bus namespace {place.name}",
            sentence=f"Change the Service Bus namespace {place.name}",
            facts=known.facts(place),
            edits=edits,
            effects=_effects(body),
            undo=_undo(place, record, body),
            destroys=False,
        )

    request = of_id("PATCH", place, body=body, version=NAMESPACE.version)
    change = _change(azure, request, place, record, holding(body, record), shown, {"updated": place.name})
    return replace(change, is_no_op=not edits)


@part.change(Access.DESTROY, harmless=OF_NAMESPACE, seconds=SECONDS)
async def delete_servicebus_namespace(
    azure: Arm, namespace: NamespaceName, subscription: Subscription = None
) -> ResourceChange:
    """Delete a Service Bus namespace with its queues, topics and messages."""
    record = dict(await namespace_called(azure, namespace, subscription, anew=True))
    place = ResourceId.of(str(record.get("id")))

    async def shown(known: Inspected) -> Preview:
        found, missing = await _all_in(azure, place, record)
        entities, uncounted = await _entities_with_messages(azure, found)
        what = DeletionImpact(entities)
        return Preview(
            what=f"Service Bus namespace {place.name} with everything in it",
            sentence=f"Delete the Service Bus namespace {place.name} with all its queues, topics and messages",
            facts={**known.facts(place), **_queues_and_topics(found), **what.facts},
            grave="A namespace cannot be restored, and its messages are lost permanently.",
            undo=never("a namespace and its contents cannot be restored"),
            missing=[*missing, *uncounted],
            notes=what.notes,
        )

    request = of_id("DELETE", place, version=NAMESPACE.version)
    return _change(azure, request, place, record, gone, shown, {"deleted": place.name})


def _queues_and_topics(found: Sequence[Entity]) -> dict[str, Fact]:
    queues, topics = ([one.name for one in found if one.kind == kind] for kind in ("queue", "topic"))
    return {
        "queues": sorted(queues)[:_SHOWN],
        "topics": sorted(topics)[:_SHOWN],
        "number of queues and topics": len(found),
    }


def _change(
    azure: Azure,
    request: AzureRequest,
    place: ResourceId,
    before: Json,
    judge: Judge,
    shows: Shows,
    answers: Mapping[str, Any],
) -> ResourceChange:
    call = _show_call(place)
    return ResourceChange(azure, request, on=place, before=before, judge=judge, call=call, shows=shows, answers=answers)


def _show_call(place: ResourceId) -> str:
    return f"show_servicebus_namespace(namespace={place.text!r})"


async def _new(azure: Azure, name: str, group: str, subscription: str | None) -> ResourceId:
    scope = await group_called(azure, group, subscription)
    return ResourceId((*scope.segments, "providers", "Microsoft.ServiceBus", "namespaces", name))


def _sku(tier: Tier, units: int | None) -> Json:
    if units is not None and tier != "Premium":
        raise Refusal("`units` requires the Premium tier.")
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
        raise Refusal(f"{record.get('name')} is {now}. A namespace cannot change to or from Premium.")
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
        raise Refusal("Pass what to change: tier, units, keys_allowed, public_network_access or tags.")
    return body


def _edits(record: Any, body: Json) -> list[Edit]:
    settings = {
        "tier": (at(record, "sku.name"), at(body, "sku.name")),
        "units": (at(record, "sku.capacity"), at(body, "sku.capacity")),
        "keys disabled": (at(record, "properties.disableLocalAuth"), at(body, "properties.disableLocalAuth")),
        "network": (at(record, "properties.publicNetworkAccess"), at(body, "properties.publicNetworkAccess")),
        "tags": (_tags(record), _tags(body) if "tags" in body else None),
    }
    return [Edit(name, before, after) for name, (before, after) in settings.items() if after not in (None, before)]


def _tags(record: Any) -> list[str]:
    return sorted(f"{name}={value}" for name, value in (record.get("tags") or {}).items())


async def _all_in(azure: Azure, place: ResourceId, record: Any) -> tuple[list[Entity], list[str]]:
    found: list[Entity] = []
    missing = []
    for folder in folders_of(record):
        page = await entities(azure, place, folder, _MOST)
        found += page.items
        missing += [f"other {folder}"] if page.has_more else []
    return found, missing


async def _entities_with_messages(azure: Azure, found: list[Entity]) -> tuple[list[Entity], list[str]]:
    """Return all queues of a namespace and all subscriptions of its topics, with their message counts."""
    queues, reading = await counted(azure, [one for one in found if one.kind == "queue"])
    entities = list(queues)
    missing = [f"counts of {name}" for name in reading.names if name not in reading.read]

    async def ask(topic: Entity) -> None:
        own, lacking = await inside(azure, topic)
        entities.extend(own)
        missing.extend(lacking)

    topics = {one.path: one for one in found if one.kind == "topic"}
    asked = await side_by_side(topics, ask)
    return entities, [*missing, *(f"subscriptions of {name}" for name in topics if name not in asked.read)]


def _effects(body: Json) -> list[str]:
    properties = body.get("properties") or {}
    keys, network = properties.get("disableLocalAuth"), properties.get("publicNetworkAccess")
    return [
        *(["Senders and receivers that use connection strings lose access immediately"] if keys else []),
        *(["Clients outside the allowed networks lose access immediately"] if network == "Disabled" else []),
    ]


def _undo(place: ResourceId, record: Json, body: Json) -> Undo:
    """Return the call that restores the changed values."""
    now, changed = record.get("properties") or {}, body.get("properties") or {}
    before = {
        "tier": at(record, "sku.name") if "sku" in body else None,
        "units": at(record, "sku.capacity") if "sku" in body and at(record, "sku.name") == "Premium" else None,
        "keys_allowed": not now.get("disableLocalAuth") if "disableLocalAuth" in changed else None,
        "public_network_access": now.get("publicNetworkAccess") != "Disabled"
        if "publicNetworkAccess" in changed
        else None,
        "tags": dict(record.get("tags") or {}) if "tags" in body else None,
    }
    return by_call("update_servicebus_namespace", namespace=place.text, **before)
