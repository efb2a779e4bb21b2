"""A storage account or a vault: a resource whose data has a separate URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from clients.azure.ids import ResourceId


@dataclass(frozen=True, slots=True)
class DataHolder:
    """The record of a storage account or a vault in Resource Manager."""

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
        """A sentence about the network restrictions; empty if there are none."""
        rules = self.properties.get("networkAcls") or {}
        if str(self.properties.get("publicNetworkAccess")).lower() in {"disabled", "securedbyperimeter"}:
            return (
                "Public network access is disabled: only private endpoints can reach the resource, and this server"
                " might not have one."
            )
        if str(rules.get("defaultAction")).lower() == "deny":
            return "The firewall admits only selected networks, and this server might not be in one of them."
        return ""
