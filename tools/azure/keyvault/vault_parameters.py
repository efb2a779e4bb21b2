"""Shared code of the vault tools: parameters, and the format of a vault's items."""

from __future__ import annotations

from base64 import urlsafe_b64decode
from binascii import Error
from typing import Annotated, Any

from clients.azure.client import Azure
from clients.azure.vaults import VaultContents, VaultEntry, vault_called
from mcp_server.declarations.field import Field
from tools.azure.shared.answers import Json, present

VaultName = Annotated[str, Field(min_length=3, max_length=2048, description="Name or id")]
ItemName = Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{1,127}$", description="Its name")]
AnyItemName = Annotated[str | None, Field(pattern=r"^[0-9A-Za-z-]{1,127}$", description="List its versions")]
Version = Annotated[str | None, Field(pattern=r"^[0-9A-Za-z]{1,32}$", description="Default: the newest")]
Deleted = Annotated[bool, Field(description="List deleted items instead")]


async def contents_of(azure: Azure, vault: str, subscription: str | None) -> VaultContents:
    return VaultContents(azure, await vault_called(azure, vault, subscription))


def shown(entry: VaultEntry) -> Json:
    """Format an item of a vault for an answer. `enabled` appears only if it is false."""
    record = entry.record
    return present(
        {
            "name": entry.name,
            "version": entry.version,
            "enabled": None if entry.is_enabled else False,
            "expires": entry.at("exp"),
            "not_before": entry.at("nbf"),
            "created": entry.at("created"),
            "updated": entry.at("updated"),
            "deleted": entry.at("deletedDate"),
            "purged": entry.at("scheduledPurgeDate"),
            "content_type": record.get("contentType"),
            "subject": record.get("subject"),
            "thumbprint": thumbprint(record.get("x5t")),
            "of_certificate": record.get("managed") or None,
            "tags": record.get("tags"),
        }
    )


def thumbprint(encoded: Any) -> str | None:
    """Convert a certificate's thumbprint from base64, as vaults return it, to the usual hexadecimal form."""
    if not isinstance(encoded, str):
        return None
    try:
        return urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).hex().upper()
    except (Error, ValueError):
        return None
