"""An app over a feed of invented updates, built by the real composition on a folder and a fake API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from app.build import App
from app.pages import AppPages
from identity.caller import ANONYMOUS
from mcp_server.http.messages import HttpAnswer, HttpRequest
from tasks.in_process_queue import QueueHere
from tasks.task import owner_of
from tests.fakes.updates.api import Record, UpdatesApi
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline
from tests.updates.syncing import record
from tools.azure_updates.access import UPDATES as THE_UPDATES
from updates.library import UpdatesLibrary

RETIREMENT = {"ring": "Retirement", "year": 2027, "month": "March"}

UPDATES: tuple[Record, ...] = (
    record(1, title="Public Preview: Solar panels for data centres", products=["Azure Sunshine"], tags=["Features"]),
    record(
        2,
        title="Retirement: The old lamp service retires in March 2027",
        status=None,
        tags=["Retirements"],
        products=["Lamps"],
        productCategories=["Lighting"],
        availabilities=[RETIREMENT],
        description='<p>Move to <a href="https://example.com/leds">LEDs</a>, before the lamps go out.</p>',
    ),
    record(
        3,
        title="Generally Available: Brighter lamps",
        status="Launched",
        products=["Lamps"],
        productCategories=["Lighting"],
        availabilities=[{"ring": "General Availability", "year": 2026, "month": "May"}],
    ),
    record(4, title="Update without a date", availabilities=[], products=[], productCategories=[], tags=["Feature"]),
)


@dataclass(frozen=True)
class Office:
    api: UpdatesApi
    app: App

    @property
    def caller(self) -> Caller:
        return Caller(self.app.endpoint, "azure-updates")

    async def library(self) -> UpdatesLibrary:
        return (await self.app.providers.get(THE_UPDATES)).library

    async def full_sync(self) -> dict[str, Any]:
        """What comes of comparing everything, which is a task."""
        tasks = self.app.worker.tasks
        await self.caller.call("refresh_azure_updates", full=True)
        queue = tasks.sending.queue
        assert isinstance(queue, QueueHere)
        await queue.settled()
        newest = (await tasks.all_of(owner_of(ANONYMOUS)))[0]
        result: dict[str, Any] = await tasks.result(newest)
        return result

    async def library_advice(self) -> str:
        return (await (await self.library()).health()).advice

    async def export(self, form: str, parameters: Mapping[str, str], **headers: str) -> HttpAnswer:
        path, query = f"/updates.{form}", urlencode(parameters)
        request = HttpRequest("GET", path, {"host": "localhost:7071", **headers}, b"", query)
        return await AppPages(self.app).updates(request, form)

    async def search(self, **arguments: Any) -> Any:
        result = await self.caller.call("search_azure_updates", **arguments)
        assert not result["isError"], result
        return result["structuredContent"]

    async def ids(self, **arguments: Any) -> list[str]:
        return [update["id"] for update in (await self.search(**arguments))["results"]]


@asynccontextmanager
async def office(
    folder: Path,
    records: Iterable[Record],
    *,
    synced: bool = True,
    sample: bool = False,
) -> AsyncIterator[Office]:
    api = UpdatesApi([dict(record) for record in records])
    async with api.serving() as url:
        own = {"UPDATES_API_URL": url, "UPDATES_SAMPLE": str(sample)}
        place = Office(api, app_of(offline(folder) | own))
        if synced:
            await (await place.library()).settled()
        yield place
        await place.app.close()
