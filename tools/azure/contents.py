"""What is in each toolset of Azure. Importing this imports all of their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mcp_server.declarations.toolset import Part
from tools.azure import (
    account,
    advisor,
    apps,
    cosmos,
    cost,
    keyvault,
    monitor,
    policy,
    quota,
    reading,
    resource,
    servicebus,
    storage,
)
from tools.azure import account, advisor, cost, keyvault, monitor, policy, quota, reading, resource, roles, storage
from tools.azure import account, advisor, azd, cost, keyvault, monitor, policy, quota, reading, resource, roles, storage

PARTS: Final[Mapping[str, Sequence[Part]]] = {
    "account": account.parts,
    "resource": (*resource.parts, *reading.parts),
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
