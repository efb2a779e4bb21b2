"""A template that is a file of Azure DevOps is deployed as it was when it was shown."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, cast

from changes.rules import Rules
from changes.rules_file import rules_in
from clients.azure.cloud import cloud_named
from clients.folder_storage import FolderStorage
from identity.roles import Roles
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer
from mcp_server.visit import Means
from tests.changes.yard import door_of
from tests.fakes.azure.people import OWNER
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.fakes.opened import Opened
from tests.fakes.transport import HastyTransport
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving
from tests.tools.azure.calling import INFO, SignedIn
from tests.tools.azure.deploying.templates import SHOP, template, vault
from tests.tools.azure.inventing import NAME
from tests.tools.azure.team import Team
from tools import TOOLSETS
from tools.azure.access import AZURE
from tools.azure.provider import access as azure_access
from tools.azure.settings import AzureSettings
from tools.azure_devops.access import AZURE_DEVOPS
from tools.azure_devops.provider import access as devops_access
from tools.azure_devops.settings import AzureDevOpsSettings
from tools.provider import Supplies

FILE: Final = {"repository": "shop", "project": "Web", "path": "/infra/shop.json"}
CALL: Final[dict[str, Any]] = {"resource_group": "shop-prod", "subscription": NAME, "template_file": FILE}
EVERYTHING: Final = {"all": "destroy"}
AZURE_ALONE: Final = {"resource-changes": "destroy"}


@asynccontextmanager
async def team(azure: FakeAzure, devops: FakeAzureDevOps, grants: dict[str, str]) -> AsyncIterator[Team]:
    """A deployment that has Azure and Azure DevOps, whose workers have these grants."""
    names = {toolset.name: [tool.name for tool in toolset.tools] for toolset in TOOLSETS}
    text = json.dumps({"roles": {"Worker": grants}})
    roles = Roles.read(text, "roles.yaml", names)
    rules = Rules(rules_in(text, "roles.yaml", names, roles.roles))
    approvals = approving(rules=rules, by_argument=False, grants_of=roles.grants_of, has_to_ask=roles.has_to_ask)
    upstream = cast("Any", SignedIn(OWNER.token))
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(azure.serving())
        place = await stack.enter_async_context(devops.serving())
        supplies = Supplies(
            lambda: upstream, lambda purpose: FolderStorage(Path() / purpose), cast("Any", None), cloud_named(url)
        )
        own, theirs = AzureSettings(subscription=NAME), AzureDevOpsSettings(url="https://dev.azure.com/acme")
        opened: dict[Any, Any] = {
            AZURE: await stack.enter_async_context(azure_access(own, supplies, HastyTransport())),
            AZURE_DEVOPS: await stack.enter_async_context(devops_access(theirs, supplies, Elsewhere(place))),
        }
        server = McpServer(INFO, lambda: nullcontext(Opened(opened)), [])
        reception = Reception(Gate.of(LOCAL_HOSTS, LOCAL_ORIGINS), door_of(roles))
        means = Means(lambda: approvals)
        yield Team(
            Caller(Endpoint(server, Catalogs(Catalog(TOOLSETS, frozenset())), reception, means=means), "all"), approvals
        )


def keep(devops: FakeAzureDevOps, document: dict[str, Any]) -> None:
    """Put a template into the repository, on top of what is there."""
    found = [one for one in devops.git.repositories if one.name == "shop"]
    shop = found[0] if found else devops.git.add("Web", "shop", {"/README.md": b"# Shop\n"})
    before = shop.refs["refs/heads/main"]
    tree = {**shop.tree(before), FILE["path"]: json.dumps(document).encode()}
    assert shop.move("refs/heads/main", before, shop.commit(tree, [before], "Bake", "Ada Byron"), "Ada Byron")


def deployed(azure: FakeAzure) -> Sequence[str]:
    return azure.deployments.puts


async def test_a_file_of_a_repository_is_shown_agreed_to_and_deployed() -> None:
    azure, devops = FakeAzure(), FakeAzureDevOps()
    keep(devops, SHOP)
    async with team(azure, devops, EVERYTHING) as group:
        ada = group.member("ada")
        words = await ada.told("deploy_template", **CALL)
        shown = await group.shown(words)
        assert str(shown.facts["template"]).startswith("/infra/shop.json of shop (sha256 ")
        assert shown.facts["creates"] == 1
        await group.decides("ada", words)
        result = await ada.call("deploy_template", **CALL)
        assert result["structuredContent"]["status"] == "done", result
    assert len(deployed(azure)) == 1


async def test_a_file_that_was_changed_since_it_was_shown_is_not_deployed() -> None:
    azure, devops = FakeAzure(), FakeAzureDevOps()
    keep(devops, SHOP)
    async with team(azure, devops, EVERYTHING) as group:
        ada = group.member("ada")
        await group.decides("ada", await ada.told("deploy_template", **CALL))
        keep(devops, template(vault()))
        assert "a different effect than the preview" in await ada.told("deploy_template", **CALL)
    assert deployed(azure) == []


async def test_a_file_that_is_not_there_or_no_template_is_told_and_nobody_is_asked() -> None:
    azure, devops = FakeAzure(), FakeAzureDevOps()
    keep(devops, SHOP)
    async with team(azure, devops, EVERYTHING) as group:
        ada = group.member("ada")
        for path, said in {"/infra/gone.json": "gone.json", "/README.md": "is not JSON"}.items():
            words = await ada.told("deploy_template", **{**CALL, "template_file": {**FILE, "path": path}})
            assert said in words
            assert "/changes/" not in words


async def test_who_may_not_read_the_repository_deploys_nothing_from_it() -> None:
    azure, devops = FakeAzure(), FakeAzureDevOps()
    keep(devops, SHOP)
    async with team(azure, devops, AZURE_ALONE) as group:
        assert "cannot read files from Azure DevOps" in await group.member("ada").told("deploy_template", **CALL)
    assert deployed(azure) == []
