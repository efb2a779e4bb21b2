"""Vaults: made with secure settings, deleted, recovered, purged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from changes.preview import Fact, Preview
from clients.azure import vaults
from clients.azure.client import Azure
from clients.azure.failures import ServiceRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.vaults import TYPE, Contents, Kind, Vault, vault_called
from clients.folding import folded
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.keyvault.shared import VaultName
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json, at
from tools.azure.shared.doing import SECONDS, Look, change, gone, made
from tools.azure.shared.mentions import named_by
from tools.azure.shared.names import already_there, refuse_taken, refuse_there
from tools.azure.shared.parameters import ResourceGroup, Subscription
from tools.azure.shared.previews import Known, look_at

part = Part()

_MOST: Final = 1000
_KINDS: Final[tuple[Kind, ...]] = ("secrets", "keys", "certificates")
_DELETED_VERSION: Final = "2023-07-01"
_FOREVER: Final = "Nobody can recover the vault afterwards, nor anything that was in it."

NewName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]{1,22}[A-Za-z0-9]$", description="Unique in Azure")]
Location = Annotated[str, Field(min_length=2, max_length=60, description="Such as westeurope")]
Days = Annotated[int, Field(ge=7, le=90, description="How long what is deleted can be recovered")]
Sku = Annotated[Literal["standard", "premium"], Field(description="premium keeps keys in hardware")]
DeletedName = Annotated[str, Field(min_length=3, max_length=24, description="Its name")]


async def _created(
    azure: Arm,
    vault: NewName,
    resource_group: ResourceGroup,
    location: Location,
    recoverable_days: Days = 90,
    sku: Sku = "standard",
    subscription: Subscription = None,
) -> Preview:
    """What is made, and that its name is free."""
    place = await _place(azure, vault, resource_group, subscription)
    known = await _free(azure, place)
    body = await _body(azure, place, location, recoverable_days, sku)
    known.refuse_locked("change")
    return Preview(
        what=f"The new vault {vault} in the group {resource_group}",
        facts={**known.facts(place), **_settings(body), "location": location},
        places=known.places,
        missing=[*known.missing, *await refuse_taken(azure, place.subscription, TYPE, vault)],
        notes=["Nobody gets in before a role such as 'Key Vault Secrets Officer' is assigned on it."],
    )


@part.tool(
    Access.WRITE,
    previewed=_created,
    harmless=("vault", "resource_group", "location", "recoverable_days", "sku", "subscription"),
    seconds=SECONDS,
)
async def create_keyvault(
    azure: Arm,
    vault: NewName,
    resource_group: ResourceGroup,
    location: Location,
    recoverable_days: Days = 90,
    sku: Sku = "standard",
    subscription: Subscription = None,
) -> Json:
    """Create a key vault that goes by roles, with soft delete and purge protection."""
    place = await _place(azure, vault, resource_group, subscription)
    await refuse_there(azure, place)
    await refuse_taken(azure, place.subscription, TYPE, vault)
    body = await _body(azure, place, location, recoverable_days, sku)
    done = await change(azure, of_id("PUT", place, body=body), _look_at(place, made))
    return done.told(created=place.text, address=at(done.document, "properties.vaultUri"))


async def _deleted(azure: Arm, vault: VaultName, subscription: Subscription = None) -> Preview:
    """What goes with it, until when it can be recovered, and who uses it."""
    found = await vault_called(azure, vault, subscription)
    known = await look_at(azure, found.id, seen=[dict(found.record)])
    known.refuse_locked("delete")
    holds, unread = await _held(azure, found)
    users, unknown = await named_by(azure, found.id, [str(found.properties.get("vaultUri") or "").rstrip("/")])
    days = found.properties.get("softDeleteRetentionInDays") or 90
    keeps = found.properties.get("enableSoftDelete") is not False
    return Preview(
        what=f"The vault {found.name} with all that is in it",
        facts={
            **known.facts(found.id),
            **holds,
            "recoverable for days": days if keeps else None,
            "purge protection": bool(found.properties.get("enablePurgeProtection")),
            "used by": users,
        },
        places=known.places,
        grave="" if keeps else _FOREVER,
        missing=[*known.missing, *unread, *unknown],
        notes=["Its name stays taken until it is recovered or purged."],
    )


@part.tool(Access.DESTROY, previewed=_deleted, harmless=("vault", "subscription"), seconds=SECONDS)
async def delete_keyvault(azure: Arm, vault: VaultName, subscription: Subscription = None) -> Json:
    """Delete a key vault with all that is in it. It can be recovered for some days."""
    found = await vault_called(azure, vault, subscription)
    done = await change(azure, of_id("DELETE", found.id), _look_at(found.id, gone))
    return done.told(deleted=found.id.text, recover=f"recover_keyvault(vault={found.name!r})")


async def _recovered(azure: Arm, vault: DeletedName, subscription: Subscription = None) -> Preview:
    """What comes back."""
    record = await _gone(azure, vault, subscription)
    place = _of_deleted(record)
    known = await look_at(azure, place, within=[{"tags": at(record, "properties.tags")}])
    known.refuse_locked("change")
    return Preview(
        what=f"The vault {vault}: recover it with all that was in it",
        facts={"vault": place.text, **_times(record)},
        places=known.places,
        missing=known.missing,
    )


@part.tool(Access.WRITE, previewed=_recovered, harmless=("vault", "subscription"), seconds=SECONDS)
async def recover_keyvault(azure: Arm, vault: DeletedName, subscription: Subscription = None) -> Json:
    """Recover a deleted key vault with all that was in it, in the group where it was."""
    record = await _gone(azure, vault, subscription)
    place = _of_deleted(record)
    tenant = (await azure.subscription(place.subscription)).tenant
    sku = {"family": "A", "name": "standard"}
    body = {
        "location": at(record, "properties.location"),
        "properties": {"createMode": "recover", "tenantId": tenant, "sku": sku},
    }
    done = await change(azure, of_id("PUT", place, body=body), _look_at(place, made))
    return done.told(recovered=place.text)


async def _purged(azure: Arm, vault: DeletedName, subscription: Subscription = None) -> Preview:
    """What goes for good."""
    record = await _gone(azure, vault, subscription)
    _refuse_protected(record)
    place = _of_deleted(record)
    known = await look_at(azure, place, within=[{"tags": at(record, "properties.tags")}])
    return Preview(
        what=f"The deleted vault {vault}: purge it with all that was in it, for good",
        facts={"vault": place.text, **_times(record)},
        places=known.places,
        grave=_FOREVER,
        missing=known.missing,
    )


@part.tool(Access.DESTROY, previewed=_purged, harmless=("vault", "subscription"), seconds=SECONDS)
async def purge_keyvault(azure: Arm, vault: DeletedName, subscription: Subscription = None) -> Json:
    """Purge a deleted key vault: nobody can recover it afterwards, nor what was in it."""
    record = await _gone(azure, vault, subscription)
    _refuse_protected(record)
    place = ResourceId.of(str(record.get("id")))
    look = Look(
        of_id("GET", place, version=_DELETED_VERSION),
        gone,
        f"list_keyvaults(subscription={place.subscription!r}, deleted=True)",
    )
    done = await change(azure, of_id("POST", place, "/purge", version=_DELETED_VERSION), look)
    return done.told(purged=vault)


async def _place(azure: Azure, vault: str, group: str, subscription: str | None) -> ResourceId:
    where = (await azure.subscription(subscription)).id
    return ResourceId.of(f"/subscriptions/{where}/resourceGroups/{group}/providers/{TYPE}/{vault}")


async def _free(azure: Azure, place: ResourceId) -> Known:
    """What is known of where it is to be.

    Raises:
        Refusal: There is one of that name already; to make it anew would take everybody's access away.
    """
    known = await look_at(azure, place)
    if known.document(place) is not None:
        raise already_there(place)
    return known


async def _body(azure: Azure, place: ResourceId, location: str, days: int, sku: str) -> Json:
    return {
        "location": location,
        "properties": {
            "tenantId": (await azure.subscription(place.subscription)).tenant,
            "sku": {"family": "A", "name": sku},
            "enableRbacAuthorization": True,
            "enableSoftDelete": True,
            "softDeleteRetentionInDays": days,
            "enablePurgeProtection": True,
        },
    }


def _settings(body: Mapping[str, Any]) -> dict[str, Fact]:
    return {
        "opened by": "roles",
        "recoverable for days": at(body, "properties.softDeleteRetentionInDays"),
        "purge protection": True,
        "size": at(body, "properties.sku.name"),
        "network": "public; who gets in is decided by roles",
    }


async def _held(azure: Azure, vault: Vault) -> tuple[dict[str, Fact], list[str]]:
    """How much is in it, by kind; and what the caller may not see."""
    held: dict[str, Fact] = {}
    unread: list[str] = []
    for kind in _KINDS:
        try:
            page = await Contents(azure, vault).listed(kind, _MOST)
        except ServiceRefusal:
            unread.append(f"how many {kind} are in it: you may not list them")
        else:
            held[kind] = f"{len(page.items)}{' or more' if page.has_more else ''}"
    return held, unread


async def _gone(azure: Azure, name: str, subscription: str | None) -> Json:
    """What is known of a deleted vault.

    Raises:
        Refusal: There is none of that name.
    """
    page = await vaults.deleted_vaults(azure, subscription, _MOST)
    for record in page.items:
        if folded(str(record.get("name"))) == folded(name.strip()):
            return dict(record)
    raise Refusal(
        f"No deleted vault {name!r} is in the subscription. list_keyvaults with `deleted` names those there are."
    )


def _of_deleted(record: Mapping[str, Any]) -> ResourceId:
    """Where it was, and where it comes back."""
    place = ResourceId.of(str(at(record, "properties.vaultId")))
    if place.type.lower() != TYPE.lower():
        raise Refusal("Azure does not tell where the vault was.")
    return place


def _times(record: Mapping[str, Any]) -> dict[str, Fact]:
    return {
        "deleted": at(record, "properties.deletionDate"),
        "recoverable until": at(record, "properties.scheduledPurgeDate"),
    }


def _refuse_protected(record: Mapping[str, Any]) -> None:
    """Refuse what Azure refuses.

    Raises:
        Refusal: It is protected from purging.
    """
    if at(record, "properties.purgeProtectionEnabled"):
        until = at(record, "properties.scheduledPurgeDate") or "its time is over"
        raise Refusal(f"The vault is protected from purging: nobody can purge it, and Azure does at {until}.")


def _look_at(place: ResourceId, judge: Any) -> Look:
    return Look(of_id("GET", place), judge, f"show_keyvault(vault={place.text!r})")
