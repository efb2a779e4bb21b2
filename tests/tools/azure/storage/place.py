"""A storage account whose tools are called, and into which a test can put something."""

from __future__ import annotations

import json
import ssl
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from aiohttp import ClientSession, DummyCookieJar, TCPConnector, web

from clients.azure.client import Azure
from clients.azure.cloud import cloud_named
from clients.azure.connection import AzureConnection
from clients.azure.messages import AzureRequest
from clients.azure.storage.accounts import Kind, StorageAccount
from clients.azure.storage.data import XML, Data
from tests.fakes.azure.stored.service import FakeStorage
from tests.fakes.azurite import secured_azurite
from tests.fakes.serving import serving_locally
from tests.fakes.transport import HastyTransport
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import calling
from tools.azure.settings import AzureSettings

Json = dict[str, Any]

SUBSCRIPTION: Final = "11111111-1111-1111-1111-111111111111"
_ACCOUNTS: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.Storage/storageAccounts"
_TENANT: Final = "22222222-2222-2222-2222-222222222222"
_JSON: Final = "application/json;odata=nometadata"


def token(audience: str = "https://storage.azure.com") -> str:
    """A token as Entra ID makes them, but for the signature, which neither of the services checks."""
    now = int(time.time())
    claims: Json = {"aud": audience, "iss": f"https://sts.windows.net/{_TENANT}/", "oid": str(uuid4()), "tid": _TENANT}
    parts: list[Json] = [{"alg": "RS256", "typ": "JWT"}, claims | {"iat": now, "nbf": now - 60, "exp": now + 3600}]
    return ".".join(urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + ".c2ln"


class FewAccounts:
    """Resource Manager, as far as it knows of storage accounts."""

    def __init__(self) -> None:
        self.accounts: dict[str, Json] = {}
        self.asked: list[str] = []

    def add(self, name: str, endpoints: Mapping[str, str], **properties: Any) -> Json:
        known: Json = {"id": f"{_ACCOUNTS}/{name}", "name": name, "kind": "StorageV2", "sku": {"name": "Standard_LRS"}}
        self.accounts[name] = {**known, "properties": {"primaryEndpoints": dict(endpoints), **properties}}
        return self.accounts[name]

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request.path)
        if request.path.endswith("/subscriptions"):
            return web.json_response({"value": [{"subscriptionId": SUBSCRIPTION, "displayName": "Shop"}]})
        if request.path.endswith("/providers/Microsoft.Storage"):
            types = [{"resourceType": "storageAccounts", "apiVersions": ["2025-06-01"]}]
            return web.json_response({"namespace": "Microsoft.Storage", "resourceTypes": types})
        if request.path.endswith("/storageAccounts"):
            return web.json_response({"value": list(self.accounts.values())})
        return web.json_response(self.accounts[request.path.rpartition("/")[2]])


@dataclass(frozen=True)
class Place:
    """One account, with a container, a table and a queue of its own for each test."""

    account: str
    name: str
    caller: Caller
    azure: Azure
    record: Json

    async def call(self, tool: str, **arguments: Any) -> Json:
        result = await self.caller.call(tool, account=self.account, **arguments)
        assert not result["isError"], result["content"][0]["text"]
        found: Json = result["structuredContent"]
        return found

    async def told(self, tool: str, **arguments: Any) -> str:
        """With which sentence a tool refuses."""
        result = await self.caller.call(tool, **{"account": self.account, **arguments})
        assert result["isError"], result["structuredContent"]
        return str(result["content"][0]["text"])

    async def put(self, blob: str, content: bytes, content_type: str = "text/plain", **headers: str) -> None:
        own = {"x-ms-blob-type": "BlockBlob", **{name.replace("_", "-"): value for name, value in headers.items()}}
        values = {"container": self.name, "blob": blob}
        request = AzureRequest("PUT /{container}/{blob}", values, body=content, content_type=content_type, headers=own)
        await self.ask("blob", request)

    async def add_entity(self, **properties: Any) -> None:
        await self.ask("table", AzureRequest("POST /{table}", {"table": self.name}, body=properties, accept=_JSON))

    async def add_message(self, text: str) -> None:
        body = f"<QueueMessage><MessageText>{text}</MessageText></QueueMessage>".encode()
        line = "POST /{queue}/messages"
        await self.ask("queue", AzureRequest(line, {"queue": self.name}, body=body, content_type=XML, accept=XML))

    async def ask(self, kind: Kind, request: AzureRequest) -> Mapping[str, str]:
        return (await Data(self.azure, StorageAccount.of(self.record), kind).send(request)).headers

    async def prepare(self) -> None:
        values = {"name": self.name}
        await self.ask("blob", AzureRequest("PUT /{name}", values, {"restype": "container"}, accept=XML))
        await self.ask("table", AzureRequest("POST /Tables", body={"TableName": self.name}, accept=_JSON))
        await self.ask("queue", AzureRequest("PUT /{name}", values, accept=XML))


@asynccontextmanager
async def azurite_place() -> AsyncIterator[Place]:
    """In Azurite, over https."""
    found = secured_azurite()
    # Given the file of the certificate only, the SDK would read it and connect anew for each request.
    connector = TCPConnector(ssl=_trusting(found.certificate))
    async with (
        ClientSession(connector=connector, cookie_jar=DummyCookieJar(), auto_decompress=False) as session,
        _placed(found.account, found.endpoints, HastyTransport(session=session)) as place,
    ):
        yield place


@cache
def _trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certificate)


@asynccontextmanager
async def fake_place(storage: FakeStorage, **properties: Any) -> AsyncIterator[Place]:
    """In a fake that is served for it; what its resource says besides is up to the test."""
    storage.account("bakeryshop")
    async with (
        storage.serving(),
        _placed("bakeryshop", storage.endpoints("bakeryshop"), HastyTransport(), **properties) as place,
    ):
        yield place


@asynccontextmanager
async def _placed(
    account: str, endpoints: Mapping[str, str], transport: HastyTransport, **properties: Any
) -> AsyncIterator[Place]:
    async def authorize(_scope: str) -> str:
        return f"Bearer {token()}"

    manager = FewAccounts()
    record = manager.add(account, endpoints, **properties)
    async with serving_locally(manager.handle) as url, AzureConnection(transport=transport) as connection:
        cloud, settings = cloud_named(url), AzureSettings(subscription=SUBSCRIPTION)
        async with calling(transport, settings, cloud=cloud, who=token()) as caller:
            azure = Azure(connection, cloud, authorize)
            place = Place(account, f"t{uuid4().hex}", caller, azure, record)
            await place.prepare()
            yield place
