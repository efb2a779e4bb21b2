"""With access to one repository, no tool tells anything of another repository of the same project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from clients.azure_devops.confinement.allowed_routes import refuse_unconfined, resource_of
from clients.azure_devops.confinement.confined import ConfinedDevOps
from clients.azure_devops.confinement.repository_routes import ALLOWED
from clients.azure_devops.connection import DevOpsConnection
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.organization import Organization
from clients.azure_devops.reach import DevOpsReach, ReachLock
from identity.access import Access
from mcp_server.declarations.toolset import Tool
from refusal import Refusal
from tests.fakes.azure_devops.routes import route
from tests.fakes.azure_devops.service import Elsewhere
from tests.tools.azure_devops.calling import TOOLS
from tests.tools.azure_devops.golden import cases
from tests.tools.azure_devops.neighbours import MARK, OVEN, Neighbours
from tests.tools.azure_devops.reaching import reaching
from tests.tools.azure_devops.trying import shown, tried

pytestmark = pytest.mark.anyio

READING: Final = [tool for tool in TOOLS if tool.access is Access.READ]
GOLDEN: Final = {case.tool: case.arguments for case in reversed(cases()) if case.answer is not None}
WIDE: Final = ("includeLogs", "includeWorkItems", "includeComments", "includeActivity", "includeCommits")
TELLING: Final = 38
# What no golden case sends: the checks of permissions and of what a request belongs to, and reads before a change.
BESIDE: Final = {
    "GET git/repositories/*/pullrequests/*/threads/*/comments/*",
    "GET test/runs/*",
    "GET wit/queries/*",
    "GET wit/workitems/*/comments/*",
    "POST security/permissionevaluationbatch",
}
# What is refused on purpose, because it cannot be limited to some repositories.
REFUSED: Final = re.compile(r"release/.*|search/wikisearchresults|test/runs.*")
UNLISTED: Final = re.compile(r"'([^']*)' cannot be limited to them")


def calls(world: Neighbours, tool: Tool) -> Iterator[dict[str, Any]]:
    """What a tool is called with: as in its golden case, and with what is there in place of that."""
    names, golden = set(tool.parameter_names), GOLDEN[tool.name]
    wide = {name: True for name in WIDE if name in names} | ({"detail": "full"} if "detail" in names else {})
    required = {name: golden[name] for name in golden.keys() & set(tool.own_schema.get("required", ()))}
    yield required | wide | ({"project": "Web"} if "project" in names else {})
    for meant in world.meant():
        there = {name: value for name, value in meant.items() if name in names}
        yield required | there
        yield golden | there | wide


async def told(world: Neighbours, tool: Tool, **settings: Any) -> list[str]:
    """The answers that tell of the other repository more than was asked, or refuse a request that is not listed."""
    different = {json.dumps(arguments, sort_keys=True): arguments for arguments in calls(world, tool)}
    found = []
    async with world.serving() as url, reaching(Elsewhere(url), **settings) as caller:
        for arguments in different.values():
            text = json.dumps(await caller.call(tool.name, **arguments), ensure_ascii=False)
            for value in arguments.values():
                text = text.replace(value, "") if isinstance(value, str) else text
            is_unlisted = any(not REFUSED.fullmatch(one) for one in UNLISTED.findall(text))
            is_wrong = MARK in text or world.door.id in text or is_unlisted
            found += [f"{tool.name} {arguments}: {text}"] if is_wrong else []
    return found


@pytest.mark.parametrize("tool", READING, ids=lambda tool: tool.name)
async def test_no_tool_tells_anything_of_another_repository_or_asks_for_what_nobody_has_listed(tool: Tool) -> None:
    assert await told(Neighbours(), tool, **OVEN) == []


async def test_without_a_limit_these_tools_tell_of_both_repositories() -> None:
    assert len([tool for tool in READING if await told(Neighbours(), tool)]) >= TELLING


async def test_what_refers_to_builds_within_reach_is_all_there() -> None:
    world = Neighbours()
    del world.builds.builds[world.last_run]
    world.builds.builds[world.run]["triggeredByBuild"] = {"id": world.first_run}
    result = world.test_plans.results[world.results][0]
    result["failingSince"] = {"build": {"id": world.first_run, "number": "1"}, "date": "2026-05-06"}
    assert (await shown(world, "get_pipeline", OVEN, pipelineId=world.pipeline))["latest"]["id"] == world.run
    build = await shown(world, "get_build", OVEN, buildId=world.run, detail="full")
    assert build["triggeredByBuild"] == {"id": world.first_run}
    failed = await shown(world, "list_failed_tests", OVEN, buildId=world.run)
    assert failed["items"][0]["failingSince"]["buildId"] == world.first_run
    assert [entry["id"] for entry in (await shown(world, "list_build_changes", OVEN, buildId=world.run))["items"]]
    assert (await shown(world, "list_pull_request_policies", OVEN, repository="oven", pullRequestId=1))["count"] == 0


async def test_a_pipeline_is_not_written_without_the_triggers_that_are_not_shown() -> None:
    world = Neighbours()
    arguments = {"pipelineId": world.pipeline, "name": "Newer", "project": "Web"}
    result, text = await tried(world, "rename_pipeline", arguments, **OVEN)
    assert result["isError"]
    assert "would remove these references" in text
    assert world.builds.definitions[world.pipeline]["triggers"]


@pytest.mark.parametrize("project", ["Web", "*"])
async def test_a_count_tells_nothing_of_files_on_later_pages(project: str) -> None:
    world, counts = Neighbours(), []
    for others in ({}, {world.door.name: {f"/{number}.txt": "words" for number in range(9)}}):
        world.search.others = others
        about = {"searchText": "words", "project": project}
        counts.append([await shown(world, "search_code", OVEN, maxResults=most, **about) for most in (1, 5)])
    assert counts[0] == counts[1]
    assert [("total" in found, "more" in found) for found in counts[0]] == [(False, True), (False, False)]


async def confined(world: Neighbours, request: DevOpsRequest) -> Any:
    """What a tool is answered if it sends this request."""
    reach = DevOpsReach.within(ReachLock(repositories=frozenset({"Web/oven"})))
    async with world.serving() as url, DevOpsConnection(transport=Elsewhere(url)) as connection:
        organization = Organization.at("https://dev.azure.com/acme")
        client = ConfinedDevOps(connection, organization, reach)
        return (await client.send(organization.url(request.host), request, "Basic x")).document


async def test_what_a_new_tool_asks_for_is_refused_until_somebody_lists_it() -> None:
    world = Neighbours()
    world.builds.routes += (route("GET /{project}/_apis/build/tags", lambda _: {"count": 1, "value": [MARK]}),)
    with pytest.raises(Refusal, match="restricted to some repositories, and 'build/tags' cannot be limited to them"):
        await confined(world, DevOpsRequest("GET /{project}/_apis/build/tags", {"project": "Web"}))
    assert not [seen for seen in world.asked if "tags" in seen.path]


@pytest.mark.parametrize(
    "line",
    [
        "GET /{project}/_apis/build/tags",
        "GET /{project}/_apis/build/builds/{id}/tags",
        "GET /{project}/_apis/build/builds/{id}/report",
        "DELETE /{project}/_apis/build/builds/{id}",
        "POST /{project}/_apis/build/definitions",
        "GET /{project}/_apis/build/folders",
        "GET /{project}/_apis/build/status/{name}",
        "GET /{project}/_apis/git/favorites/refs",
        "GET /{project}/_apis/git/deletedrepositories",
        "GET /{project}/_apis/git/repositories/{id}/forks/{collection}",
        "GET /{project}/_apis/git/repositories/door/items",
        "GET /{project}/_apis/pipelines",
        "GET /{project}/_apis/pipelines/{id}",
        "GET /{project}/_apis/pipelines/{id}/runs",
        "GET /{project}/_apis/pipelines/checks/configurations",
        "GET /{project}/_apis/policy/types",
        "GET /{project}/_apis/policy/configurations/{id}/revisions",
        "GET /{project}/_apis/test/runs/{id}/attachments",
        "GET /{project}/_apis/testplan/plans/{id}/history",
        "GET /{project}/_apis/testresults/metrics",
        "GET /{project}/_apis/wiki/wikis/{id}/pages/{page}/stats",
        "GET /{project}/_apis/distributedtask/environments",
        "GET /{project}/_apis/hooks/subscriptions",
        "GET /{project}/_apis/audit/log",
        "POST /{project}/_apis/wit/artifacturiquery",
        "GET /{project}/{team}/_apis/build/tags",
    ],
)
def test_by_default_a_request_is_refused_under_a_limit_on_repositories(line: str) -> None:
    request = DevOpsRequest(line)
    with pytest.raises(Refusal, match=r"restricted to some repositories, and .* cannot be limited to them"):
        refuse_unconfined(request, resource_of(request), of_a_project=True, opens_repositories=False)


async def test_a_repository_in_a_path_is_checked_in_any_spelling() -> None:
    world = Neighbours()
    line = "GET /{project}/_apis/git/Repositories/{repositoryId}/refs"
    with pytest.raises(Refusal, match="Repository not found in the allowed scope"):
        await confined(world, DevOpsRequest(line, {"project": "Web", "repositoryId": world.door.id}))


async def test_the_policies_of_a_pull_request_belong_to_its_repository() -> None:
    world = Neighbours()
    world.pull_requests.approvals = 1
    artifact = f"vstfs:///CodeReview/CodeReviewId/{world.projects.id_of('Web')}/{{}}"

    def evaluations(query: dict[str, str]) -> DevOpsRequest:
        line = "GET /{project}/_apis/policy/evaluations"
        return DevOpsRequest(line, {"project": "Web"}, query, version="7.1-preview.1")

    assert (await confined(world, evaluations({"artifactId": artifact.format(1)})))["count"] == 1
    for query in ({"artifactId": artifact.format(2)}, {"artifactId": artifact.format(9)}, {}):
        with pytest.raises(Refusal, match="Not found, or outside the allowed scope"):
            await confined(world, evaluations(query))


def test_what_tools_send_is_listed_or_refused_on_purpose_and_nothing_else_is_listed() -> None:
    sent = {_resource(exchange["request"]) for case in cases() for exchange in case.exchanges}
    assert {line for line in sent - ALLOWED if not REFUSED.fullmatch(line.partition(" ")[2])} == set()
    assert ALLOWED - sent == BESIDE


def _resource(line: str) -> str:
    """The listed request that a golden case sends, or else its line with all that is behind the host."""
    method, _, path = line.partition(" ")
    sent = f"{method} {path.partition('/_apis/')[2].partition('?')[0].lower()}"
    listed = [one for one in ALLOWED if re.fullmatch(re.escape(one).replace(r"\*", "[^/]+"), sent)]
    return min(listed, key=lambda one: one.count("*"), default=sent)
