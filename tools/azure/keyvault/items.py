"""Enables, disables, deletes, recovers and purges secrets, keys and certificates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from changes.preview import Edit, Preview
from changes.undo import by_call, never
from clients.azure.vaults import VaultEntry
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.keyvault.item import ItemKind, VaultItem, absent, newer_than, refuse_managed
from tools.azure.keyvault.vault_parameters import ItemName, VaultName, Version
from tools.azure.shared.answers import Json
from tools.azure.shared.applying import SECONDS, AppliedChange, Judge, SeenOutcome, gone
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_HARMLESS: Final = ("vault", "kind", "name", "subscription")
_FOREVER: Final = "The item can never be recovered afterwards."

Enabled = Annotated[bool, Field(description="false to disable")]


@part.change(Access.WRITE, interrupts=True, harmless=(*_HARMLESS, "enabled", "version"), seconds=SECONDS)
async def enable_keyvault_item(
    azure: Arm,
    vault: VaultName,
    kind: ItemKind,
    name: ItemName,
    enabled: Enabled,
    version: Version = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Enable or disable a version of a secret, key or certificate. Deletes nothing."""
    item = await VaultItem.of(azure, vault, kind, name, subscription)
    versions = await item.present()
    chosen = _chosen(versions, version)
    verb, answers = "Enable" if enabled else "Disable", {"name": name, "version": chosen.version}
    shown = Preview(
        what=f"{item.title}: {verb.lower()} the version {chosen.version}",
        sentence=f"{verb} the version {chosen.version} of {item.called}",
        edits=[Edit("enabled", chosen.is_enabled, enabled)],
        effects=[] if enabled else ["Requests to read this version will fail"],
        undo=by_call("enable_keyvault_item", **item.named, version=chosen.version, enabled=not enabled),
    )
    request = item.request(
        f"PATCH /{item.kinds}/{{name}}/{{version}}",
        values={"version": chosen.version},
        body={"attributes": {"enabled": enabled}},
    )
    return await item.change(
        azure,
        "update",
        request,
        _has(item, chosen.version, enabled=enabled),
        [chosen, *(one for one in versions if one is not chosen)],
        shown,
        {"vault": item.contents.vault.name, **answers, "enabled": str(enabled).lower()},
        is_no_op=chosen.is_enabled is enabled,
    )


@part.change(Access.DESTROY, harmless=_HARMLESS, seconds=SECONDS)
async def delete_keyvault_item(
    azure: Arm, vault: VaultName, kind: ItemKind, name: ItemName, subscription: Subscription = None
) -> ResourceChange:
    """Delete a secret, key or certificate with all its versions. The item can be recovered for some days."""
    item = await VaultItem.of(azure, vault, kind, name, subscription)
    versions = await item.present()
    refuse_managed(versions[0])
    days, is_protected = _protection(versions[0])
    included = " The key and secret of the certificate are deleted, too." if kind == "certificate" else ""
    recover = f"recover_keyvault_item(vault={item.contents.vault.name!r}, kind={kind!r}, name={name!r})"
    shown = Preview(
        what=f"{item.title}, with all its versions",
        sentence=f"Delete {item.called} with all its versions",
        facts={"recoverable for days": days, "can be purged earlier": not is_protected},
        grave="" if days else "The item cannot be recovered, because soft delete is off in this vault.",
        effects=[f"Requests to read the {kind} will fail"],
        undo=by_call("recover_keyvault_item", **item.named) if days else never("soft delete is off in this vault"),
        notes=[f"The name stays reserved until the item is recovered or purged.{included}"],
    )

    def answers(done: AppliedChange) -> Mapping[str, Any]:
        until = VaultEntry(item.kinds, done.document).at("scheduledPurgeDate")
        return {"vault": item.contents.vault.name, "deleted": name, "recoverable_until": until, "recover": recover}

    request = item.request(f"DELETE /{item.kinds}/{{name}}")
    return await item.change(azure, "delete", request, absent, versions, shown, answers)


@part.change(Access.WRITE, harmless=_HARMLESS, seconds=SECONDS)
async def recover_keyvault_item(
    azure: Arm, vault: VaultName, kind: ItemKind, name: ItemName, subscription: Subscription = None
) -> ResourceChange:
    """Recover a deleted secret, key or certificate with all its versions."""
    item = await VaultItem.of(azure, vault, kind, name, subscription)
    entry = VaultEntry(item.kinds, await item.gone())
    shown = Preview(
        what=f"{item.title}: recover it, with all its versions",
        sentence=f"Recover the deleted {kind} {name} of the vault {item.contents.vault.name}",
        facts={
            "versions": None,
            "deleted": entry.at("deletedDate"),
            "scheduled purge": entry.at("scheduledPurgeDate"),
        },
        undo=by_call("delete_keyvault_item", **item.named),
    )
    request = item.request(f"POST /deleted{item.kinds}/{{name}}/recover")
    answers = {"vault": item.contents.vault.name, "recovered": name, "there": "after a few seconds"}
    return await item.change(azure, "recover", request, newer_than([]), [entry], shown, answers)


@part.change(Access.DESTROY, harmless=_HARMLESS, seconds=SECONDS)
async def purge_keyvault_item(
    azure: Arm, vault: VaultName, kind: ItemKind, name: ItemName, subscription: Subscription = None
) -> ResourceChange:
    """Purge a deleted secret, key or certificate. Recovery is impossible."""
    item = await VaultItem.of(azure, vault, kind, name, subscription)
    entry = VaultEntry(item.kinds, await item.gone())
    _refuse_protected(entry)
    shown = Preview(
        what=f"{item.title}: purge it permanently",
        sentence=f"Permanently purge the deleted {kind} {name} of the vault {item.contents.vault.name}",
        facts={
            "versions": None,
            "deleted": entry.at("deletedDate"),
            "recoverable until": entry.at("scheduledPurgeDate"),
        },
        grave=_FOREVER,
        undo=never("a purge is permanent"),
    )
    request, looking = item.request(f"DELETE /deleted{item.kinds}/{{name}}"), item.reading_deleted
    answers = {"vault": item.contents.vault.name, "purged": name}
    return await item.change(azure, "purge", request, gone, [entry], shown, answers, looking=looking)


def _chosen(versions: list[VaultEntry], version: str | None) -> VaultEntry:
    """Return the requested version, or the newest one.

    Raises:
        Refusal: The version does not exist.
    """
    found = next((one for one in versions if version in {None, one.version}), None)
    if found is None:
        raise Refusal(
            f"Version {version!r} not found. To use the newest version, {versions[0].version!r}, omit `version`."
        )
    refuse_managed(found)
    return found


def _has(item: VaultItem, version: str, *, enabled: bool) -> Judge:
    def judge(found: Json | None) -> SeenOutcome:
        entries = [VaultEntry(item.kinds, row) for row in (found or {}).get("value") or []]
        same = next((one for one in entries if one.version == version), None)
        if same is None:
            return SeenOutcome.UNCLEAR
        return SeenOutcome.DONE if same.is_enabled is enabled else SeenOutcome.NOT_DONE

    return judge


def _protection(entry: VaultEntry) -> tuple[int | None, bool]:
    """Return for how many days a deleted item can be recovered, and whether the vault prevents an earlier purge."""
    attributes = entry.record.get("attributes") or {}
    level = str(attributes.get("recoveryLevel") or "")
    days = attributes.get("recoverableDays")
    return (days if isinstance(days, int) else None) if "Recoverable" in level else None, "Purgeable" not in level


def _refuse_protected(entry: VaultEntry) -> None:
    """Refuse a purge that the vault would reject.

    Raises:
        Refusal: The vault has purge protection.
    """
    _, is_protected = _protection(entry)
    if is_protected:
        until = entry.at("scheduledPurgeDate") or "the end of its retention period"
        raise Refusal(
            f"The vault has purge protection, so nobody can purge the item early. Azure purges the item at {until}."
        )
