"""Lists and shows Cosmos DB accounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clients.azure.cosmos.accounts import ACCOUNT, CosmosAccount, account_called
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.cosmos.cosmos_parameters import OF_ACCOUNT, AccountName
from tools.azure.shared.answers import Json, answer, at, present, shape
from tools.azure.shared.everywhere import listed, of_sort
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults, Subscription

part = Part()

_DETAILS = shape(
    "name",
    "id",
    "location",
    "tags",
    state="properties.provisioningState",
    endpoint="properties.documentEndpoint",
    multiple_writes="properties.enableMultipleWriteLocations",
    automatic_failover="properties.enableAutomaticFailover",
    consistency="properties.consistencyPolicy.defaultConsistencyLevel",
    server_version="properties.apiProperties.serverVersion",
    free_tier="properties.enableFreeTier",
    analytical_storage="properties.enableAnalyticalStorage",
    most_throughput="properties.capacity.totalThroughputLimit",
    identity="identity.type",
    public_network_access="properties.publicNetworkAccess",
    minimum_tls="properties.minimalTlsVersion",
    bypass="properties.networkAclBypass",
    key_in_vault="properties.keyVaultKeyUri",
)


@part.tool(Access.READ, harmless=("resource_group", "subscription"))
async def list_cosmosdb_accounts(
    azure: Arm,
    resource_group: AnyResourceGroup = None,
    subscription: Subscription = None,
    max_results: MaxResults = 100,
) -> Json:
    """List Cosmos DB accounts: API, regions, consistency."""
    return await listed(
        azure,
        subscription,
        of_sort(azure, ACCOUNT, max_results),
        max_results,
        _summary,
        group=resource_group,
    )


@part.tool(Access.READ, harmless=OF_ACCOUNT)
async def show_cosmosdb_account(azure: Arm, account: AccountName, subscription: Subscription = None) -> Json:
    """Show a Cosmos DB account: API, regions, consistency, backup, network. Never shows its keys."""
    found = await account_called(azure, account, subscription)
    return answer(**_details(found))


def _summary(record: Mapping[str, Any]) -> Json:
    found = CosmosAccount(record)
    regions = [at(one, "locationName") for one in _regions(found)]
    level = at(record, "properties.consistencyPolicy.defaultConsistencyLevel")
    own = {"name": record.get("name"), "id": record.get("id"), "api": found.api.name}
    return present({**own, "serverless": found.is_serverless or None, "regions": regions, "consistency": level})


def _details(found: CosmosAccount) -> Json:
    return {
        **_DETAILS(found.record),
        "api": found.api.name,
        "serverless": found.is_serverless,
        "capabilities": found.capabilities,
        "regions": [_region(one, found) for one in _regions(found)],
        "staleness": _staleness(found),
        "backup": _backup(found),
        "keys_allowed": not found.properties.get("disableLocalAuth"),
        "allowed_addresses": [at(one, "ipAddressOrRange") for one in found.properties.get("ipRules") or ()],
        "allowed_subnets": [at(one, "id") for one in found.properties.get("virtualNetworkRules") or ()],
        "private_endpoints": [_endpoint(one) for one in found.properties.get("privateEndpointConnections") or ()],
    }


def _regions(found: CosmosAccount) -> list[Mapping[str, Any]]:
    locations = found.properties.get("locations") or ()
    return sorted(locations, key=lambda one: one.get("failoverPriority") or 0)


def _region(region: Mapping[str, Any], found: CosmosAccount) -> Json:
    names = {at(one, "locationName") for one in found.properties.get("writeLocations") or ()}
    where = region.get("locationName")
    return present(
        {
            "name": where,
            "priority": region.get("failoverPriority"),
            "writes": where in names or None,
            "zone_redundant": region.get("isZoneRedundant"),
            "state": region.get("provisioningState"),
        }
    )


def _staleness(found: CosmosAccount) -> Json:
    """Return the limits of bounded staleness, which say how far reads may lag behind writes."""
    policy = found.properties.get("consistencyPolicy") or {}
    if str(policy.get("defaultConsistencyLevel")).lower() != "boundedstaleness":
        return {}
    return present({"seconds": policy.get("maxIntervalInSeconds"), "operations": policy.get("maxStalenessPrefix")})


def _backup(found: CosmosAccount) -> Json:
    policy = found.properties.get("backupPolicy") or {}
    return present(
        {
            "type": policy.get("type"),
            "tier": at(policy, "continuousModeProperties.tier"),
            "every_minutes": at(policy, "periodicModeProperties.backupIntervalInMinutes"),
            "kept_hours": at(policy, "periodicModeProperties.backupRetentionIntervalInHours"),
            "redundancy": at(policy, "periodicModeProperties.backupStorageRedundancy"),
        }
    )


def _endpoint(connection: Mapping[str, Any]) -> Json:
    state = at(connection, "properties.privateLinkServiceConnectionState.status")
    return present({"id": at(connection, "properties.privateEndpoint.id"), "state": state})
