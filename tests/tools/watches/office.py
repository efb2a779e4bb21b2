"""The whole app over a feed of updates, signed in, whose notices go to a receiver of the test."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from app.build import App
from app.pages import AppPages
from mcp_server.http.messages import HttpAnswer, HttpRequest
from notifying.sending import NotificationSender
from notifying.targets import places_in
from tasks.in_process_queue import QueueHere
from tests.fakes.issuer import AUDIENCE, SCOPE, Issuer, issuing
from tests.fakes.updates.api import UpdatesApi
from tests.fakes.watches.receiver import HOSTS, Answering, Heard, fine, receiving
from tests.mcp_server.caller import Caller
from tests.notifying.place import KEY, PLACES
from tests.offline import app_of, offline
from tests.updates.syncing import record
from tests.watching.place import SEALING, lamp
from tools.azure_updates.access import UPDATES
from tools.provider import NotificationMeans
from updates.report import SyncKind

PRODUCTS: Final = ["Azure Kubernetes Service (AKS)", "Lamps"]


@dataclass
class Office:
    app: App
    api: UpdatesApi
    issuer: Issuer
    heard: list[Heard]
    claims: Mapping[str, Any] = field(default_factory=lambda: {"roles": ["Admin"], "name": "Ada"})

    def caller(self, **claims: Any) -> Caller:
        token = self.issuer.token(**{**self.claims, **claims})
        return Caller(self.app.endpoint, "watches", {"authorization": f"Bearer {token}"})

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        result = await self.caller().call(tool, **arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    async def told(self, tool: str, /, **arguments: Any) -> str:
        return await self.caller().told(tool, **arguments)

    async def syncs(self, *records: Any) -> None:
        for one in records:
            self.api.records[one["id"]] = dict(one)
        await (await self.app.providers.get(UPDATES)).library.sync(SyncKind.RECONCILE)

    async def timer(self) -> None:
        """What the hourly timer does after its sync, and what the queue makes of it."""
        await self.app.jobs.keep_house()
        queue = self.app.worker.tasks.sending.queue
        assert isinstance(queue, QueueHere)
        await queue.settled()

    async def get(self, address: str, **headers: str) -> HttpAnswer:
        parts = urlsplit(address)
        request = HttpRequest("GET", parts.path, {"host": "localhost:7071", **headers}, b"", parts.query, "192.0.2.7")
        return await AppPages(self.app).watch(request)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(one.body) for one in self.heard]


@asynccontextmanager
async def office(
    folder: Path, answer: Answering = fine, addresses: list[str] | None = None, **settings: str
) -> AsyncIterator[Office]:
    api = UpdatesApi([lamp(1), lamp(2), record(3), lamp(4, products=PRODUCTS)])
    async with receiving(folder, answer, addresses) as (heard, session), api.serving() as url, issuing() as issuer:
        own = {
            "UPDATES_API_URL": url,
            "UPDATES_SAMPLE": "false",
            "NOTIFY_HOSTS": ",".join(HOSTS),
            "AUTH_MODE": "oauth",
            "AUTH_ISSUER": issuer.url,
            "AUTH_AUDIENCE": AUDIENCE,
            "AUTH_SCOPE": SCOPE,
            "MCP_REQUEST_STATE_KEY": SEALING[0],
        }
        app = app_of(offline(folder) | own | settings)
        means = NotificationMeans(places_in(PLACES, HOSTS), NotificationSender(HOSTS, KEY, session))
        vars(app)["_supplies"] = replace(app._supplies, notices=lambda: means)  # noqa: SLF001 - the one way out
        await (await app.providers.get(UPDATES)).library.settled()
        yield Office(app, api, issuer, heard)
        await app.close()
