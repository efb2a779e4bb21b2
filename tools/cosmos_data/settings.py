"""The settings of records in Cosmos DB, each as it is read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from clients.addresses import checked_base_url
from settings import setting
from settings.forms import count, names

if TYPE_CHECKING:
    pass


_CONTAINER: Final = re.compile(r"[A-Za-z0-9._-]{1,255}")
_PATH: Final = re.compile(r"(?:/[A-Za-z0-9_]{1,100}){1,10}")
_TENANT_PATH: Final = "/tenantId"
HINTS: Final = {
    "containers": "cosmos_db_containers lists them.",
    "read": "cosmos_db_read tells the record as it is now, with its etag.",
}


def containers(text: str) -> tuple[tuple[str, str], ...]:
    """Containers by name, each with the path of the tenant in its records."""
    found: dict[str, str] = {}
    for entry in names(text):
        name, _, path = entry.partition(":")
        if not _CONTAINER.fullmatch(name) or name in found or not _PATH.fullmatch(path or _TENANT_PATH):
            raise ValueError("each entry is the name of another container, or name:/path/of/the/tenant")
        found[name] = path or _TENANT_PATH
    return tuple(found.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class CosmosDataSettings:
    """Records in Cosmos DB: where they are, and what in them says whose they are."""

    endpoint: str = setting(
        "COSMOS_ENDPOINT",
        checked_base_url,
        "",
        "The account whose records are read and written, such as `https://shop.documents.azure.com`. Without it there"
        " are none.",
    )
    database: str = setting("COSMOS_DATABASE", str, "", "The database of that account.")
    containers: tuple[tuple[str, str], ...] = setting(
        "COSMOS_CONTAINERS",
        containers,
        (),
        "Its containers that may be used, separated by commas, each with the path of the tenant in its records where"
        " that is not `/tenantId`, as in `orders:/customer`. The partition key has to begin with that path.",
    )
    most_request_units: int = setting(
        "COSMOS_MOST_REQUEST_UNITS",
        count,
        500,
        "After how many request units a query stops; 0 is no limit.",
    )
    key: str = setting(
        "COSMOS_EMULATOR_KEY",
        str,
        "",
        "The key of an emulator on this machine: refused for anything else.",
        secret=True,
    )
    emulator_tenant: str = setting(
        "COSMOS_EMULATOR_TENANT",
        str,
        "",
        "With an emulator on this machine: the tenant of whoever has not signed in.",
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
