"""A fake Azure that tells what it has, and processes that read it into one storage."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web

from azure_operations.index import OperationsIndex
from azure_operations.index_builder import build_index
from azure_operations.index_format import FORMAT
from azure_operations.keeping import OperationsStore, Reader
from clients.azure.client import Azure
from clients.azure.cloud import cloud_named
from clients.azure.connection import AzureConnection
from clients.storage import Storage
from tests.azure_operations.catalogue import Namespace
from tests.fakes.mortality import Life
from tests.fakes.serving import serving_locally

NOBODY = Life()
_OPERATIONS = "/providers/microsoft.authorization/provideroperations/"


@dataclass
class Telling:
    """Azure as whoever asks sees it. `answers` takes the place of what a provider would be told with."""

    namespaces: list[Namespace]
    answers: dict[str, Callable[[], web.StreamResponse]] = field(default_factory=dict)
    providers: Any = None
    asked: list[str] = field(default_factory=list)
    # Operations are told while it is set.
    going_on: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.going_on.set()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request.path)
        assert request.method == "GET"
        path = request.path.lower()
        if path == "/providers":
            told = [one.provider for one in self.namespaces] if self.providers is None else self.providers
            return web.json_response({"value": told})
        if path.startswith(_OPERATIONS):
            await self.going_on.wait()
        elif found := next((one for one in self.namespaces if path == f"/providers/{one.name.lower()}"), None):
            return web.json_response(found.provider)
        name = path.removeprefix(_OPERATIONS)
        if name in self.answers:
            return self.answers[name]()
        found = next((one for one in self.namespaces if one.name.lower() == name), None)
        if not path.startswith(_OPERATIONS) or found is None:
            return web.json_response({"error": {"code": "ProviderNotFound", "message": "not found"}}, status=404)
        return web.json_response(found.told)

    @asynccontextmanager
    async def reached(self, life: Life = NOBODY) -> AsyncIterator[Azure]:
        async def authorize(_scope: str) -> str:
            return "Bearer invented"

        async with serving_locally(self.handle) as url, AzureConnection(transport=life.transport()) as connection:
            yield Azure(connection, cloud_named(url), authorize)


class Times:
    """What time it is: two hours later whenever somebody begins to read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 6, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(hours=2)
        return self.now


@dataclass
class World:
    """One storage, one Azure and what time it is."""

    storage: Storage
    telling: Telling
    times: Times = field(default_factory=Times)

    @property
    def store(self) -> OperationsStore:
        return OperationsStore(self.storage)

    @asynccontextmanager
    async def reader(self, life: Life = NOBODY, **options: Any) -> AsyncIterator[Reader]:
        """A process of its own; `life` says when it ends."""
        store = OperationsStore(life.of(self.storage))
        async with self.telling.reached(life) as azure:
            yield Reader(azure, store, build_index, FORMAT, **{"clock": self.times, **options})

    async def names(self) -> list[str]:
        """What readers find, whole."""
        published = await self.store.published()
        if published.index is None:
            return []
        content = await self.store.index(published.index)
        assert content, "readers are told of an index that is not there"
        index = OperationsIndex.open(content)
        assert len(index) == published.operations
        return [name for one in self.telling.namespaces for name in names_in(one) if index.named(name)]


def names_in(namespace: Namespace) -> Iterable[str]:
    """The operations that a provider is told with, each once."""
    told = namespace.told
    entries = [*told["operations"], *(entry for kind in told["resourceTypes"] for entry in kind["operations"])]
    return dict.fromkeys(entry["name"] for entry in entries)


def failing(status: int, code: str = "Failed", **headers: str) -> Callable[[], web.StreamResponse]:
    def answer() -> web.StreamResponse:
        return web.json_response({"error": {"code": code, "message": "It failed."}}, status=status, headers=headers)

    return answer
