"""Says for each resource type whether a deletion destroys the data immediately, or Azure keeps the data for a while."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_LOST: Final = frozenset(
    {
        "microsoft.batch/batchaccounts",
        "microsoft.cache/redis",
        "microsoft.cache/redisenterprise",
        "microsoft.compute/disks",
        "microsoft.compute/galleries",
        "microsoft.compute/images",
        "microsoft.compute/snapshots",
        "microsoft.compute/virtualmachines",
        "microsoft.compute/virtualmachinescalesets",
        "microsoft.containerregistry/registries",
        "microsoft.containerservice/managedclusters",
        "microsoft.datafactory/factories",
        "microsoft.databricks/workspaces",
        "microsoft.devices/iothubs",
        "microsoft.documentdb/databaseaccounts",
        "microsoft.eventhub/namespaces",
        "microsoft.insights/components",
        "microsoft.kusto/clusters",
        "microsoft.logic/workflows",
        "microsoft.netapp/netappaccounts",
        "microsoft.network/dnszones",
        "microsoft.network/privatednszones",
        "microsoft.network/publicipaddresses",
        "microsoft.search/searchservices",
        "microsoft.servicebus/namespaces",
        "microsoft.signalrservice/signalr",
        "microsoft.sql/managedinstances",
        "microsoft.sql/servers",
        "microsoft.storage/storageaccounts/blobservices/containers",
        "microsoft.storagesync/storagesyncservices",
        "microsoft.synapse/workspaces",
    }
)
_KEPT: Final[Mapping[str, str]] = {
    "microsoft.apimanagement/service": "48 hours",
    "microsoft.appconfiguration/configurationstores": "its retention period, usually 7 days",
    "microsoft.cognitiveservices/accounts": "48 hours",
    "microsoft.dbformysql/flexibleservers": "5 days, from Azure's backups",
    "microsoft.dbforpostgresql/flexibleservers": "5 days, from Azure's backups",
    "microsoft.keyvault/managedhsms": "7 to 90 days",
    "microsoft.keyvault/vaults": "7 to 90 days",
    "microsoft.machinelearningservices/workspaces": "14 days",
    "microsoft.operationalinsights/workspaces": "14 days",
    "microsoft.recoveryservices/vaults": "14 days",
    "microsoft.sql/servers/databases": "as long as its server exists and keeps backups",
    "microsoft.storage/storageaccounts": "up to 14 days, unless its name is reused",
    "microsoft.web/sites": "30 days",
}


def is_lost(kind: str) -> bool:
    """Check whether data of this resource type cannot be restored."""
    return kind.lower() in _LOST


def kept_for(kind: str) -> str:
    """Return how long a deleted resource of this type can be recovered, if at all."""
    return _KEPT.get(kind.lower(), "")
