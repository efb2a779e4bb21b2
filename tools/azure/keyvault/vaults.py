"""Lists and shows vaults, and who can access them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from clients.azure.vaults import VAULT, KeyVault, deleted_vaults, vault_called
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.keyvault.vault_parameters import VaultName
from tools.azure.shared.answers import Json, answer, present, shape
from tools.azure.shared.everywhere import listed, of_sort
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription

part = Part()

_ROLES, _POLICIES = "roles", "access policies"
_GONE: Final = shape(
    "name", id="properties.vaultId", location="properties.location", deleted="properties.deletionDate",
    purged="properties.scheduledPurgeDate", purge_protection="properties.purgeProtectionEnabled",
)  # fmt: skip
_DETAILS: Final = shape(
    "name", "id", "location", "tags", address="properties.vaultUri", sku="properties.sku.name",
    public_network_access="properties.publicNetworkAccess", network_rules="properties.networkAcls",
    soft_delete_days="properties.softDeleteRetentionInDays", purge_protection="properties.enablePurgeProtection",
    for_deployment="properties.enabledForDeployment",
    for_templates="properties.enabledForTemplateDeployment",
    for_disk_encryption="properties.enabledForDiskEncryption",
)  # fmt: skip


@part.tool(Access.READ, harmless=("resource_group", "subscription", "deleted"))
async def list_keyvaults(
    azure: Arm,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    deleted: Annotated[bool, Field(description="List deleted vaults instead")] = False,
    max_results: MaxResults = 100,
) -> Json:
    """List key vaults, and whether roles or access policies control access to them."""
    if deleted:
        return await listed(
            azure, subscription, lambda scope: deleted_vaults(azure, scope, max_results), max_results, _GONE
        )
    return await listed(
        azure, subscription, of_sort(azure, VAULT, max_results), max_results, _vault,
        group=resource_group,
    )  # fmt: skip


@part.tool(Access.READ, harmless=("vault", "subscription"))
async def show_keyvault(azure: Arm, vault: VaultName, subscription: Subscription = None) -> Json:
    """Show a key vault: network access, access policies, soft delete, purge protection."""
    found = await vault_called(azure, vault, subscription)
    own = found.properties.get("privateEndpointConnections") or ()
    return answer(
        **_DETAILS(found.record),
        opened_by=_opened_by(found),
        policies=None
        if found.goes_by_roles
        else [_policy(one) for one in found.properties.get("accessPolicies") or ()],
        private_endpoints=len(own),
        note=found.lets_in,
    )


def _vault(record: Mapping[str, Any]) -> Json:
    found = KeyVault.of(record)
    closed = "closed to public networks" if found.lets_in else None
    return present({**_SHORT(record), "group": found.id.group, "opened_by": _opened_by(found), "network": closed})


_SHORT: Final = shape("name", "location", "id")


def _opened_by(vault: KeyVault) -> str:
    return _ROLES if vault.goes_by_roles else _POLICIES


def _policy(entry: Mapping[str, Any]) -> Json:
    granted = entry.get("permissions") or {}
    return present({"object_id": entry.get("objectId"), **{name: granted[name] for name in granted if granted[name]}})
