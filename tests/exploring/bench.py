"""The explorer with people before it: by the ways in which this server knows them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from mcp_server.http.messages import HttpAnswer
from tests.changes import bench
from tests.changes.bench import Browser, Office
from tests.exploring.planted import UPDATES, plant
from tests.fakes.updates.api import Record
from tools import TOOLSETS

ROLES: Final = """
signed-in: {}
roles:
  Reader:
    azure-updates: read
  Everything:
    all: destroy
  Doorkeeper:
    firewall: read
"""
READER: Final[Mapping[str, Any]] = {"roles": ["Reader"], "preferred_username": "ada@example.com"}
HTML: Final = {"accept": "text/html"}


@asynccontextmanager
async def explored(folder: Path, records: tuple[Record, ...] = UPDATES, /, **settings: str) -> AsyncIterator[Office]:
    await plant(folder, records)
    async with bench.opened(folder, ROLES, TOOLSETS, UPDATES_SAMPLE="false", **settings) as office:
        yield office


def reader(office: Office) -> Browser:
    return office.browser(**READER)


async def visited(browser: Browser, path: str) -> HttpAnswer:
    browser.headers |= HTML
    return await browser.visit(path)
