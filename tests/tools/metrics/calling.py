"""An app that sends values to an Application Insights of the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.build import App
from tests.fakes.metrics.ingestion import Ingestion, ingesting
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline


@dataclass(frozen=True)
class Here:
    app: App
    ingestion: Ingestion

    @property
    def somebody(self) -> Caller:
        return Caller(self.app.endpoint, "metrics")

    async def send(self, name: str = "orders.paid", value: Any = 1, **more: Any) -> Any:
        result = await self.somebody.call("send_metric", metric_name=name, value=value, **more)
        assert not result.get("isError"), result
        return result["structuredContent"]

    async def refused(self, name: str = "orders.paid", value: Any = 1, **more: Any) -> str:
        return await self.somebody.told("send_metric", metric_name=name, value=value, **more)


@asynccontextmanager
async def sending(folder: Path, **settings: str) -> AsyncIterator[Here]:
    async with ingesting() as ingestion:
        where = {"APPLICATIONINSIGHTS_CONNECTION_STRING": ingestion.connection_string}
        app = app_of(offline(folder) | where | settings)
        yield Here(app, ingestion)
        await app.close()
