"""Creates vaults with secure settings, and deletes, recovers and purges them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from changes.preview import Fact, Preview
from changes.undo import by_call, never
from clients.azure import vaults
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.named import group_called
from clients.azure.vaults import VAULT, KeyVault, Kind, VaultContents, vault_called
from clients.folding import folded
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.keyvault.vault_parameters import VaultName
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, AppliedChange, Judge, gone, made, read
from tools.azure.shared.everywhere import in_each
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.mentions import named_by
from tools.azure.shared.names import refuse_taken, refuse_there
from tools.azure.shared.parameters import ResourceGroup, Subscription
from tools.azure.shared.resource_change import Answers, ResourceChange, Shows

part = Part()

_MOST: Final = 1000
_KINDS: Final[tuple[Kind, ...]] = ("secrets", "keys", "certificates")
_DELETED_VERSION: Final = "2023-07-01"
_FOREVER: Final = "The vault and its contents can never be recovered afterwards."

NewName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]{1,22}[A-Za-z0-9]$", description="Unique in Azure")]
Location = Annotated[str, Field(min_length=2, max_length=60, description="Such as westeurope")]
Days = Annotated[int, Field(ge=7, le=90, description="Days for which deleted items can be recovered")]
Sku = Annotated[Literal["standard", "premium"], Field(description="premium keeps keys in hardware")]
DeletedName = Annotated[str, Field(min_length=3, max_length=24, description="Its name")]


@part.change(
    Access.WRITE,
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
) -> ResourceChange:
    """Create a key vault with role-based access, soft delete and purge protection."""
    place = await _place(azure, vault, resource_group, subscription)
    await refuse_there(azure, place)
    unknown = await refuse_taken(azure, place.subscription, VAULT.type, vault)
    body = await _body(azure, place, location, recoverable_days, sku)

    def shown(known: Inspected) -> Preview:
        return Preview(
            what=f"New key vault {vault} in the group {resource_group}",
            sentence=f"Create the key vault {vault} in the group {resource_group}",
            facts={**known.facts(place), **_settings(body), "location": location},
            undo=by_call("delete_keyvault", vault=place.text).but("its name stays reserved until it is purged"),
            missing=unknown,
            notes=["To use the vault, assign a role such as 'Key Vault Secrets Officer' on it."],
        )

    def answers(done: AppliedChange) -> Mapping[str, Any]:
        return {"created": place.text, "address": at(done.document, "properties.vaultUri")}

    return _change(azure, of_id("PUT", place, body=body), place, None, made, shown, answers)


@part.change(Access.DESTROY, harmless=("vault", "subscription"), seconds=SECONDS)
async def delete_keyvault(azure: Arm, vault: VaultName, subscription: Subscription = None) -> ResourceChange:
    """Delete a key vault and everything in it. The vault can be recovered for some days."""
    found = await vault_called(azure, vault, subscription)
    before = await read(azure, of_id("GET", found.id))
    recover = f"recover_keyvault(vault={found.name!r})"

    async def shown(known: Inspected) -> Preview:
        counts, unread = await _counts(azure, found)
        users, unknown = await named_by(azure, found.id, [str(found.properties.get("vaultUri") or "").rstrip("/")])
        days = found.properties.get("softDeleteRetentionInDays") or 90
        keeps = found.properties.get("enableSoftDelete") is not False
        return Preview(
            what=f"Key vault {found.name} and everything in it",
            sentence=f"Delete the key vault {found.name} with all its secrets, keys and certificates",
            facts={
                **known.facts(found.id),
                **counts,
                "recoverable for days": days if keeps else None,
                "purge protection": bool(found.properties.get("enablePurgeProtection")),
                "used by": users,
            },
            grave="" if keeps else _FOREVER,
            effects=["Requests to read from the vault will fail"],
            undo=by_call("recover_keyvault", vault=found.name) if keeps else never("soft delete is off in this vault"),
            missing=[*unread, *unknown],
            notes=["The name stays reserved until the vault is recovered or purged."],
        )

    answers = {"deleted": found.id.text, "recover": recover}
    return _change(azure, of_id("DELETE", found.id), found.id, before, gone, shown, answers)


@part.change(Access.WRITE, harmless=("vault", "subscription"), seconds=SECONDS)
async def recover_keyvault(azure: Arm, vault: DeletedName, subscription: Subscription = None) -> ResourceChange:
    """Recover a deleted key vault and everything in it, in its original group."""
    record = await _gone(azure, vault, subscription)
    place = _of_deleted(record)
    tenant = (await azure.subscription(place.subscription)).tenant
    sku = {"family": "A", "name": "standard"}
    body = {
        "location": at(record, "properties.location"),
        "properties": {"createMode": "recover", "tenantId": tenant, "sku": sku},
    }

    def shown(_known: Inspected) -> Preview:
        return Preview(
            what=f"Deleted key vault {vault}: recover it and everything in it",
            sentence=f"Recover the deleted key vault {vault} and everything in it",
            facts={"vault": place.text, **_times(record)},
            undo=by_call("delete_keyvault", vault=place.text),
        )

    change = _change(azure, of_id("PUT", place, body=body), place, None, made, shown, {"recovered": place.text})
    return replace(change, within=[{"tags": at(record, "properties.tags")}])


@part.change(Access.DESTROY, harmless=("vault", "subscription"), seconds=SECONDS)
async def purge_keyvault(azure: Arm, vault: DeletedName, subscription: Subscription = None) -> ResourceChange:
    """Purge a deleted key vault and its contents. Recovery is impossible."""
    record = await _gone(azure, vault, subscription)
    _refuse_protected(record)
    place, deleted = _of_deleted(record), ResourceId.of(str(record.get("id")))
    looking = of_id("GET", deleted, version=_DELETED_VERSION)

    def shown(_known: Inspected) -> Preview:
        return Preview(
            what=f"Deleted key vault {vault}: purge it and everything in it permanently",
            sentence=f"Permanently purge the deleted key vault {vault} and everything in it",
            facts={"vault": place.text, **_times(record)},
            grave=_FOREVER,
            undo=never("a purge is permanent"),
        )

    return ResourceChange(
        azure,
        of_id("POST", deleted, "/purge", version=_DELETED_VERSION),
        on=place,
        before=await read(azure, looking),
        looking=looking,
        judge=gone,
        call=f"list_keyvaults(subscription={place.subscription!r}, deleted=True)",
        shows=shown,
        answers={"purged": vault},
        within=[{"tags": at(record, "properties.tags")}],
        action="Microsoft.KeyVault/locations/deletedVaults/purge/action",
        permitted_at=ResourceId.of_subscription(place.subscription),
    )


def _change(
    azure: Azure,
    request: AzureRequest,
    place: ResourceId,
    before: Json | None,
    judge: Judge,
    shows: Shows,
    answers: Answers,
) -> ResourceChange:
    call = f"show_keyvault(vault={place.text!r})"
    return ResourceChange(azure, request, on=place, before=before, judge=judge, call=call, shows=shows, answers=answers)


async def _place(azure: Azure, vault: str, group: str, subscription: str | None) -> ResourceId:
    where = await group_called(azure, group, subscription)
    return ResourceId.of(f"{where.text}/providers/{VAULT.type}/{vault}")


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
        "access": "by roles",
        "recoverable for days": at(body, "properties.softDeleteRetentionInDays"),
        "purge protection": True,
        "size": at(body, "properties.sku.name"),
        "network": "public, but access requires a role",
    }


async def _counts(azure: Azure, vault: KeyVault) -> tuple[dict[str, Fact], list[str]]:
    """Return the number of items of each kind in a vault, and the kinds that the caller cannot list."""
    counts: dict[str, Fact] = {}
    unread: list[str] = []
    for kind in _KINDS:
        try:
            page = await VaultContents(azure, vault).listed(kind, _MOST)
        except AzureRefusal:
            unread.append(f"number of {kind}: you do not have permission to list them")
        else:
            counts[kind] = f"{len(page.items)}{' or more' if page.has_more else ''}"
    return counts, unread


async def _gone(azure: Azure, name: str, subscription: str | None) -> Json:
    """Return the record of a deleted vault. Raises Refusal if the vault was not found."""
    found = await in_each(azure, subscription, lambda scope: vaults.deleted_vaults(azure, scope, _MOST), _MOST)
    for record in found.page.items:
        if folded(str(record.get("name"))) == folded(name.strip()):
            return dict(record)
    raise Refusal(
        f"No deleted vault named {name!r} found in {found.said['asked']}: it does not exist, or you do not have access."
        " Use list_keyvaults with `deleted` to list deleted vaults."
    )


def _of_deleted(record: Mapping[str, Any]) -> ResourceId:
    """Return the original id of a deleted vault. If the vault is recovered, it has this id again."""
    place = ResourceId.of(str(at(record, "properties.vaultId")))
    if place.type.lower() != VAULT.type.lower():
        raise Refusal("Azure did not return the original id of the vault.")
    return place


def _times(record: Mapping[str, Any]) -> dict[str, Fact]:
    return {
        "deleted": at(record, "properties.deletionDate"),
        "recoverable until": at(record, "properties.scheduledPurgeDate"),
    }


def _refuse_protected(record: Mapping[str, Any]) -> None:
    """Refuse a purge that Azure would reject.

    Raises:
        Refusal: The vault has purge protection.
    """
    if at(record, "properties.purgeProtectionEnabled"):
        until = at(record, "properties.scheduledPurgeDate") or "the end of its retention period"
        raise Refusal(f"The vault has purge protection, so nobody can purge it early. Azure purges it at {until}.")
