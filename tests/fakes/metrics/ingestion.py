"""Plays the endpoint to which Application Insights has telemetry sent."""

from __future__ import annotations

import gzip
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

KEY: Final = "00000000-0000-4000-8000-0000000000aa"

Item = dict[str, Any]


@dataclass
class Ingestion:
    status: int = 200
    # What it tells when it takes nothing, and with which headers.
    told: Mapping[str, str] = field(default_factory=dict)
    # Which of the next items it does not take, and why: it answers 206 then.
    refusing: dict[int, tuple[int, str]] = field(default_factory=dict)
    # Whether it hangs up without an answer.
    hangs_up: bool = False
    url: str = ""
    items: list[Item] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    called: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def connection_string(self) -> str:
        return f"InstrumentationKey={KEY};IngestionEndpoint={self.url}/"

    def metrics(self) -> dict[str, list[Item]]:
        found: dict[str, list[Item]] = {}
        for data in self._of("MetricData"):
            for metric in data["metrics"]:
                found.setdefault(metric["name"], []).append({**metric, "labels": data.get("properties", {})})
        return found

    def spans(self) -> list[Item]:
        return self._of("RemoteDependencyData")

    def _of(self, kind: str) -> list[Item]:
        return [item["data"]["baseData"] | {"tags": item["tags"]} for item in self.items if _kind(item) == kind]

    async def track(self, request: web.Request) -> web.Response:
        self.headers.append(request.headers)
        body = await request.read()  # which aiohttp has decompressed if its header says that it was
        sent = json.loads(gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body)
        if self.hangs_up and request.transport:
            request.transport.close()
        if self.status != 200:
            nothing = {"itemsReceived": len(sent), "itemsAccepted": 0, "errors": []}
            return web.json_response(nothing, status=self.status, headers=self.told)
        taken = [item for place, item in enumerate(sent) if place not in self.refusing]
        self.items += taken
        errors = [
            {"index": place, "statusCode": status, "message": message}
            for place, (status, message) in self.refusing.items()
        ]
        counts = {"itemsReceived": len(sent), "itemsAccepted": len(taken), "errors": errors}
        return web.json_response(counts, status=206 if errors else 200)

    async def serve(self, request: web.Request) -> web.Response:
        """Be what a tool calls."""
        self.called.append(request.headers)
        return web.json_response({})


def _kind(item: Item) -> str:
    return str(item["data"]["baseType"])


@asynccontextmanager
async def ingesting(certificate: ssl.SSLContext | None = None) -> AsyncIterator[Ingestion]:
    ingestion = Ingestion()
    application = web.Application()
    application.router.add_post("/{slash:/?}v2.1/track", ingestion.track)
    application.router.add_get("/service/{name}", ingestion.serve)
    runner = web.AppRunner(application, shutdown_timeout=0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=certificate).start()
        scheme = "https" if certificate else "http"
        ingestion.url = f"{scheme}://127.0.0.1:{runner.addresses[0][1]}"
        yield ingestion
    finally:
        await runner.cleanup()
