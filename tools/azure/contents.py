"""Lists the tools of each Azure toolset. Importing this module imports all Azure tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mcp_server.declarations.toolset import Part
from tools.azure import (
    account,
    advisor,
    apps,
    azd,
    cosmos,
    cost,
    keyvault,
    monitor,
    policy,
    quota,
    resource,
    resource_any,
    resource_changes,
    roles,
    servicebus,
    storage,
)
from tools.azure.resource import reading

PARTS: Final[Mapping[str, Sequence[Part]]] = {
    "account": account.parts,
    "resource": (*resource.parts, *reading.parts),
    "resource-any": resource_any.parts,
    "resource-changes": resource_changes.parts,
    "storage": storage.parts,
    "keyvault": keyvault.parts,
    "monitor": monitor.parts,
    "cost": cost.parts,
    "advisor": advisor.parts,
    "quota": quota.parts,
    "policy": policy.parts,
    "cosmos": cosmos.parts,
    "servicebus": servicebus.parts,
    "apps": apps.parts,
    "roles": roles.parts,
    "azd": azd.parts,
}
