"""Provides the records of a Cosmos DB database. Each caller sees only the records of their own tenant."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from clients.azure.cloud import Cloud, cloud_named
from refusal import Refusal
from settings import Settings
from tools.cosmos_data.key import RECORDS
from tools.cosmos_data.settings import HINTS, CosmosDataSettings
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from tools.cosmos_data.access import TenantRecords

_SUFFIXES: Final = {
    "public": "documents.azure.com",
    "usgovernment": "documents.azure.us",
    "china": "documents.azure.cn",
}
_HTTPS: Final = 443


def lacks(settings: CosmosDataSettings, of_the_app: Settings) -> str:
    given = {
        "COSMOS_ENDPOINT": settings.endpoint,
        "COSMOS_DATABASE": settings.database,
        "COSMOS_CONTAINERS": settings.containers,
    }
    if missing := [name for name, value in given.items() if not value]:
        return f"Cosmos DB records are not configured. Ask an operator to set {', '.join(missing)}."
    return _of_another_cloud(settings, cloud_named(of_the_app.upstream.cloud))


def _of_another_cloud(settings: CosmosDataSettings, cloud: Cloud) -> str:
    suffix = _SUFFIXES.get(cloud.name, _SUFFIXES["public"])
    if settings.is_emulator or (not cloud.is_emulated and settings.host.endswith(f".{suffix}")):
        return ""
    return (
        f"COSMOS_ENDPOINT is not in the cloud set by AZURE_CLOUD. The hosts of accounts in this cloud end in {suffix}."
    )


def check(settings: CosmosDataSettings) -> None:
    """Reject an invalid endpoint, and settings for an emulator if the endpoint is not an emulator."""
    if (settings.key or settings.emulator_tenant) and not settings.is_emulator:
        raise Refusal(
            "COSMOS_EMULATOR_KEY and COSMOS_EMULATOR_TENANT are only for an emulator on this machine."
            " For any other account, the app signs in with its managed identity, and the roles file maps"
            " callers to tenants."
        )
    parts = urlsplit(settings.endpoint)
    if settings.endpoint and (parts.path.strip("/") or parts.query):
        raise Refusal("COSMOS_ENDPOINT must be the URL of an account, without a path.")
    if settings.endpoint and not settings.is_emulator and (parts.scheme != "https" or parts.port not in {None, _HTTPS}):
        raise Refusal("COSMOS_ENDPOINT must use https and port 443.")


@asynccontextmanager
async def open_records(settings: CosmosDataSettings, supplies: Supplies) -> AsyncIterator[TenantRecords]:
    from clients.cosmos_data.service import database_at
    from identity.seals import Seals
    from tools.cosmos_data.access import TenantRecords

    credential = settings.key or supplies.upstream.own_credential()
    async with database_at(
        settings.endpoint, settings.database, credential, is_emulator=settings.is_emulator
    ) as database:
        yield TenantRecords(
            database=database,
            allowed=dict(settings.containers),
            most_request_units=settings.most_request_units,
            hints=HINTS,
            seals=Seals(supplies.sealing_keys or [token_urlsafe(48)], purpose="pages of records 1"),
            emulator_tenant=settings.emulator_tenant,
        )


provider: Final = Provider(
    key=RECORDS, settings=CosmosDataSettings, open=open_records, lacks=lacks, check=check, hints=HINTS
)
