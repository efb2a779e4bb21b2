"""Without a default, the project is found by what only one project has, or those that there are are named."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.connection import DevOpsConnection
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.organization import Organization
from refusal import Refusal
from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import authorize
from tests.tools.azure_devops.given import given
from tests.tools.azure_devops.reaching import ADDRESS, reaching

pytestmark = pytest.mark.anyio


@pytest.fixture
def service() -> FakeAzureDevOps:
    service = FakeAzureDevOps()
    service.projects.names = ["Web", "Depot"]
    service.git.add("Web", "oven", {"/a.txt": b"plain"})
    service.git.add("Depot", "crane", {"/b.txt": b"steel"})
    for project in service.projects.names:
        service.git.add(project, "docs", {"/c.txt": b"paper"})
    service.wikis.add("Depot.wiki", "/Cranes", "How to lift")
    return service


@pytest.fixture
async def caller(service: FakeAzureDevOps) -> AsyncIterator[Caller]:
    async with service.serving() as url, reaching(Elsewhere(url)) as someone:
        yield someone


async def test_a_repository_of_one_project_is_found_by_its_name(caller: Caller, service: FakeAzureDevOps) -> None:
    found = await given(caller, "get_file_content", repository="crane", path="/b.txt")
    assert found["content"] == "steel"
    assert service.asked[0].path == "/_apis/git/repositories"


async def test_it_is_looked_for_once(caller: Caller, service: FakeAzureDevOps) -> None:
    for _ in range(3):
        await given(caller, "get_repository", repository="oven")
    assert [seen.path for seen in service.asked].count("/_apis/git/repositories") == 1
    assert len(service.asked) == 4


async def test_a_write_finds_it_too(caller: Caller, service: FakeAzureDevOps) -> None:
    await given(caller, "create_branch", repository="crane", name="boom")
    assert "refs/heads/boom" in service.git.repositories[1].refs


async def test_a_name_of_several_projects_is_told_with_them(caller: Caller, service: FakeAzureDevOps) -> None:
    assert "'docs': Web, Depot. Pass `project`." in await caller.told("list_branches", repository="docs")
    assert "Repository 'attic' not found in any project you can access" in await caller.told(
        "list_branches", repository="attic"
    )
    assert all(seen.method == "GET" and "docs" not in seen.path for seen in service.asked)


async def test_a_wiki_of_one_project_is_found_by_its_name(caller: Caller) -> None:
    page = await given(caller, "get_wiki_page", wikiId="Depot.wiki", path="/Cranes")
    assert page["content"] == "How to lift"
    assert "'Docs': Web, Depot" in await caller.told("get_wiki", wikiId="Docs")


async def test_a_build_is_found_by_its_number(service: FakeAzureDevOps) -> None:
    service.projects.names = ["Web"]
    pipeline = service.builds.define("Web", "Nightly")
    async with service.serving() as url, reaching(Elsewhere(url)) as caller:
        build = await given(caller, "queue_build", definitionId=pipeline, project="Web")
        assert (await given(caller, "get_build", buildId=build["id"]))["pipeline"] == "Nightly"


async def test_what_tells_nothing_is_answered_with_the_projects(caller: Caller) -> None:
    assert "Projects: Web, Depot." in await caller.told("list_teams")
    assert "Projects: Web, Depot." in await caller.told("list_builds")


async def test_only_projects_within_reach_are_named(service: FakeAzureDevOps) -> None:
    async with service.serving() as url, reaching(Elsewhere(url), ADO_ALLOWED_PROJECTS="Web,Attic") as caller:
        told = await caller.told("list_teams")
        assert "Projects: Web." in told
        assert "Depot" not in told
        assert (await given(caller, "list_branches", repository="docs"))["count"] == 1


async def test_the_only_project_within_reach_is_the_default(service: FakeAzureDevOps) -> None:
    roles = "roles:\n  Guest:\n    all: read\n    reach: {projects: [Depot]}\n"
    async with service.serving() as url, reaching(Elsewhere(url), roles=roles, ADO_PROJECT="Web") as caller:
        assert (await given(caller, "list_teams"))["items"][0]["name"] == "Depot Team"


async def test_many_projects_are_named_up_to_a_bound(service: FakeAzureDevOps, caller: Caller) -> None:
    service.projects.names = [f"Project {number}" for number in range(200)]
    told = await caller.told("list_teams")
    assert "Project 29, and more. list_projects lists the projects." in told
    assert "Project 30" not in told


async def test_no_tool_says_that_there_is_a_default(caller: Caller) -> None:
    tools = (await caller.result("tools/list"))["tools"]
    described = {tool["inputSchema"]["properties"].get("project", {}).get("description") for tool in tools}
    assert not [text for text in described if "default" in str(text)]


async def test_what_stands_for_the_project_is_sent_nowhere(service: FakeAzureDevOps) -> None:
    async with service.serving() as url, DevOpsConnection(transport=Elsewhere(url)) as connection:
        devops = AzureDevOps(connection, Organization.at(ADDRESS), authorize)
        unnamed = devops.project(None)
        for request in (
            DevOpsRequest("GET /_apis/projects", query={"project": unnamed}),
            DevOpsRequest("POST /_apis/wit/wiql", body={"query": f"'{unnamed}'"}, is_read=True),
            DevOpsRequest("GET /{project}/_apis/wit/queries", {"project": unnamed}),
        ):
            with pytest.raises(Refusal, match="Projects: Web, Depot"):
                await devops.json(request)
    assert {seen.path for seen in service.asked} == {"/_apis/projects"}
