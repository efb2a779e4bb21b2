"""Secrets, keys and certificates: switched off and on, deleted, recovered, purged."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from changes.preview import Edit, Preview
from clients.azure.vaults import Entry
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.keyvault.kinds import Item, ItemKind, absent, newer_than, refuse_managed
from tools.azure.keyvault.shared import ItemName, VaultName, Version
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json
from tools.azure.shared.doing import SECONDS, Judge, Look, Seen, gone
from tools.azure.shared.parameters import Subscription

part = Part()

_HARMLESS: Final = ("vault", "kind", "name", "subscription")
_FOREVER: Final = "It cannot be recovered afterwards by anybody."

Enabled = Annotated[bool, Field(description="false switches it off")]


async def _switched(
    azure: Arm,
    vault: VaultName,
    kind: ItemKind,
    name: ItemName,
    enabled: Enabled,
    version: Version = None,
    subscription: Subscription = None,
) -> Preview:
    """What is switched, and who uses it."""
    item = await Item.of(azure, vault, kind, name, subscription)
    versions = await item.present()
    meant = _meant(versions, version)
    return await item.preview(
        [meant, *(one for one in versions if one is not meant)],
        azure,
        what=f"{item.title}: {'enable' if enabled else 'disable'} the version {meant.version}",
        edits=[Edit("enabled", meant.is_enabled, enabled)],
        notes=[] if enabled else ["Whatever reads this version gets a refusal at once."],
        pins={"version": meant.version},
    )


@part.tool(Access.WRITE, previewed=_switched, harmless=(*_HARMLESS, "enabled", "version"), seconds=SECONDS)
async def enable_keyvault_item(
    azure: Arm,
    vault: VaultName,
    kind: ItemKind,
    name: ItemName,
    enabled: Enabled,
    version: Version = None,
    subscription: Subscription = None,
) -> Json:
    """Enable or disable a version of a secret, key or certificate. It stays, and can be switched back."""
    item = await Item.of(azure, vault, kind, name, subscription)
    meant = _meant(await item.present(), version)
    request = item.request(
        f"PATCH /{item.kinds}/{{name}}/{{version}}",
        values={"version": meant.version},
        body={"attributes": {"enabled": enabled}},
    )
    done = await item.change(azure, request, _has(item, meant.version, enabled=enabled))
    return done.told(vault=item.contents.vault.name, name=name, version=meant.version, enabled=str(enabled).lower())


async def _deleted(
    azure: Arm, vault: VaultName, kind: ItemKind, name: ItemName, subscription: Subscription = None
) -> Preview:
    """What goes, until when it can be recovered, and who uses it."""
    item = await Item.of(azure, vault, kind, name, subscription)
    versions = await item.present()
    refuse_managed(versions[0])
    days, is_protected = _protection(versions[0])
    brought = " The key and the secret of the same name go with it." if kind == "certificate" else ""
    facts = {"recoverable for days": days, "may be purged before": not is_protected}
    grave = "" if days else "It cannot be recovered: the vault does not keep what is deleted."
    return await item.preview(
        versions,
        azure,
        what=f"{item.title}, with all its versions",
        facts=facts,
        grave=grave,
        notes=[f"Until it is recovered or purged, no {kind} can have its name.{brought}"],
    )


@part.tool(Access.DESTROY, previewed=_deleted, harmless=_HARMLESS, seconds=SECONDS)
async def delete_keyvault_item(
    azure: Arm, vault: VaultName, kind: ItemKind, name: ItemName, subscription: Subscription = None
) -> Json:
    """Delete a secret, key or certificate with all its versions. It can be recovered for some days."""
    item = await Item.of(azure, vault, kind, name, subscription)
    refuse_managed((await item.present())[0])
    done = await item.change(azure, item.request(f"DELETE /{item.kinds}/{{name}}"), absent)
    entry = Entry(item.kinds, done.document)
    return done.told(
        vault=item.contents.vault.name,
        deleted=name,
        recoverable_until=entry.at("scheduledPurgeDate"),
        recover=f"recover_keyvault_item(vault={item.contents.vault.name!r}, kind={kind!r}, name={name!r})",
    )


async def _recovered(
    azure: Arm, vault: VaultName, kind: ItemKind, name: ItemName, subscription: Subscription = None
) -> Preview:
    """What comes back."""
    item = await Item.of(azure, vault, kind, name, subscription)
    entry = Entry(item.kinds, await item.gone())
    return await item.preview(
        [entry],
        azure,
        what=f"{item.title}: recover it, with all its versions",
        facts={
            "versions": None,
            "deleted": entry.at("deletedDate"),
            "purged otherwise": entry.at("scheduledPurgeDate"),
        },
    )


@part.tool(Access.WRITE, previewed=_recovered, harmless=_HARMLESS, seconds=SECONDS)
async def recover_keyvault_item(
    azure: Arm, vault: VaultName, kind: ItemKind, name: ItemName, subscription: Subscription = None
) -> Json:
    """Recover a deleted secret, key or certificate with all its versions."""
    item = await Item.of(azure, vault, kind, name, subscription)
    await item.gone()
    done = await item.change(azure, item.request(f"POST /deleted{item.kinds}/{{name}}/recover"), newer_than([]))
    return done.told(vault=item.contents.vault.name, recovered=name, there="after some seconds")


async def _purged(
    azure: Arm, vault: VaultName, kind: ItemKind, name: ItemName, subscription: Subscription = None
) -> Preview:
    """What goes for good."""
    item = await Item.of(azure, vault, kind, name, subscription)
    entry = Entry(item.kinds, await item.gone())
    _refuse_protected(entry)
    return await item.preview(
        [entry],
        azure,
        what=f"{item.title}: purge what was deleted, for good",
        facts={
            "versions": None,
            "deleted": entry.at("deletedDate"),
            "recoverable until": entry.at("scheduledPurgeDate"),
        },
        grave=_FOREVER,
    )


@part.tool(Access.DESTROY, previewed=_purged, harmless=_HARMLESS, seconds=SECONDS)
async def purge_keyvault_item(
    azure: Arm, vault: VaultName, kind: ItemKind, name: ItemName, subscription: Subscription = None
) -> Json:
    """Purge a deleted secret, key or certificate: nobody can recover it afterwards."""
    item = await Item.of(azure, vault, kind, name, subscription)
    _refuse_protected(Entry(item.kinds, await item.gone()))
    request = item.request(f"DELETE /deleted{item.kinds}/{{name}}")
    done = await item.sent(azure, request, Look(item.reading_deleted, gone, item.listing_of_deleted))
    return done.told(vault=item.contents.vault.name, purged=name)


def _meant(versions: list[Entry], version: str | None) -> Entry:
    """The version of a name, or the newest.

    Raises:
        Refusal: There is none of that name.
    """
    found = next((one for one in versions if version in {None, one.version}), None)
    if found is None:
        raise Refusal(
            f"It has no version {version!r}. The newest is {versions[0].version!r}; leave `version` out for it."
        )
    refuse_managed(found)
    return found


def _has(item: Item, version: str, *, enabled: bool) -> Judge:
    def judge(found: Json | None) -> Seen:
        entries = [Entry(item.kinds, row) for row in (found or {}).get("value") or []]
        meant = next((one for one in entries if one.version == version), None)
        if meant is None:
            return Seen.UNCLEAR
        return Seen.DONE if meant.is_enabled is enabled else Seen.NOT_DONE

    return judge


def _protection(entry: Entry) -> tuple[int | None, bool]:
    """For how many days it can be recovered, and whether nobody can purge it before."""
    attributes = entry.record.get("attributes") or {}
    level = str(attributes.get("recoveryLevel") or "")
    days = attributes.get("recoverableDays")
    return (days if isinstance(days, int) else None) if "Recoverable" in level else None, "Purgeable" not in level


def _refuse_protected(entry: Entry) -> None:
    """Refuse what the vault refuses.

    Raises:
        Refusal: Its vault is protected from purging.
    """
    _, is_protected = _protection(entry)
    if is_protected:
        until = entry.at("scheduledPurgeDate") or "its time is over"
        raise Refusal(f"The vault is protected from purging: nobody can purge it, and Azure does at {until}.")
