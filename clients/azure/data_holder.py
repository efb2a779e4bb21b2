"""A resource that holds data of its own, at an address that it tells: a storage account, a vault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from clients.azure.ids import ResourceId


@dataclass(frozen=True, slots=True)
class DataHolder:
    """What Resource Manager tells of it."""

    id: ResourceId
    record: Mapping[str, Any]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        return cls(ResourceId.of(str(record.get("id"))), record)

    @property
    def name(self) -> str:
        return self.id.name

    @property
    def properties(self) -> Mapping[str, Any]:
        found = self.record.get("properties")
        return found if isinstance(found, Mapping) else {}

    @property
    def lets_in(self) -> str:
        """Whom its network lets in, where that is not everybody."""
        rules = self.properties.get("networkAcls") or {}
        if str(self.properties.get("publicNetworkAccess")).lower() in {"disabled", "securedbyperimeter"}:
            return "Its public network access is off: only private endpoints get in, and this server may have none."
        if str(rules.get("defaultAction")).lower() == "deny":
            return "Its firewall admits only selected networks, and this server may not be in one of them."
        return ""
