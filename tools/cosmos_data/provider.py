"""The records of a Cosmos DB database, of which every caller sees the part of their own tenant."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from clients.addresses import checked_base_url
from clients.azure.cloud import cloud_named
from refusal import Refusal
from settings import Settings, setting
from settings.forms import count, names
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from tools.cosmos_data.service import CosmosData

_SUFFIXES: Final = {
    "public": "documents.azure.com",
    "usgovernment": "documents.azure.us",
    "china": "documents.azure.cn",
}
_CONTAINER: Final = re.compile(r"[A-Za-z0-9._-]{1,255}")
_PATH: Final = re.compile(r"(?:/[A-Za-z0-9_]{1,100}){1,10}")
_TENANT_PATH: Final = "/tenantId"
_HTTPS: Final = 443

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


def lacks(settings: CosmosDataSettings, of_the_app: Settings) -> str:
    given = {
        "COSMOS_ENDPOINT": settings.endpoint,
        "COSMOS_DATABASE": settings.database,
        "COSMOS_CONTAINERS": settings.containers,
    }
    if missing := [name for name, value in given.items() if not value]:
        return f"There are no records of Cosmos DB here. An operator has to set {', '.join(missing)}."
    cloud = cloud_named(of_the_app.upstream.cloud)
    suffix = _SUFFIXES.get(cloud.name, _SUFFIXES["public"])
    if settings.is_emulator or (not cloud.is_emulated and settings.host.endswith(f".{suffix}")):
        return ""
    return f"COSMOS_ENDPOINT is no address of the cloud that AZURE_CLOUD names: there, accounts are at {suffix}."


def check(settings: CosmosDataSettings) -> None:
    """Refuse a key, or a tenant for strangers, anywhere but at an emulator of this machine."""
    if (settings.key or settings.emulator_tenant) and not settings.is_emulator:
        raise Refusal(
            "COSMOS_EMULATOR_KEY and COSMOS_EMULATOR_TENANT are for an emulator on this machine only. Elsewhere the"
            " managed identity of the app signs in, and the roles file says to which tenant a caller belongs."
        )
    parts = urlsplit(settings.endpoint)
    if settings.endpoint and (parts.path.strip("/") or parts.query):
        raise Refusal("COSMOS_ENDPOINT is the address of an account, with nothing behind its host.")
    if settings.endpoint and not settings.is_emulator and (parts.scheme != "https" or parts.port not in {None, _HTTPS}):
        raise Refusal("COSMOS_ENDPOINT is reached by https, at port 443.")


@asynccontextmanager
async def open_records(settings: CosmosDataSettings, supplies: Supplies) -> AsyncIterator[CosmosData]:
    """Reach the database. The SDK is imported here."""
    from tools.cosmos_data.service import opened

    async with opened(settings, supplies) as data:
        yield data


provider: Final = Provider(
    name="cosmos-data", settings=CosmosDataSettings, open=open_records, lacks=lacks, check=check, hints=HINTS
)
