"""Creates new versions of secrets and keys.

Values of secrets are stored only in the vault, and keys never leave the vault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo, by_call
from clients.azure.failures import AzureRefusal
from clients.azure.times import moment
from clients.azure.vaults import VaultEntry
from mcp_server.declarations.field import Field
from mcp_server.declarations.secret import Secret
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.keyvault.item import VaultItem, newer_than, refuse_managed
from tools.azure.keyvault.vault_parameters import ItemName, VaultName
from tools.azure.shared.answers import Json
from tools.azure.shared.applying import SECONDS, AppliedChange, OutcomeCheck
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_LONGEST: Final = 25_000
_PUT: Final = "PUT /secrets/{name}"
_KEPT: Final = "The value is stored only in the vault. Older versions keep their values."
_READERS: Final = "Apps that do not pin a version get the new version, in some cases only after a day or a restart."
_ROLE: Final = (
    "Setting a secret requires the role 'Key Vault Secrets Officer' on the vault, or the permission 'set' in the"
    " vault's access policies."
)

Expires = Annotated[str | None, Field(max_length=40, description="ISO date or time")]
_TagText = Annotated[str, Field(max_length=256)]
Tags = Annotated[dict[_TagText, _TagText] | None, Field(max_length=15, description="Names and values")]


@part.change(
    Access.WRITE,
    interrupts=True,
    secret=("value",),
    harmless=("vault", "name", "content_type", "expires", "subscription"),
    seconds=SECONDS,
)
async def set_keyvault_secret(
    azure: Arm,
    vault: VaultName,
    name: ItemName,
    value: Annotated[
        Secret[str], Field(min_length=1, max_length=_LONGEST, description="Stored only in the vault, never returned")
    ],
    content_type: Annotated[str | None, Field(max_length=255, description="Such as text/plain")] = None,
    expires: Expires = None,
    tags: Tags = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Set a secret of a key vault: create it, or add a new version. The value stays visible in the conversation."""
    item = await VaultItem.of(azure, vault, "secret", name, subscription)
    versions = await _versions(item)
    after = {"content type": content_type, "expires": _written(expires), "tags": _in_words(tags), "enabled": True}
    shown = Preview(
        what=f"{item.title}: {'a new version' if versions else 'a new secret'}",
        sentence=f"{'Set a new version of' if versions else 'Create'} {item.called}",
        edits=[*_edits(versions, after), Edit("value", "the current value" if versions else None, "a new value")],
        effects=[_READERS] if versions else [],
        undo=_undo(item, versions),
        notes=[_KEPT],
    )

    async def sent(look: OutcomeCheck) -> AppliedChange:
        given = {"value": value.reveal(), "contentType": content_type, "tags": tags, "attributes": _attributes(expires)}
        body = {part: one for part, one in given.items() if one}
        try:
            return await item.sent(azure, item.request(_PUT, body=body, carries_secret=True), look)
        except AzureRefusal as refusal:
            raise refusal.with_more(_ROLE) if refusal.status == 403 else refusal from None

    def answers(done: AppliedChange) -> Mapping[str, Any]:
        return _answer(item, VaultEntry("secrets", done.document), versions)

    request, judge = item.request(_PUT), newer_than(versions)
    return await item.change(azure, "set", request, judge, versions, shown, answers, sends=sent)


KeyType = Annotated[Literal["RSA", "EC", "RSA-HSM", "EC-HSM"], Field(description="HSM: in hardware")]
Size = Annotated[Literal[2048, 3072, 4096], Field(description="For RSA keys")]
Curve = Annotated[Literal["P-256", "P-384", "P-521"], Field(description="For EC keys")]


@part.change(
    Access.WRITE,
    harmless=("vault", "name", "type", "size", "curve", "expires", "subscription"),
    seconds=SECONDS,
)
async def create_keyvault_key(
    azure: Arm,
    vault: VaultName,
    name: ItemName,
    type: KeyType = "RSA",
    size: Size = 3072,
    curve: Curve = "P-256",
    expires: Expires = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Create a key in a key vault, or a new version of a key."""
    item = await VaultItem.of(azure, vault, "key", name, subscription)
    versions = await _versions(item)
    shown = Preview(
        what=f"{item.title}: {'a new version' if versions else 'a new key'}",
        sentence=f"Create {'a new version of ' if versions else ''}{item.called}",
        facts={"new key": f"{type} {size if type.startswith('RSA') else curve}"},
        edits=_edits(versions, {"expires": _written(expires), "enabled": True}),
        effects=[_READERS] if versions else [],
        undo=_undo(item, versions),
    )
    kind = {"key_size": size} if type.startswith("RSA") else {"crv": curve}
    request = item.request("POST /keys/{name}/create", body={"kty": type, **kind, "attributes": _attributes(expires)})

    def answers(done: AppliedChange) -> Mapping[str, Any]:
        return _answer(item, VaultEntry("keys", done.document.get("key") or {}), versions)

    return await item.change(azure, "create", request, newer_than(versions), versions, shown, answers)


def _answer(item: VaultItem, new: VaultEntry, versions: Sequence[VaultEntry]) -> Json:
    own = {"vault": item.contents.vault.name, "name": item.name}
    return {**own, "version": new.version, "was_there": bool(versions) or None}


def _undo(item: VaultItem, versions: Sequence[VaultEntry]) -> Undo:
    if not versions:
        return by_call("delete_keyvault_item", **item.named).but("its name stays reserved until it is purged")
    disabled = by_call("enable_keyvault_item", **item.named, enabled=False)
    return disabled.but("this call disables the new version; older versions keep their values, which are never shown")


async def _versions(item: VaultItem) -> list[VaultEntry]:
    """Return the versions of an item.

    Raises:
        Refusal: The item belongs to a certificate, or a deleted item still has the name.
    """
    versions = await item.versions()
    if versions:
        refuse_managed(versions[0])
    elif await item.is_deleted():
        raise Refusal(
            f"A deleted {item.kind} still has the name {item.name!r}. Use recover_keyvault_item to recover it, or"
            " purge_keyvault_item to free the name."
        )
    return versions


def _edits(versions: Sequence[VaultEntry], after: Mapping[str, Fact]) -> list[Edit]:
    """Return the differences between the newest version and the version to be created."""
    if not versions:
        return [Edit(name, None, value) for name, value in after.items() if value]
    newest = versions[0]
    before: dict[str, Fact] = {
        "content type": newest.record.get("contentType"),
        "expires": newest.at("exp"),
        "tags": _in_words(newest.record.get("tags")),
        "enabled": newest.is_enabled,
    }
    return [Edit(name, before[name], value) for name, value in after.items() if (before[name] or None) != value]


def _in_words(tags: Any) -> list[str] | None:
    return sorted(f"{name}={value}" for name, value in tags.items()) if tags else None


def _written(expires: str | None) -> str | None:
    """Convert an expiry time to Azure's format.

    Raises:
        Refusal: The time is invalid or in the past.
    """
    if expires is None:
        return None
    written = moment("expires", expires)
    if datetime.fromisoformat(written) <= datetime.now(UTC):
        raise Refusal(f"`expires` ({written}) must be in the future, for example 2030-01-31.")
    return written


def _attributes(expires: str | None) -> Json:
    written = _written(expires)
    return {"enabled": True, **({"exp": int(datetime.fromisoformat(written).timestamp())} if written else {})}
