"""The resources that these stories change."""

from __future__ import annotations

from typing import Any

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN, SHOP

SITE = f"{SHOP}/providers/Microsoft.Web/sites/shop-orders"
WEB = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
SQL = f"{SHOP}/providers/Microsoft.Sql/servers/shop-sql"
NET = f"{SHOP}/providers/Microsoft.Network/virtualNetworks/new-net"
NET_BODY = {"location": "westeurope", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}
NEW_NET: dict[str, Any] = {"method": "PUT", "path": NET, "body": NET_BODY}
OVEN_LOCK = f"{OVEN}/providers/Microsoft.Authorization/locks/still"


def changes(azure: FakeAzure) -> list[str]:
    return [f"{one.method} {one.path}" for one in azure.asked if one.method in {"PUT", "PATCH", "DELETE"}]
