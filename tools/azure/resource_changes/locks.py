"""Creates and deletes locks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from changes.preview import Preview
from changes.undo import Undo, by_call
from clients.answers import present
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.named import place_called
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.shared.answers import Json
from tools.azure.shared.applying import SECONDS, gone, holding
from tools.azure.shared.everywhere import scope_called
from tools.azure.shared.inspecting import Inspected, base_of
from tools.azure.shared.locks import LOCKS, LOCKS_VERSION, ResourceLock
from tools.azure.shared.parameters import AnyResourceGroup, IdOrName, Subscription
from tools.azure.shared.resource_change import ResourceChange, Shows

part = Part()

_TYPE: Final = "microsoft.authorization/locks"

Level = Annotated[Literal["CanNotDelete", "ReadOnly"], Field(description="What it prevents")]
LockName = Annotated[str, Field(min_length=1, max_length=90, pattern=r"^[^<>%&:\\?/]*$", description="Its name")]


@part.change(Access.WRITE, harmless=("name", "level", "resource_id"), seconds=SECONDS)
async def create_resource_lock(
    azure: Arm,
    name: LockName,
    level: Level = "CanNotDelete",
    notes: Annotated[str | None, Field(max_length=512, description="Reason and contact")] = None,
    resource_id: IdOrName | None = None,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Lock a resource, a group or a whole subscription (default) against deletion or any change."""
    place = await _place(azure, resource_id, resource_group, subscription)
    lock = ResourceId.of(f"{place.text}{LOCKS}/{name}")
    if await _read(azure, lock) is not None:
        raise Refusal(f"Lock {name!r} already exists on {place.text}. Use list_resource_locks to see the lock.")
    is_whole = len(place.segments) <= 2

    def shown(known: Inspected) -> Preview:
        if why := known.refused.get(place.key):
            raise why
        if known.document(place) is None:
            raise Refusal(f"{place.text} not found. Use list_resources to find ids.")
        there = sorted(f"{one.name} ({one.level})" for one in known.locks if one.place == place.key)
        forbids = "deletion" if level == "CanNotDelete" else "changes, deletion, listing keys, and many actions"
        return Preview(
            what=f"Lock {name} ({level}) on {place.text}",
            sentence=f"Lock {place.name} ({level}), which prevents {forbids}",
            facts={**known.facts(place), "forbids": forbids, "notes": notes, "existing locks": there},
            grave="The lock applies to a whole subscription." if is_whole and level == "ReadOnly" else "",
            undo=by_call("delete_resource_lock", lock_id=lock.text),
            destroys=False,
        )

    body = {"properties": present({"level": level, "notes": notes})}
    request = of_id("PUT", lock, body=body, version=LOCKS_VERSION)
    return _change(azure, request, lock, None, shown, {"id": lock.text, "level": level})


@part.change(Access.DESTROY, harmless=("lock_id",), seconds=SECONDS)
async def delete_resource_lock(
    azure: Arm, lock_id: Annotated[str, Field(max_length=2048, description="The lock's id")]
) -> ResourceChange:
    """Delete a lock, so that locked resources can be changed or deleted. Another person must approve."""
    lock = _lock_of(lock_id)
    found = await azure.json(of_id("GET", lock, version=LOCKS_VERSION))
    place, existing = base_of(lock), ResourceLock.of(found)

    def shown(known: Inspected) -> Preview:
        others = sorted(
            f"{one.name} ({one.level})" for one in known.locks if one.holds(place, "delete") and one.id != existing.id
        )
        return Preview(
            what=f"Lock {existing.name or lock.name} ({existing.level}) on {place.text}",
            sentence=f"Delete the lock {existing.name or lock.name} on {place.name} (it prevents {existing.forbids})",
            facts={
                "it prevents": existing.forbids,
                "notes": existing.notes,
                "locked resource": place.type,
                "other locks there": others,
            },
            grave="Someone created this lock on purpose.",
            undo=_locked_again(lock, existing, place),
        )

    request = of_id("DELETE", lock, version=LOCKS_VERSION)
    return _change(azure, request, lock, found, shown, {"deleted": lock.text})


def _locked_again(lock: ResourceId, existing: ResourceLock, place: ResourceId) -> Undo:
    """Return the call that restores a deleted lock on a resource, group or subscription."""
    below: dict[str, Any] = {"resource_id": place.text}
    if not place.namespace:
        below = {"resource_group": place.group or None, "subscription": place.subscription}
    return by_call("create_resource_lock", name=lock.name, level=existing.level, notes=existing.notes or None, **below)


def _change(
    azure: Azure, request: AzureRequest, lock: ResourceId, before: Json | None, shows: Shows, answers: Mapping[str, Any]
) -> ResourceChange:
    return ResourceChange(
        azure,
        request,
        on=lock,
        before=before,
        judge=gone if before else holding(request.body),
        call=f"list_resource_locks(resource_id={base_of(lock).text!r})",
        shows=shows,
        answers=answers,
    )


async def _place(azure: Azure, resource: str | None, group: str | None, subscription: str | None) -> ResourceId:
    if resource:
        return await place_called(azure, resource)
    return await scope_called(azure, group, subscription)


async def _read(azure: Azure, lock: ResourceId) -> Json | None:
    try:
        return await azure.json(of_id("GET", lock, version=LOCKS_VERSION))
    except AzureRefusal as refusal:
        if refusal.status != 404:
            raise
        return None


def _lock_of(text: str) -> ResourceId:
    lock = ResourceId.of(text)
    if lock.type.lower() != _TYPE or lock.is_list:
        raise Refusal(f"A lock's id must end with {LOCKS}/<name>. Use list_resource_locks to find its scope and name.")
    return lock
