"""Somebody of some roles who calls the tools of documents, over what a documents file names."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.connection import DevOpsConnection
from clients.azure_devops.organization import Organization
from clients.files import Files
from clients.folder_storage import FolderStorage
from clients.storage import Storage
from documents.keeping.sync import DocumentsReport
from documents.library import DocumentsLibrary
from documents.sources_file import sources_in
from identity import caller as identity
from identity.caller import CallerKind
from identity.door import open_door
from identity.roles import Roles
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from mcp_server.visit import Means
from settings import Settings
from tests.fakes.azure_devops.service import Elsewhere
from tests.fakes.documents.devops import OWN, FakeDocs
from tests.fakes.opened import Opened
from tests.mcp_server.caller import Caller, Json
from tests.tools.azure_devops.calling import CLOUD, UNASKED
from tests.tools.everything import EVERYTHING
from tools import documents
from tools.azure_devops import TOOLSETS as OF_DEVOPS
from tools.azure_devops.access import AZURE_DEVOPS, AzureDevOpsAccess, OrganizationRequest
from tools.azure_devops.provider import access as devops_access
from tools.azure_devops.settings import AzureDevOpsSettings
from tools.documents.access import DOCUMENTS, DocumentsAccess
from tools.documents.opening import opened
from tools.key import Key
from tools.provider import Supplies

_CATALOG: Final = Catalog([documents.toolset, *OF_DEVOPS], frozenset())
_NAMES: Final = {one.name: [tool.name for tool in one.tools] for one in (documents.toolset, *OF_DEVOPS)}
_NO_FILES: Final = cast("Files", None)


class ByHeader:
    """Believes who a header says it is."""

    async def caller(self, headers: Mapping[str, str]) -> identity.Caller:
        told = json.loads(headers["x-claims"])
        return identity.Caller(CallerKind.USER, "t", told["oid"], roles=frozenset(told["roles"]))


@dataclass(frozen=True)
class Rules:
    """What the settings lock this server in to, and how far each role reaches."""

    roles: Roles
    settings: AzureDevOpsSettings

    @classmethod
    def of(cls, roles: str, **settings: str) -> Rules:
        given = {"ADO_ORG_URL": CLOUD, **settings}
        return cls(
            Roles.read(roles, "roles.yaml", _NAMES),
            Settings.from_environment(given, [AzureDevOpsSettings]).of(AzureDevOpsSettings),
        )


class _Tokens:
    """Each person's token is their name."""

    async def authorization(self, caller: identity.Caller, _scope: str) -> str:
        return f"Bearer {caller.subject}"

    async def own_authorization(self, _scope: str) -> str:
        return f"Bearer {OWN}"


@dataclass
class World:
    library: DocumentsLibrary
    devops: FakeDocs
    endpoint: Endpoint

    def person(self, name: str = "ada", *roles: str) -> Caller:
        return Caller(self.endpoint, "all", {"x-claims": json.dumps({"oid": name, "roles": roles})})

    async def read(self, seconds: float = 60.0) -> DocumentsReport:
        return await self.library.refresh(seconds)


@asynccontextmanager
async def world(
    folder: Path,
    file: str,
    devops: FakeDocs | None = None,
    storage: Storage | None = None,
    files: Mapping[str, Files] | None = None,
    rules: Rules | None = None,
) -> AsyncIterator[World]:
    """What a documents file names, with an Azure DevOps in which each person has the token of their name."""
    fake, declared = devops or FakeDocs(), sources_in(file, "documents.yaml")
    async with AsyncExitStack() as closing:
        url = await closing.enter_async_context(fake.serving())
        if rules:
            supplies = Supplies(lambda: cast("Any", _Tokens()), cast("Any", None), cast("Any", None))
            access = await closing.enter_async_context(devops_access(rules.settings, supplies, Elsewhere(url)))
        else:
            connection = await closing.enter_async_context(DevOpsConnection(transport=Elsewhere(url)))
            access = _unbounded(connection)
        kept = storage or FolderStorage(folder / "kept")
        supplies = replace(
            Supplies(cast("Any", None), lambda _purpose: kept, cast("Any", None)),
            files=lambda container: (files or {}).get(container, _NO_FILES),
            opened=Opened({AZURE_DEVOPS: access}).get,
        )
        library = await closing.enter_async_context(opened(declared, supplies))
        by_provider: dict[Key[Any], Any] = {AZURE_DEVOPS: access, DOCUMENTS: DocumentsAccess(library)}
        server = McpServer(ServerInfo("t", "T", "1", "T."), lambda: nullcontext(Opened(by_provider)), [])
        entrance = replace(open_door(EVERYTHING), sign_in=ByHeader())
        if rules:
            entrance = replace(entrance, grants_of=rules.roles.grants_of)
        reception = Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS), entrance)
        means = Means(lambda: UNASKED, cast("Any", None))
        endpoint = Endpoint(server, Catalogs(_CATALOG), reception, means=means)
        yield World(library, fake, endpoint)


def _unbounded(connection: DevOpsConnection) -> AzureDevOpsAccess:
    """As it is where neither settings nor roles name projects."""

    def client_of(token: str) -> AzureDevOps:
        return AzureDevOps(connection, Organization.at(CLOUD), partial(_authorized, token))

    return AzureDevOpsAccess(_client(client_of), own=lambda _organization: client_of(OWN))


def _client(client_of: Any) -> Any:
    return lambda asked: client_of(cast("OrganizationRequest", asked).caller.subject)


async def _authorized(token: str) -> str:
    await asyncio.sleep(0)
    return f"Bearer {token}"


async def answer(who: Caller, tool: str, /, **arguments: Json) -> Json:
    result = await who.call(tool, **arguments)
    assert not result.get("isError"), result
    return result["structuredContent"]


def written(folder: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder
