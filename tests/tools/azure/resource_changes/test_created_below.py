"""What somebody creates below something that is about to be deleted is seen before that is deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from tests.fakes.azure.estate import Resource
from tests.fakes.azure.routes import Asked
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import SHOP
from tests.sweeps import Sweep
from tests.tools.azure.inventing import refused
from tests.tools.azure.running_changes import BUS, GROUP, RECIPES
from tests.tools.azure.team import Team, team

ACCOUNT: Final = f"{SHOP}/providers/Microsoft.Storage/storageAccounts/bakeryshop"
RULE: Final = {"access": "write", "ask": "caller"}

Create = Callable[[FakeAzure], None]


def resource(place: str, kind: str, **properties: Any) -> Create:
    def create(azure: FakeAzure) -> None:
        now = datetime.now(UTC)
        document = {"id": place, "name": place.rpartition("/")[2], "type": kind, "location": "westeurope"}
        azure.estate.add(Resource({**document, "properties": properties}, now, now))

    return create


def container(azure: FakeAzure) -> None:
    azure.stored.hold("bakeryshop", "newest")


@dataclass(frozen=True)
class Deletion:
    tool: str
    arguments: Mapping[str, Any]
    create: Create
    # The end of the path of the request that lists what is below.
    listed: str

    @property
    def name(self) -> str:
        return f"{self.tool} {self.listed}"


_QUEUE: Final = resource(f"{BUS}/queues/newest", "Microsoft.ServiceBus/namespaces/queues", status="Active")
_DATABASE: Final = resource(f"{RECIPES}/sqlDatabases/newest", "Microsoft.DocumentDB/databaseAccounts/sqlDatabases")
_SITE: Final = resource(f"{SHOP}/providers/Microsoft.Web/sites/newest", "Microsoft.Web/sites")
_CONTAINERS: Final = "/bakeryshop/blobservices/default/containers"
DELETIONS: Final = (
    Deletion("delete_resource_group", {"resource_group": "shop-prod"}, _SITE, "/shop-prod/resources"),
    Deletion("delete_resource_group", {"resource_group": "shop-prod"}, container, _CONTAINERS),
    Deletion("delete_resource_group", {"resource_group": GROUP}, _QUEUE, "/queues"),
    Deletion("delete_azure_resource", {"resource_id": ACCOUNT}, container, _CONTAINERS),
    Deletion("delete_azure_resource", {"resource_id": BUS}, _QUEUE, "/queues"),
    Deletion("delete_azure_resource", {"resource_id": RECIPES}, _DATABASE, "/sqldatabases"),
    Deletion("change_azure", {"method": "DELETE", "path": RECIPES}, _DATABASE, "/sqldatabases"),
    Deletion("delete_storage_account", {"account": "bakeryshop"}, container, _CONTAINERS),
    Deletion("delete_cosmosdb_account", {"account": "oven-recipes"}, _DATABASE, "/sqldatabases"),
    Deletion("delete_servicebus_namespace", {"namespace": "oven-bus"}, _QUEUE, "/queues"),
)


@dataclass
class Watched(list[Asked]):
    """The requests; before one of those that list what is below, somebody creates something."""

    def __init__(self, listed: str, look: int, create: Callable[[], None]) -> None:
        super().__init__()
        self._listed, self._look, self._create = listed, look, create

    def append(self, asked: Asked) -> None:
        super().append(asked)
        if asked.path.lower().endswith(self._listed) and self.looks == self._look:
            self._create()

    @property
    def looks(self) -> int:
        return len([one for one in self if one.path.lower().endswith(self._listed)])

    @property
    def is_deleted(self) -> bool:
        return any(one.method == "DELETE" for one in self)


def bakery() -> FakeAzure:
    azure = FakeAzure()
    azure.estate.locks.clear()
    return azure


async def approved(them: Team, deletion: Deletion) -> None:
    ada = them.member("ada")
    words = await refused(ada, deletion.tool, **deletion.arguments)
    await them.decides("bea" if "Another person" in words else "ada", words)


async def played(deletion: Deletion, look: int) -> Watched:
    """The requests after the approval, in one of whose looks at what is below there is something new."""
    azure = bakery()
    async with team(azure, RULE) as them:
        await approved(them, deletion)
        watched = azure.asked = Watched(deletion.listed, look, lambda: deletion.create(azure))
        await them.member("ada").call(deletion.tool, **deletion.arguments)
    return watched


@Sweep("deletion", DELETIONS, ids=lambda one: one.name, every=3)
async def test_what_is_created_below_meanwhile_is_never_deleted_unseen(deletion: Deletion) -> None:
    undisturbed = await played(deletion, 0)
    assert undisturbed.is_deleted
    assert undisturbed.looks >= 2
    for look in range(1, undisturbed.looks + 1):
        assert not (await played(deletion, look)).is_deleted, look
