"""Reads how long a storage account keeps blobs that were deleted or overwritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.messages import of_id
from clients.azure.storage.accounts import StorageAccount

_VERSION: Final = "2023-05-01"


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """The number of days for which deleted blobs and containers are kept, and whether versions of blobs are kept."""

    blob_days: int = 0
    container_days: int = 0
    has_versions: bool = False

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> RetentionPolicy:
        properties = document.get("properties") or {}
        return cls(
            _days(properties.get("deleteRetentionPolicy")),
            _days(properties.get("containerDeleteRetentionPolicy")),
            properties.get("isVersioningEnabled") is True,
        )

    @property
    def keeps_blobs(self) -> bool:
        return bool(self.blob_days) or self.has_versions


async def keeping(azure: Azure, account: StorageAccount) -> RetentionPolicy:
    request = of_id("GET", account.id, "/blobServices/default", version=_VERSION)
    return RetentionPolicy.of(await azure.json(request))


def _days(policy: Any) -> int:
    if not isinstance(policy, Mapping) or policy.get("enabled") is not True:
        return 0
    days = policy.get("days")
    return days if isinstance(days, int) else 0
