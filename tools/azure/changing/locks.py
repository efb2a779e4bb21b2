"""Locks: making them, and lifting them."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from changes.preview import Preview
from clients.azure.client import Azure
from clients.azure.failures import ServiceRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.answers import present
from tools.azure.provider import Arm
from tools.azure.resource.places import scope_of
from tools.azure.shared.answers import Json
from tools.azure.shared.doing import SECONDS, Look, change, gone, holding
from tools.azure.shared.locks import LOCKS, LOCKS_VERSION, Lock
from tools.azure.shared.parameters import AnyResourceGroup, ResourceIdText, Subscription
from tools.azure.shared.previews import base_of, look_at

part = Part()

_TYPE: Final = "microsoft.authorization/locks"

Level = Annotated[Literal["CanNotDelete", "ReadOnly"], Field(description="What it forbids")]
LockName = Annotated[str, Field(min_length=1, max_length=90, pattern=r"^[^<>%&:\\?/]*$", description="Its name")]


async def _lock_made(
    azure: Arm,
    name: str,
    level: Level = "CanNotDelete",
    notes: str | None = None,
    resource_id: str | None = None,
    resource_group: str | None = None,
    subscription: Subscription = None,
) -> Preview:
    place = await _place(azure, resource_id, resource_group, subscription)
    known = await look_at(azure, place)
    if known.document(place) is None:
        raise Refusal(f"There is nothing to lock: {place.text}. list_resources has ids.")
    is_whole = len(place.segments) <= 2
    return Preview(
        what=f"Lock {name} ({level}) on {place.text}",
        facts={
            **known.facts(place),
            "forbids": "to delete"
            if level == "CanNotDelete"
            else "to change or delete, and many actions and key lists",
            "notes": notes,
            "locks there already": sorted(
                f"{lock.name} ({lock.level})" for lock in known.locks if lock.place == place.key
            ),
        },
        places=known.places,
        grave="It holds for a whole subscription." if is_whole and level == "ReadOnly" else "",
        destroys=False,
        missing=known.missing,
    )


@part.tool(Access.WRITE, previewed=_lock_made, harmless=("name", "level", "resource_id"), seconds=SECONDS)
async def create_resource_lock(
    azure: Arm,
    name: LockName,
    level: Level = "CanNotDelete",
    notes: Annotated[str | None, Field(max_length=512, description="Why, and whom to ask")] = None,
    resource_id: ResourceIdText | None = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
) -> Json:
    """Lock a resource, else a group, else a subscription, against deletion or any change."""
    place = await _place(azure, resource_id, resource_group, subscription)
    lock = ResourceId.of(f"{place.text}{LOCKS}/{name}")
    if await _read(azure, lock) is not None:
        raise Refusal(f"There is a lock {name!r} there already. list_resource_locks shows it.")
    body = {"properties": present({"level": level, "notes": notes})}
    call = f"list_resource_locks(resource_id={place.text!r})"
    look = Look(of_id("GET", lock, version=LOCKS_VERSION), holding(body), call)
    done = await change(azure, of_id("PUT", lock, body=body, version=LOCKS_VERSION), look)
    return done.told(id=lock.text, level=level)


async def _lock_gone(azure: Arm, lock_id: str) -> Preview:
    lock = _lock_of(lock_id)
    found = await azure.json(of_id("GET", lock, version=LOCKS_VERSION))
    place, told = base_of(lock), Lock.of(found)
    known = await look_at(azure, lock, seen=[{**found, "id": lock.text}])
    others = sorted(
        f"{one.name} ({one.level})" for one in known.locks if one.holds(place, "delete") and one.id != told.id
    )
    return Preview(
        what=f"Lock {told.name or lock.name} ({told.level}) on {place.text}",
        facts={
            "it forbids": told.forbids,
            "notes": told.notes,
            "what is locked": place.type,
            "other locks there": others,
        },
        places=known.places,
        grave="Somebody wanted to keep what it protects.",
        missing=known.missing,
    )


@part.tool(Access.DESTROY, previewed=_lock_gone, harmless=("lock_id",), seconds=SECONDS)
async def delete_resource_lock(
    azure: Arm, lock_id: Annotated[str, Field(max_length=2048, description="Its id: place and name of the lock")]
) -> Json:
    """Delete a lock, so that what it protects can be changed or deleted. Another person has to agree."""
    lock = _lock_of(lock_id)
    call = f"list_resource_locks(resource_id={base_of(lock).text!r})"
    look = Look(of_id("GET", lock, version=LOCKS_VERSION), gone, call)
    done = await change(azure, of_id("DELETE", lock, version=LOCKS_VERSION), look)
    return done.told(deleted=lock.text)


async def _place(azure: Azure, resource: str | None, group: str | None, subscription: str | None) -> ResourceId:
    if resource:
        return ResourceId.of(resource)
    return scope_of(await azure.subscription(subscription), group)


async def _read(azure: Azure, lock: ResourceId) -> Json | None:
    try:
        return await azure.json(of_id("GET", lock, version=LOCKS_VERSION))
    except ServiceRefusal as refusal:
        if refusal.status != 404:
            raise
        return None


def _lock_of(text: str) -> ResourceId:
    lock = ResourceId.of(text)
    if lock.type.lower() != _TYPE or lock.is_list:
        raise Refusal(f"This is no id of a lock: it ends with {LOCKS}/<name>. list_resource_locks has place and name.")
    return lock
