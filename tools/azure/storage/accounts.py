"""Storage accounts."""

from __future__ import annotations

from typing import Final

from clients.azure.storage.accounts import account_called, accounts
from mcp_server.declarations.toolset import Access, Part
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json, answer, many, shape
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription
from tools.azure.storage.shared import OF_ACCOUNT, AccountName

part = Part()

_ACCOUNT: Final = shape("name", "location", "kind", "id", sku="sku.name")
_DETAILS: Final = shape(
    "name",
    "id",
    "location",
    "kind",
    "tags",
    sku="sku.name",
    access_tier="properties.accessTier",
    created="properties.creationTime",
    endpoints="properties.primaryEndpoints",
    secondary_location="properties.secondaryLocation",
    status="properties.statusOfPrimary",
    public_network_access="properties.publicNetworkAccess",
    network_rules="properties.networkAcls",
    public_blobs_allowed="properties.allowBlobPublicAccess",
    shared_keys_allowed="properties.allowSharedKeyAccess",
    https_only="properties.supportsHttpsTrafficOnly",
    minimum_tls="properties.minimumTlsVersion",
    hierarchical_namespace="properties.isHnsEnabled",
    sftp="properties.isSftpEnabled",
    key_source="properties.encryption.keySource",
)


@part.tool(Access.READ, harmless=("resource_group", "subscription"))
async def list_storage_accounts(
    azure: Arm,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    max_results: MaxResults = 100,
) -> Json:
    """List storage accounts."""
    return many(await accounts(azure, subscription, resource_group, max_results), _ACCOUNT)


@part.tool(Access.READ, harmless=OF_ACCOUNT)
async def show_storage_account(azure: Arm, account: AccountName, subscription: Subscription = None) -> Json:
    """Show a storage account: endpoints, redundancy, network rules, what it permits."""
    return answer(**_DETAILS((await account_called(azure, account, subscription)).record))
