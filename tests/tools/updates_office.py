"""An app over a feed of invented updates, built by the real composition on a folder and a fake API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import composition
from tests.fakes.updates_api import Record, UpdatesApi
from tests.mcp_server.caller import Caller
from tests.offline import forget_composition
from tests.updates.syncing import record
from updates.report import SyncKind

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
    caller: Caller

    async def search(self, **arguments: Any) -> Any:
        result = await self.caller.call("search_azure_updates", **arguments)
        assert not result["isError"], result
        return result["structuredContent"]

    async def ids(self, **arguments: Any) -> list[str]:
        return [update["id"] for update in (await self.search(**arguments))["results"]]


@asynccontextmanager
async def office(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    records: Iterable[Record],
    *,
    synced: bool = True,
    sample: bool = False,
) -> AsyncIterator[Office]:
    api = UpdatesApi(records)
    async with api.serving() as url:
        monkeypatch.setenv("UPDATES_API_URL", url)
        monkeypatch.setenv("STORAGE_FOLDER", str(folder))
        monkeypatch.setenv("UPDATES_SAMPLE", str(sample))
        forget_composition()
        if synced:
            await composition.library().sync(SyncKind.RECONCILE)
        yield Office(api, Caller(composition.endpoint(), "azure-updates"))
        await composition.library().end()
    forget_composition()
