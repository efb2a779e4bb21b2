"""Calling the tool for translation over MCP, with an invented Translator behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, cast

from clients.azure.cloud import CLOUDS, cloud_named
from identity.door import open_door
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from tests.fakes.opened import Opened
from tests.fakes.translation.translator import SIGNED_IN, FakeTranslator, translating
from tests.fakes.transport import HastyTransport
from tests.mcp_server.caller import Caller, Json
from tests.tools.everything import EVERYTHING
from tools.provider import Supplies
from tools.translation import toolset
from tools.translation.access import TRANSLATION
from tools.translation.provider import open_translation
from tools.translation.settings import TranslationSettings

_INFO: Final = ServerInfo("calling", "Calling", "1", "Calling tools.")


class Own:
    """The app's own identity."""

    def __init__(self) -> None:
        self.scopes: list[str] = []

    async def own_authorization(self, scope: str) -> str:
        self.scopes.append(scope)
        return SIGNED_IN


@dataclass(frozen=True)
class Office:
    translator: FakeTranslator
    caller: Caller
    own: Own
    transport: HastyTransport

    async def translated(self, text: str, target: str = "fr", **more: Any) -> Json:
        result = await self.caller.call("translate", text=text, target_lang=target, **more)
        assert not result.get("isError"), result
        return result["structuredContent"]

    async def refused(self, text: str = "words", target: str = "fr", **more: Any) -> str:
        return await self.caller.told("translate", text=text, target_lang=target, **more)


def endpoint_of(opened: Any) -> Endpoint:
    server = McpServer(_INFO, lambda: nullcontext(Opened({TRANSLATION: opened})), ["k" * 32])
    reception = Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS), open_door(EVERYTHING))
    return Endpoint(server, Catalogs(Catalog([toolset], frozenset())), reception)


@asynccontextmanager
async def office(**settings: str) -> AsyncIterator[Office]:
    own, transport = Own(), HastyTransport(read_timeout=10)
    async with translating() as translator:
        given = TranslationSettings(**{"endpoint": translator.url, **settings})
        cloud = CLOUDS["public"] if given.endpoint else cloud_named(translator.url)
        supplies = Supplies(lambda: cast("Any", own), cast("Any", None), cast("Any", None), cloud)
        async with open_translation(given, supplies, transport) as opened:
            yield Office(translator, Caller(endpoint_of(opened), "all"), own, transport)
