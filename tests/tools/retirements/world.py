"""The bakery with what real retirements affect, the feed that announces them, and the code of the team."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from changes.approval_request import RequiredApprover
from changes.rule import Rule
from changes.rules import Rules
from clients.azure.cloud import cloud_named
from clients.folder_storage import FolderStorage
from identity.door import open_door
from identity.grants import Grants
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.catalog.narrowing import adapted
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from mcp_server.visit import Means
from notifying.sending import NotificationSender
from retirements.item_text import TAG, ItemMark
from tests.fakes.azure.people import OWNER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN, PRODUCTION, SHOP
from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.fakes.opened import Opened
from tests.fakes.retirements import add_affected, announcements
from tests.fakes.transport import HastyTransport
from tests.fakes.updates.api import Record, UpdatesApi
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving
from tests.tools.azure.calling import SignedIn
from tests.tools.everything import EVERYTHING
from tools import TOOLSETS
from tools.azure.access import AZURE
from tools.azure.provider import access as azure_access
from tools.azure.settings import AzureSettings
from tools.azure_devops.access import AZURE_DEVOPS
from tools.azure_devops.provider import access as devops_access
from tools.azure_devops.provider import provider as devops_provider
from tools.azure_devops.settings import AzureDevOpsSettings
from tools.azure_updates.access import UPDATES
from tools.azure_updates.provider import access as updates_access
from tools.azure_updates.settings import UpdatesSettings
from tools.key import Key
from tools.provider import NotificationMeans, Supplies
from tools.retirements.access import RETIREMENTS
from tools.retirements.provider import access as retirements_access
from tools.retirements.settings import RetirementsSettings, Team
from tools.watches.access import WATCHES, WatchesAccess
from tools.watches.opening import opened as open_watches
from tools.workspace.access import WORKSPACES
from tools.workspace.provider import open_workspaces as workspaces_access
from tools.workspace.settings import WorkspacesSettings
from updates.library import UpdatesLibrary
from updates.report import SyncKind
from watching.watches import Watches


@dataclass
class World:
    """`feed` and `azure` may be changed at any time; `sync` lets the server read what the feed has now."""

    folder: Path
    azure: FakeAzure = field(default_factory=FakeAzure)
    feed: UpdatesApi = field(default_factory=lambda: UpdatesApi(announcements()))
    devops: FakeAzureDevOps = field(default_factory=FakeAzureDevOps)
    library: UpdatesLibrary = field(init=False)
    # What the app's own identity may read, what watches are there, and what time these think it is.
    scopes_of_work: tuple[str, ...] = (f"/subscriptions/{PRODUCTION}",)
    watches: Watches = field(init=False)
    now: float = 1_800_100_800.0

    def __post_init__(self) -> None:
        add_affected(self.azure)

    @property
    def items(self) -> dict[int, dict[str, Any]]:
        """The fields of all work items, by their ids."""
        return {number: revisions[-1]["fields"] for number, revisions in self.devops.work_items.revisions.items()}

    async def sync(self) -> None:
        await self.library.sync(SyncKind.RECONCILE)


@asynccontextmanager
async def opened(world: World, who: Principal = OWNER) -> AsyncIterator[dict[Key[Any], Any]]:
    """All providers of a server that asks in somebody's name, and in its own on all of production."""
    upstream = cast("Any", SignedIn(who.token, OWNER.token))
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(world.azure.serving())
        place = await stack.enter_async_context(world.devops.serving())
        there: dict[Key[Any], Any] = {}

        async def other(key: Key[Any]) -> Any:
            return there[key]

        supplies = Supplies(
            lambda: upstream,
            lambda purpose: FolderStorage(world.folder / purpose),
            cast("Any", None),
            cloud_named(url),
            scopes_of_work=world.scopes_of_work,
            notices=lambda: NotificationMeans({}, NotificationSender((), b"")),
            opened=other,
        )
        feed = UpdatesSettings(url=await stack.enter_async_context(world.feed.serving()), largest_withdrawal=100)
        places = WorkspacesSettings(places=("127.0.0.1",), folder=str(world.folder / "workspaces"))
        organization, azure = (
            AzureDevOpsSettings(url="https://dev.azure.com/acme"),
            AzureSettings(subscription=PRODUCTION),
        )
        there[AZURE] = await stack.enter_async_context(azure_access(azure, supplies, HastyTransport()))
        there[AZURE_DEVOPS] = await stack.enter_async_context(devops_access(organization, supplies, Elsewhere(place)))
        there[UPDATES] = await stack.enter_async_context(updates_access(feed, supplies))
        there[WORKSPACES] = await stack.enter_async_context(workspaces_access(places, supplies))
        own = RetirementsSettings(teams=(TEAM,))
        there[RETIREMENTS] = await stack.enter_async_context(retirements_access(own, supplies))
        world.library = there[UPDATES].library
        await world.library.settled()
        world.watches = await stack.enter_async_context(open_watches(supplies, lambda: world.now))
        there[WATCHES] = WatchesAccess(world.watches)
        yield there


@asynccontextmanager
async def asking(
    world: World,
    who: Principal = OWNER,
    *,
    grants: Grants = EVERYTHING,
    asks: bool = False,
    catalog: Catalog | None = None,
) -> AsyncIterator[Caller]:
    """Somebody who may ask; with `asks`, the server asks before it changes anything."""
    async with opened(world, who) as there:
        yield caller_of(there, grants, asks=asks, catalog=catalog)


def caller_of(
    there: Mapping[Key[Any], Any],
    grants: Grants = EVERYTHING,
    *,
    asks: bool = False,
    catalog: Catalog | None = None,
) -> Caller:
    """Somebody at a server with these providers."""
    server = McpServer(INFO, lambda: nullcontext(Opened(dict(there))), [])
    reception = Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS), open_door(grants))
    rules = Rules([Rule(RequiredApprover.CALLER)]) if asks else Rules(waived=[one.name for one in TOOLSETS])
    approvals = approving(rules=rules)
    means = Means(lambda: approvals)
    return Caller(Endpoint(server, Catalogs(catalog or CATALOG), reception, means=means), "all")


PROJECT: Final = "Web"
# The update that announces the retirement of Redis, and what it affects.
REDIS: Final = "499577"
CACHE: Final = f"{SHOP}/providers/Microsoft.Cache/redis/shop-cache"
CLUSTER: Final = f"{OVEN}/providers/Microsoft.ContainerService/managedClusters/oven-lab"
TEAM: Final = Team(PROJECT, "Web\\Shop")


async def plan(caller: Caller, **arguments: Any) -> dict[str, Any]:
    """Plan for the team whose area is the shop."""
    given = {"project": PROJECT, "areaPath": "Web\\Shop", **arguments}
    result = await caller.call("plan_retirements", **given)
    assert not result["isError"], result["content"][0]["text"]
    found: dict[str, Any] = result["structuredContent"]
    return found


def items_of(world: World) -> dict[str, dict[str, Any]]:
    """The fields of all work items, by their titles."""
    return {fields["System.Title"]: fields for fields in world.items.values()}


_ADAPTATION: Final = devops_provider.adapts(AzureDevOpsSettings(url="https://dev.azure.com/acme"))
CATALOG: Final = Catalog(
    [adapted(one, [_ADAPTATION]) if AZURE_DEVOPS in one.needs else one for one in TOOLSETS], frozenset()
)
INFO: Final = ServerInfo("retiring", "RetirementHere", "1", "Asking what retires.")


def retiring(answer: dict[str, Any], update: str) -> dict[str, Any] | None:
    """What is told of the retirement of this update."""
    return next((one for one in answer["items"] if update in one.get("update", ())), None)


def records(world: World) -> dict[str, Record]:
    return world.feed.records


def add_marked_item(world: World, title: str, *, key: str = REDIS, project: str = PROJECT, **fields: Any) -> int:
    """A work item that says that it is about a retirement."""
    mark = ItemMark("0" * 16, key, "2028-09-30", "0" * 8, 1)
    return world.devops.work_items.add(project, "Task", title, Tags=TAG, Description=mark.line, **fields)
