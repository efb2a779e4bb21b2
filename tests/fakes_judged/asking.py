"""Asking the invented Azure as plainly as HTTP allows."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import ClientSession, TCPConnector

from tests.fakes.azure.people import OWNER, Principal
from tests.fakes.azure.service import FakeAzure


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    document: Any

    @property
    def code(self) -> str:
        return str(self.document["error"]["code"])


@dataclass
class Asking:
    azure: FakeAzure
    session: ClientSession
    url: str

    async def __call__(
        self, what: str, who: Principal | None = OWNER, *, version: str = "2022-09-01", body: Any = None, **headers: str
    ) -> Answer:
        """`GET /subscriptions`, or a link that an answer had."""
        method, path = what.split(" ", 1) if what[0].isalpha() and not what.startswith("http") else ("GET", what)
        address = path if path.startswith("http") else f"{self.url}{path}"
        address += "" if "api-version=" in address else f"{'&' if '?' in address else '?'}api-version={version}"
        signed = {"Authorization": f"Bearer {who.token}"} if who else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.request(method, address, json=body, headers=signed | named) as answer:
            text = await answer.text()
            return Answer(answer.status, dict(answer.headers), json.loads(text) if text else None)

    async def rows(self, query: str, who: Principal = OWNER, **body: Any) -> list[dict[str, Any]]:
        answer = await self.graph(query, who, **body)
        assert answer.status == 200, answer.document
        rows: list[dict[str, Any]] = answer.document["data"]
        return rows

    async def graph(self, query: str, who: Principal = OWNER, **body: Any) -> Answer:
        path = "POST /providers/Microsoft.ResourceGraph/resources"
        return await self(path, who, version="2024-04-01", body={"query": query, **body})


@asynccontextmanager
async def asking() -> AsyncIterator[Asking]:
    azure = FakeAzure()
    async with azure.serving() as url, ClientSession(connector=TCPConnector(force_close=True)) as session:
        yield Asking(azure, session, url)
