"""The settings of the provider for records in Cosmos DB."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from clients.addresses import checked_base_url
from settings import setting
from settings.forms import count, names

_CONTAINER: Final = re.compile(r"[A-Za-z0-9._-]{1,255}")
_PATH: Final = re.compile(r"(?:/[A-Za-z0-9_]{1,100}){1,10}")
_TENANT_PATH: Final = "/tenantId"
HINTS: Final = {
    "containers": "cosmos_db_containers lists them.",
    "read": "cosmos_db_read returns the current record and its etag.",
}


def containers(text: str) -> tuple[tuple[str, str], ...]:
    """Parse the containers, each with the path of the tenant id in its records."""
    found: dict[str, str] = {}
    for entry in names(text):
        name, _, path = entry.partition(":")
        if not _CONTAINER.fullmatch(name) or name in found or not _PATH.fullmatch(path or _TENANT_PATH):
            raise ValueError("each entry must be a different container, as name or name:/path/of/the/tenant")
        found[name] = path or _TENANT_PATH
    return tuple(found.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class CosmosDataSettings:
    """Records in Cosmos DB: the account, the containers, and the field that identifies the tenant of a record."""

    endpoint: str = setting(
        "COSMOS_ENDPOINT",
        checked_base_url,
        "",
        "The Cosmos DB account with the records, such as `https://shop.documents.azure.com`. Without an account, the"
        " record tools are off.",
    )
    database: str = setting("COSMOS_DATABASE", str, "", "The database in the Cosmos DB account.")
    containers: tuple[tuple[str, str], ...] = setting(
        "COSMOS_CONTAINERS",
        containers,
        (),
        "The containers that callers can use, separated by commas. Add the path of the tenant id if it is not"
        " `/tenantId`, as in `orders:/customer`. The partition key must start with that path.",
    )
    most_request_units: int = setting(
        "COSMOS_MOST_REQUEST_UNITS",
        count,
        500,
        "The number of request units after which a query stops; 0 for no limit.",
    )
    key: str = setting(
        "COSMOS_EMULATOR_KEY",
        str,
        "",
        "The key of an emulator on this machine; rejected for any other account.",
        secret=True,
        set_by="laptop",
    )
    emulator_tenant: str = setting(
        "COSMOS_EMULATOR_TENANT",
        str,
        "",
        "With an emulator on this machine: the tenant of callers who are not signed in.",
        set_by="laptop",
    )

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).hostname or ""

    @property
    def is_emulator(self) -> bool:
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False
