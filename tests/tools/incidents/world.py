"""Asking what changed at the invented bakery, with the updates and Azure DevOps, or without them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, cast

from clients.azure.cloud import cloud_named
from clients.folder_storage import FolderStorage
from identity.door import open_door
from identity.grants import Grants
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from tests.fakes.azure.estate import Change, Resource, type_of
from tests.fakes.azure.people import OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.fakes.opened import Opened
from tests.fakes.transport import HastyTransport
from tests.fakes.updates.api import Record, UpdatesApi
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import SignedIn
from tests.tools.everything import EVERYTHING
from tools import TOOLSETS
from tools.azure.access import AZURE
from tools.azure.provider import access as azure_access
from tools.azure.settings import AzureSettings
from tools.azure_devops.access import AZURE_DEVOPS
from tools.azure_devops.provider import access as devops_access
from tools.azure_devops.settings import AzureDevOpsSettings
from tools.azure_updates.access import UPDATES, UpdatesAccess
from tools.azure_updates.opening import opened
from tools.azure_updates.settings import UpdatesSettings
from tools.provider import Supplies

NOW: Final = datetime.now(UTC).replace(microsecond=0)
BROKE: Final = NOW - timedelta(hours=1)
SITE: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
SQL: Final = f"{SHOP}/providers/Microsoft.Sql/servers/shop-sql"
VAULT: Final = f"{SHOP}/providers/Microsoft.KeyVault/vaults/shop-secrets"
PLAN: Final = f"{SHOP}/providers/Microsoft.Web/serverFarms/shop-plan"
# What apps were given lately.
_BROUGHT: Final = frozenset({"Microsoft.Web/sites/deployments", "Microsoft.App/containerApps/revisions"})
NO_DEVOPS: Final = "Azure DevOps is not configured. Ask an operator to set ADO_ORG_URL."


def before(minutes: float) -> datetime:
    return BROKE - timedelta(minutes=minutes)


def iso(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


@dataclass
class Bakery:
    """What is at the bakery, where nothing happened lately but what a test lets happen."""

    azure: FakeAzure = field(default_factory=FakeAzure)
    devops: FakeAzureDevOps = field(default_factory=FakeAzureDevOps)
    updates: list[Record] = field(default_factory=list)

    def __post_init__(self) -> None:
        estate, monitor = self.azure.estate, self.azure.monitor
        for happened in (estate.changes, estate.deployments, estate.operations, estate.rows, monitor.activity.events):
            happened.clear()
        for watched in (monitor.alerts.fired, monitor.health.events, monitor.health.states):
            watched.clear()
        for brought in [one.id for one in estate.resources.values() if one.type in _BROUGHT]:
            estate.remove(brought)
        for vault in self.azure.vaults.vaults.values():
            for kind in vault.items.values():
                kind.clear()

    def change(
        self, target: str, minutes: float, *, by: str = "ada@example.com", kind: str = "Update", **set_: Any
    ) -> None:
        """A change so many minutes before it broke; `tags__team=("a", "b")` is of `tags.team`."""
        changes = {path.replace("__", "."): values for path, values in set_.items()}
        self.azure.estate.changes.append(Change(target, type_of(target).lower(), kind, before(minutes), by, changes))

    def deploy(self, app: str, minutes: float, name: str, **properties: Any) -> None:
        """Code that was brought to an app of App Service."""
        own = {"status": 4, "received_time": iso(before(minutes)), "end_time": iso(before(minutes)), **properties}
        document = {"id": f"{app}/deployments/{name}", "name": name, "type": "Microsoft.Web/sites/deployments"}
        self.azure.estate.add(Resource({**document, "properties": own}, before(minutes), before(minutes)))

    def act(self, target: str, operation: str, minutes: float, *, by: str = "ada@example.com", **more: Any) -> None:
        self.azure.monitor.activity.add(target, operation, before(minutes), by, **more)


@asynccontextmanager
async def _updates(bakery: Bakery, supplies: Supplies) -> AsyncIterator[UpdatesAccess]:
    async with UpdatesApi(bakery.updates).serving() as url, opened(UpdatesSettings(url=url), supplies) as found:
        await found.library.settled()
        yield found


@asynccontextmanager
async def asking(
    bakery: Bakery,
    folder: Path | None = None,
    *,
    grants: Grants = EVERYTHING,
    lacking: Collection[str] = (),
    locked: Collection[str] = (),
    absent: Mapping[str, str] | None = None,
    reads_directory: bool = False,
) -> AsyncIterator[Caller]:
    """Somebody who may ask, of a deployment without toolsets whose names begin so.

    The updates are there where they have a folder.
    """
    without = (*lacking, *(() if folder else ("azure-updates",)))
    offered = [one for one in TOOLSETS if not one.name.startswith(tuple(without))]
    catalog = Catalog(offered, frozenset(), absent or {})
    upstream = cast("Any", SignedIn(OWNER.token))
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(bakery.azure.serving())
        place = await stack.enter_async_context(bakery.devops.serving())
        supplies = Supplies(
            lambda: upstream,
            lambda purpose: FolderStorage(folder or Path() / purpose),
            cast("Any", None),
            cloud_named(url),
        )
        own = AzureSettings(subscription=PRODUCTION, allowed_groups=frozenset(locked), reads_directory=reads_directory)
        there: dict[Any, Any] = {
            AZURE: await stack.enter_async_context(azure_access(own, supplies, HastyTransport())),
            AZURE_DEVOPS: await stack.enter_async_context(
                devops_access(AzureDevOpsSettings(url="https://dev.azure.com/acme"), supplies, Elsewhere(place))
            ),
        }
        if folder:
            there[UPDATES] = await stack.enter_async_context(_updates(bakery, supplies))
        info = ServerInfo("asking", "Asking", "1", "Asking what changed.")
        server = McpServer(info, lambda: nullcontext(Opened(there)), [])
        reception = Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS), open_door(grants))
        yield Caller(Endpoint(server, Catalogs(catalog), reception), "all")


async def told(caller: Caller, resource: str = "shop-web", *, knows: bool = True, **arguments: Any) -> Any:
    """What is answered to somebody who knows when it broke."""
    known = {"broke_at": iso(BROKE)} if knows else {}
    result = await caller.call("what_changed", resource=resource, **known, **arguments)
    assert not result["isError"], result["content"][0]["text"]
    return result["structuredContent"]


async def answered(bakery: Bakery, resource: str = "shop-web", **arguments: Any) -> Any:
    """Likewise, of a deployment without Azure updates."""
    async with asking(bakery) as caller:
        return await told(caller, resource, **arguments)


def whats(answer: Any) -> list[str]:
    return [str(item["what"]) for item in answer["items"]]
