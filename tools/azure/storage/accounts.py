"""Lists and shows storage accounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clients.azure.storage.accounts import ACCOUNT, account_called
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, answer, shape
from tools.azure.shared.everywhere import listed, of_sort
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription
from tools.azure.storage.storage_parameters import OF_ACCOUNT, AccountName

part = Part()

_ACCESS: Final = {
    "public_network_access": "properties.publicNetworkAccess",
    "public_blobs_allowed": "properties.allowBlobPublicAccess",
    "shared_keys_allowed": "properties.allowSharedKeyAccess",
    "minimum_tls": "properties.minimumTlsVersion",
}
# Default values for settings that an account's record does not contain, for example because the account is old.
_DEFAULTS: Final[Json] = {"publicNetworkAccess": "Enabled", "allowSharedKeyAccess": True, "minimumTlsVersion": "TLS1_0"}
_ACCOUNT: Final = shape("name", "location", "kind", "id", sku="sku.name", **_ACCESS)
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
    network_rules="properties.networkAcls",
    https_only="properties.supportsHttpsTrafficOnly",
    **_ACCESS,
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
    """List storage accounts, with public access, TLS and whether keys are allowed."""
    return await listed(
        azure,
        subscription,
        of_sort(azure, ACCOUNT, max_results),
        max_results,
        _entry,
        group=resource_group,
    )


@part.tool(Access.READ, harmless=OF_ACCOUNT)
async def show_storage_account(azure: Arm, account: AccountName, subscription: Subscription = None) -> Json:
    """Show a storage account: endpoints, redundancy, network rules, public access, TLS, keys, and risks."""
    record = _with_defaults((await account_called(azure, account, subscription)).record)
    return answer(**_DETAILS(record), implies=_implied(record["properties"]))


def _entry(record: Mapping[str, Any]) -> Json:
    return _ACCOUNT(_with_defaults(record))


def _with_defaults(record: Mapping[str, Any]) -> Json:
    own = record.get("properties")
    said = {name: value for name, value in own.items() if value is not None} if isinstance(own, Mapping) else {}
    return {**record, "properties": {**_DEFAULTS, **said}}


def _implied(own: Mapping[str, Any]) -> list[str]:
    """Describe the risks of an account's permissive settings."""
    rules = own.get("networkAcls")
    is_filtered = isinstance(rules, Mapping) and str(rules.get("defaultAction")).lower() == "deny"
    is_open = own["publicNetworkAccess"] == "Enabled" and not is_filtered
    implied = {
        "Every network can reach the account; roles, keys and links control access.": is_open,
        "Anyone can read public containers. list_containers shows which are public.": bool(
            own.get("allowBlobPublicAccess")
        ),
        "Anyone with a key has full access, and logs do not show who used a key.": bool(own["allowSharedKeyAccess"]),
        "The account accepts TLS 1.0 or 1.1.": own["minimumTlsVersion"] in {"TLS1_0", "TLS1_1"},
        "The account accepts connections without TLS.": own.get("supportsHttpsTrafficOnly") is False,
    }
    return [sentence for sentence, holds in implied.items() if holds]
