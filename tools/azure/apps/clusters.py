"""Shows AKS clusters: node pools, versions and available upgrades."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from clients.azure.apps import parts
from clients.azure.apps.finding import AzureApp
from clients.azure.client import Azure
from tools.azure.shared.answers import Json, at, present
from tools.azure.shared.parallel_reads import gathered


async def details(azure: Azure, app: AzureApp) -> Json:
    pools = _profiles(app)
    names = [str(one.get("name")) for one in pools]
    reads = {f"pool {name}": partial(parts.pool_upgrades, azure, app.id, name) for name in names}
    found, not_read = await gathered({"upgrades": partial(parts.upgrades, azure, app.id), **reads})
    properties = app.properties
    return {
        "version": properties.get("currentKubernetesVersion") or properties.get("kubernetesVersion"),
        "upgrades": versions(at(found.get("upgrades"), "properties.controlPlaneProfile.upgrades")),
        "tier": at(app.record, "sku.tier"),
        "api_server": properties.get("fqdn") or properties.get("privateFQDN"),
        "private": at(properties, "apiServerAccessProfile.enablePrivateCluster"),
        "allowed_addresses": at(properties, "apiServerAccessProfile.authorizedIPRanges"),
        "local_accounts": not properties.get("disableLocalAccounts"),
        "roles": properties.get("enableRBAC"),
        "identity": at(app.record, "identity.type"),
        "upgrades_itself": at(properties, "autoUpgradeProfile.upgradeChannel"),
        "nodes_in": properties.get("nodeResourceGroup"),
        "network": at(properties, "networkProfile.networkPlugin"),
        "pools": [_pool(one, found.get(f"pool {one.get('name')}")) for one in pools],
        "notRead": not_read,
    }


def _profiles(app: AzureApp) -> list[Mapping[str, Any]]:
    return [one for one in app.properties.get("agentPoolProfiles") or () if isinstance(one, Mapping)]


def _pool(profile: Mapping[str, Any], upgrades: Any) -> Json:
    image = at(upgrades, "properties.latestNodeImageVersion")
    return present(
        {
            **pool(profile),
            "upgrades": versions(at(upgrades, "properties.upgrades")),
            "newer_image": image if image != profile.get("nodeImageVersion") else None,
        }
    )


def pool(profile: Mapping[str, Any]) -> Json:
    """Return the configuration and state of a node pool."""
    scales = profile.get("enableAutoScaling") or None
    return present(
        {
            "name": profile.get("name"),
            "mode": profile.get("mode"),
            "nodes": profile.get("count"),
            "scales": f"{profile.get('minCount')} to {profile.get('maxCount')}" if scales else None,
            "size": profile.get("vmSize"),
            "version": profile.get("currentOrchestratorVersion") or profile.get("orchestratorVersion"),
            "image": profile.get("nodeImageVersion"),
            "power": at(profile, "powerState.code"),
            "state": profile.get("provisioningState"),
        }
    )


def versions(upgrades: Any) -> list[str]:
    """Return the versions to which a cluster can be upgraded. Preview versions are marked."""
    found = [one for one in upgrades or () if isinstance(one, Mapping) and one.get("kubernetesVersion")]
    return [f"{one['kubernetesVersion']}{' (preview)' if one.get('isPreview') else ''}" for one in found]
