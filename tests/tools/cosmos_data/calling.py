"""Calling the tools for records over MCP, as somebody of a tenant."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast
from uuid import uuid4

from azure.cosmos import PartitionKey
from azure.cosmos.aio import CosmosClient

from changes.approvals import Approvals
from changes.rules import Rules
from identity import caller as identity
from identity.caller import CallerKind
from identity.claims import values_of
from identity.door import open_door
from identity.grants import Grants
from identity.tenants import Tenants
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.catalog.narrowing import confirmed
from mcp_server.declarations.toolset import Toolset
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from mcp_server.visit import Means
from tests.fakes.cosmos_data.peer import KEY, Door, door_before_the_peer
from tests.fakes.opened import Opened
from tests.mcp_server.caller import Caller, Json
from tests.tools.everything import EVERYTHING
from tools.cosmos_data import toolset
from tools.cosmos_data.key import RECORDS
from tools.cosmos_data.provider import open_records
from tools.cosmos_data.settings import CosmosDataSettings
from tools.key import Key
from tools.provider import Supplies
from tools.vocabulary import VOCABULARY

MINE, THEIRS, MY_ID = "contoso", "fabrikam", "ada"
UNASKED: Final = Approvals(rules=Rules(waived=[toolset.name]))
_INFO: Final = ServerInfo("calling", "Calling", "1", "Calling tools.")
_TENANTS: Final = Tenants(claim="customer", across=frozenset({"Support"}), roles={"Of both": THEIRS})
_PATHS: Final = {"prod-data": ["/tenantId"], "orders": ["/tenantId", "/region"], "stray": ["/region"]}


class ByHeader:
    """Believes the claims that stand in a header."""

    async def caller(self, headers: Mapping[str, str]) -> identity.Caller:
        told = json.loads(headers["x-claims"])
        claims = values_of({name: value for name, value in told.items() if name != "roles"})
        roles = frozenset(told.get("roles", []))
        return identity.Caller(CallerKind.USER, "t", told["oid"], roles=roles, claims=claims)


@dataclass(frozen=True)
class Team:
    """What is offered to whom, beside records."""

    toolsets: Sequence[Toolset] = (toolset,)
    opened: Mapping[Key[Any], Any] = field(default_factory=dict)
    grants_of: Callable[[identity.Caller], Grants] = lambda _: EVERYTHING


RECORDS_ALONE: Final = Team()


@dataclass(frozen=True)
class Office:
    door: Door
    somebody: Caller
    database: Any

    def person(self, tenant: str = MINE, *roles: str, oid: str = MY_ID) -> Caller:
        claims: Json = {"oid": oid, "roles": roles, **({"customer": tenant} if tenant else {})}
        return replace(self.somebody, headers={"x-claims": json.dumps(claims)})

    async def put(self, *documents: Json, container: str = "prod-data") -> None:
        for document in documents:
            await self.database.get_container_client(container).create_item(document)
        self.door.sent.clear()


@asynccontextmanager
async def office(approvals: Approvals = UNASKED, team: Team = RECORDS_ALONE, **settings: Any) -> AsyncIterator[Office]:
    name = f"shop-{uuid4().hex[:8]}"
    async with door_before_the_peer() as door, CosmosClient(door.url, KEY, enable_endpoint_discovery=False) as client:
        database = await client.create_database(name)
        for container, paths in _PATHS.items():
            kind: Json = {"path": paths[0]} if len(paths) == 1 else {"path": paths, "kind": "MultiHash"}
            await database.create_container(container, PartitionKey(**kind))
        usual = {"containers": tuple((one, "/tenantId") for one in _PATHS), "key": KEY}
        given = CosmosDataSettings(endpoint=door.url, database=name, **{**usual, **settings})
        supplies = Supplies(lambda: cast("Any", None), cast("Any", None), cast("Any", None))
        async with open_records(given, supplies) as opened:
            yield Office(door, _caller(opened, approvals, team), database)


def _caller(opened: Any, approvals: Approvals, team: Team) -> Caller:
    server = McpServer(_INFO, lambda: nullcontext(Opened({RECORDS: opened, **team.opened})), [])
    entrance = replace(open_door(EVERYTHING), sign_in=ByHeader(), tenants=_TENANTS, grants_of=team.grants_of)
    reception = Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS), entrance)
    offered = [confirmed(one) if approvals.by_argument else one for one in team.toolsets]
    catalog = Catalog(offered, frozenset(), vocabulary=VOCABULARY)
    means = Means(lambda: approvals, lambda: cast("Any", None))
    return Caller(Endpoint(server, Catalogs(catalog), reception, means=means), "all")


async def answer(who: Caller, tool: str, /, **arguments: Json) -> Json:
    result = await who.call(tool, **arguments)
    assert not result.get("isError"), result
    return result["structuredContent"]
