"""Calling the Azure DevOps tools as a deployment offers them: by its settings, and by the roles of who calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from functools import cache
from typing import Any, Final, cast

from app.offered import catalog_of
from changes.approvals import Approvals
from identity.caller import Caller as Person
from identity.caller import CallerKind
from identity.door import OPEN_DOOR, Door, open_door
from identity.roles import Roles
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from mcp_server.visit import Means
from settings import Settings
from tests.fakes.azure_devops.service import CLOUD, Elsewhere
from tests.fakes.opened import Opened
from tests.fakes.transport import HastyTransport
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import UNASKED
from tools import PROVIDERS
from tools.azure_devops import TOOLSETS
from tools.azure_devops.access import AZURE_DEVOPS
from tools.azure_devops.provider import access, provider
from tools.azure_devops.settings import AzureDevOpsSettings
from tools.provider import Supplies

ADDRESS: Final = f"https://{CLOUD}/acme"
TOKEN: Final = "t" * 52
INFO: Final = ServerInfo("reaching", "Reaching", "1", "Reaching.")
NAMES: Final = {toolset.name: [tool.name for tool in toolset.tools] for toolset in TOOLSETS}


class Apart(HastyTransport):
    """Sends what is meant for each organization of Services to a fake of its own."""

    def __init__(self, urls: Mapping[str, str]) -> None:
        super().__init__()
        self._fakes = {name: Elsewhere(url) for name, url in urls.items()}

    async def send(self, request: Any, **options: Any) -> Any:
        name = request.url.partition("://")[2].split("/")[1]
        request.url = request.url.replace(f"/{name}/", "/acme/", 1)
        return await self._fakes[name].send(request, **options)

    async def close(self) -> None:
        for fake in self._fakes.values():
            await fake.close()


@asynccontextmanager
async def reaching(
    transport: HastyTransport,
    *,
    roles: str = "",
    role: str = "Guest",
    approvals: Approvals | None = None,
    door: Door = OPEN_DOOR,
    **given: str,
) -> AsyncIterator[Caller]:
    """Someone who calls the tools of a deployment with these settings, and with a role of this roles file."""
    own, offered = _offered(tuple(given.items()))
    if roles:
        grants = Roles.read(roles, "roles.yaml", NAMES).grants_of(Person(CallerKind.USER, roles=frozenset({role})))
        door = replace(open_door(grants), per_caller=OPEN_DOOR.per_caller)
    supplies = Supplies(lambda: cast("Any", None), cast("Any", None), cast("Any", None))
    async with access(own, supplies, transport) as opened:
        server = McpServer(INFO, lambda: nullcontext(Opened({AZURE_DEVOPS: opened})), [])
        reception = Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS), door)
        yield Caller(Endpoint(server, Catalogs(offered), reception, means=Means(lambda: approvals or UNASKED)), "all")


@cache
def _offered(given: tuple[tuple[str, str], ...]) -> tuple[AzureDevOpsSettings, Catalog]:
    """What these settings say, and what is offered by them. A catalog never changes, and takes a while to make."""
    settings = Settings.from_environment(
        {"ADO_ORG_URL": ADDRESS, "ADO_PAT": TOKEN, **dict(given)}, [AzureDevOpsSettings]
    )
    own = settings.of(AzureDevOpsSettings)
    provider.check(own)
    return own, catalog_of(settings, TOOLSETS, (), PROVIDERS)
