"""Several organizations in one deployment."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from refusal import Refusal
from settings import Settings
from tests.fakes.azure_devops.service import CLOUD, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving
from tests.tools.azure_devops.given import given
from tests.tools.azure_devops.reaching import Apart, reaching
from tools.azure_devops.provider import provider
from tools.azure_devops.settings import AzureDevOpsSettings

pytestmark = pytest.mark.anyio

BOTH = f"https://{CLOUD}/acme,https://{CLOUD}/beta"
ONE, OTHER = "a" * 52, "b" * 52


@pytest.fixture
def acme() -> FakeAzureDevOps:
    return FakeAzureDevOps()


@pytest.fixture
def beta() -> FakeAzureDevOps:
    service = FakeAzureDevOps()
    service.projects.names = ["Depot"]
    return service


@asynccontextmanager
async def both(acme: FakeAzureDevOps, beta: FakeAzureDevOps, **more: Any) -> AsyncIterator[Caller]:
    async with acme.serving() as one, beta.serving() as other:
        transport = Apart({"acme": one, "beta": other})
        async with reaching(transport, **{"ADO_ORG_URL": BOTH, "ADO_PAT": f"{ONE},{OTHER}"} | more) as caller:
            yield caller


def names(result: Any) -> list[str]:
    return [entry["name"] for entry in result["items"]]


async def test_the_first_is_the_default_and_others_are_named(acme: FakeAzureDevOps, beta: FakeAzureDevOps) -> None:
    async with both(acme, beta) as caller:
        assert names(await given(caller, "list_projects")) == ["Web", "Shop floor"]
        assert names(await given(caller, "list_projects", organization="BETA")) == ["Depot"]


async def test_an_unknown_one_is_told_with_those_there_are(acme: FakeAzureDevOps, beta: FakeAzureDevOps) -> None:
    async with both(acme, beta) as caller:
        assert "acme, beta" in await caller.told("list_projects", organization="gamma")
    assert acme.asked == beta.asked == []


async def test_no_organization_gets_the_token_of_another(acme: FakeAzureDevOps, beta: FakeAzureDevOps) -> None:
    async with both(acme, beta) as caller:
        await given(caller, "list_projects")
        await given(caller, "list_projects", organization="beta")
    for service, token in ((acme, ONE), (beta, OTHER)):
        assert {seen.headers["Authorization"] for seen in service.asked} == {
            f"Basic {b64encode(f':{token}'.encode()).decode()}"
        }


async def test_the_default_project_is_one_of_the_first_organization(
    acme: FakeAzureDevOps, beta: FakeAzureDevOps
) -> None:
    async with both(acme, beta, ADO_PROJECT="Web") as caller:
        await given(caller, "list_teams")
        assert "Projects: Depot." in await caller.told("list_teams", organization="beta")


async def test_what_one_organization_speaks_is_not_taken_for_another(
    acme: FakeAzureDevOps, beta: FakeAzureDevOps
) -> None:
    acme.newest = "6.0"
    async with both(acme, beta) as caller:
        await given(caller, "list_projects")
        await given(caller, "list_projects", organization="beta")
    assert [seen.query["api-version"] for seen in beta.asked] == ["7.1"]


async def test_consent_is_for_the_organization_that_is_told(acme: FakeAzureDevOps, beta: FakeAzureDevOps) -> None:
    acme.work_items.add("Web", "Bug", "Stuck door")
    beta.work_items.add("Depot", "Bug", "Open gate")
    async with both(acme, beta, approvals=approving()) as caller:
        told = await caller.told("delete_work_item", id=1, organization="beta")
        assert "Delete Bug 1: Open gate. This change deletes or overwrites data.\n- organization: beta\n" in told
        assert (
            "Delete Bug 1: Stuck door. This change deletes or overwrites data.\n- organization: acme\n"
            in await caller.told("delete_work_item", id=1, organization="acme")
        )


async def listed(caller: Caller) -> dict[str, Any]:
    return {tool["name"]: tool["inputSchema"] for tool in (await caller.result("tools/list"))["tools"]}


async def test_only_where_there_are_several_a_tool_takes_one(acme: FakeAzureDevOps, beta: FakeAzureDevOps) -> None:
    async with both(acme, beta) as caller:
        schemas = await listed(caller)
        assert all("organization" in schema["properties"] for schema in schemas.values())
    async with acme.serving() as url, reaching(Apart({"acme": url})) as caller:
        schemas = await listed(caller)
        assert not any("organization" in schema["properties"] for schema in schemas.values())
        assert "organization" in await caller.told("list_projects", organization="acme")


async def test_a_role_may_be_of_one_organization_only(acme: FakeAzureDevOps, beta: FakeAzureDevOps) -> None:
    roles = "roles:\n  Guest:\n    all: read\n    reach: {organizations: [beta]}\n"
    async with both(acme, beta, roles=roles) as caller:
        assert names(await given(caller, "list_projects")) == ["Depot"]
        told = await caller.told("list_projects", organization="acme")
    assert acme.asked == []
    assert "beta" in told
    assert "acme" not in told


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"ADO_ORG_URL": BOTH, "ADO_PAT": ONE}, r"each organization in ADO_ORG_URL \(2\), but has 1"),
        ({"ADO_ORG_URL": f"{BOTH},https://acme.visualstudio.com"}, "lists an organization twice"),
        ({"ADO_ORG_URL": f"{BOTH},"}, "ADO_ORG_URL is not valid: an address is missing"),
        ({"ADO_ORG_URL": f"{BOTH},https://tfs.example.com/tfs/A", "ADO_PAT": f"{ONE},,"}, "ADO_PAT is missing"),
        ({"ADO_ORG_URL": BOTH, "ADO_ALLOWED_PROJECTS": "a/b/c"}, "ADO_ALLOWED_PROJECTS is not valid: a name can"),
        ({"ADO_ORG_URL": BOTH, "ADO_ALLOWED_PROJECTS": "Web,,"}, "ADO_ALLOWED_PROJECTS is not valid: a name is miss"),
        ({"ADO_ORG_URL": BOTH, "ADO_ALLOWED_PROJECTS": "Web", "ADO_PROJECT": "Depot"}, "The project in ADO_PROJECT"),
    ],
)
def test_settings_that_cannot_be_right_are_told_at_the_start(settings: dict[str, str], told: str) -> None:
    with pytest.raises(Refusal, match=told):
        provider.check(Settings.from_environment(settings, [AzureDevOpsSettings]).of(AzureDevOpsSettings))
