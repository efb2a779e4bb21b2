"""A shelf of files and of records, which people of several tenants reach over MCP and over plain HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from changes.approvals import Approvals
from clients.folder_files import FolderFiles
from identity import caller as identity
from identity.access import Access
from identity.grants import Grants
from mcp_server.http import rest_resources
from mcp_server.http.messages import HttpAnswer
from tests.mcp_server.caller import Caller, Json, post
from tests.tools.cosmos_data.calling import MINE, MY_ID, Office, Team, office
from tests.tools.everything import EVERYTHING
from tools import cosmos_data, shelves
from tools.shelves.access import FILES
from tools.shelves.file_shelf import FileShelf

_ACCESS = {access.label: access for access in Access}


def grants_by_roles(caller: identity.Caller) -> Grants:
    """What roles such as `shelves:read` or `cosmos-data/cosmos_db_insert:write` open; without one, everything."""
    lines = [role.rpartition(":") for role in caller.roles if ":" in role]
    if not lines:
        return EVERYTHING
    named = [(name.partition("/"), _ACCESS.get(level)) for name, _, level in lines]
    toolsets = [(toolset, access) for (toolset, slash, _), access in named if not slash and access is not None]
    return Grants.of(toolsets, [(toolset, tool, access) for (toolset, slash, tool), access in named if slash])


@dataclass(frozen=True)
class Person:
    mcp: Caller

    async def http(
        self, method: str, uri: str = "", body: bytes = b"", query: str = "", path: str = "", **headers: str
    ) -> HttpAnswer:
        """Ask for a resource by its address, in the query or, where it is given, by the path."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = replace(
            post(body, {"content-type": "application/json", **self.mcp.headers, **named}),
            method=method,
            path=f"/resources/{path}" if path else "/resources",
            query="&".join(filter(None, [f"uri={quote(uri, safe='')}" if uri else "", query])),
        )
        return await rest_resources.answer_resources(self.mcp.endpoint, request)

    async def does(self, tool: str, **arguments: Json) -> Json:
        result = await self.mcp.call(tool, **arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    async def listed(self, prefix: str = "") -> list[Json]:
        """All pages of the list."""
        found, cursor = [], ""
        while True:
            page = await self.does("list_shelf", prefix=prefix, cursor=cursor)
            found += page["resources"]
            cursor = page.get("next", "")
            if not cursor:
                return found


@dataclass(frozen=True)
class Archive:
    office: Office
    files: FolderFiles

    def person(self, tenant: str = MINE, *roles: str, oid: str = MY_ID) -> Person:
        return Person(self.office.person(tenant, *roles, oid=oid))

    @property
    def door(self) -> Any:
        return self.office.door

    async def put(self, *documents: Json, container: str = "prod-data") -> None:
        await self.office.put(*documents, container=container)

    async def records(self, container: str = "prod-data") -> Mapping[tuple[str, str], Json]:
        """All that there is, whosever it is, by tenant and id."""
        seen = [*self.door.sent]
        there = self.office.database.get_container_client(container).read_all_items()
        own = {(one["tenantId"], one["id"]): one async for one in there}
        self.door.sent[:] = seen
        return own


@asynccontextmanager
async def archive(
    folder: Path, approvals: Approvals, grants_of: Callable[[identity.Caller], Grants] = grants_by_roles
) -> AsyncIterator[Archive]:
    kept = FolderFiles(folder)
    team = Team((shelves.toolset, cosmos_data.toolset), {FILES: FileShelf(kept)}, grants_of)
    async with office(approvals, team) as there:
        yield Archive(there, kept)


def document(answer: HttpAnswer) -> Json:
    return json.loads(answer.body)
