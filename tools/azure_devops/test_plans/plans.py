"""Lists test plans, suites, cases, runs and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import SKIP, ByToken, ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, many, one, present, shape
from tools.azure_devops.shared.parameters import MOST_RESULTS, Detail, MaxResults, Project

part = Part()

SUITES: Final = "/{project}/_apis/testplan/Plans/{planId}/suites"
CASES: Final = "/{project}/_apis/testplan/Plans/{planId}/Suites/{suiteId}/TestCase"
RESULTS: Final = "/{project}/_apis/test/Runs/{runId}/results"
# The API does not accept a page size for these lists.
_UNSIZED: Final = ByToken(top=None)
_FIELDS: Final = {"state": "System.State", "priority": "Microsoft.VSTS.Common.Priority"}

PLAN: Final = shape(
    "id", "name", "state", "description", "iteration", "owner",
    area="areaPath", start="startDate", end="endDate", rootSuite="rootSuite.id",
)  # fmt: skip
SUITE: Final = shape(
    "id", "name", type="suiteType", parent="parentSuite.id", requirement="requirementId", query="queryString"
)
_POINT: Final = shape("id", "tester", configuration="configurationName")
_RUN: Final = shape(
    "id", "name", "state", "owner", "totalTests", "passedTests", "incompleteTests",
    plan="plan.id", automated="isAutomated", start="startedDate", end="completedDate", link="webAccessUrl",
)  # fmt: skip
_RESULT: Final = shape(
    "id", "outcome", "state", "comment",
    test="testCase.name", case="testCase.id", point="testPoint.id",
    error="errorMessage", ms="durationInMs", by="runBy", bugs="associatedBugs",
)  # fmt: skip

PlanId = Annotated[int, Field(ge=1, description="Its id")]
SuiteId = Annotated[int, Field(ge=1, description="Test suite id")]
RunState = Literal["unspecified", "notStarted", "inProgress", "completed", "aborted", "waiting"]


@part.tool(Access.READ, harmless=("project",))
async def list_test_plans(
    devops: DevOps,
    project: Project = None,
    owner: Annotated[str | None, Field(description="Name or id")] = None,
    includePlanDetails: Annotated[bool, Field(description="Include owner and dates")] = False,
    maxResults: MaxResults = 50,
) -> Json:
    """List test plans."""
    query = {"owner": owner, "includePlanDetails": includePlanDetails}
    request = DevOpsRequest("GET /{project}/_apis/testplan/plans", {"project": devops.project(project)}, query)
    return many(await devops.page(request, _UNSIZED, maxResults), PLAN)


@part.tool(Access.READ, harmless=("project", "planId"))
async def get_test_plan(devops: DevOps, planId: PlanId, project: Project = None, detail: Detail = "summary") -> Json:
    """Get a test plan."""
    place = {"project": devops.project(project), "planId": planId}
    return one(await devops.json(DevOpsRequest("GET /{project}/_apis/testplan/plans/{planId}", place)), PLAN, detail)


@part.tool(Access.READ, harmless=("project", "planId"))
async def list_test_suites(
    devops: DevOps, planId: PlanId, project: Project = None, maxResults: MaxResults = 100
) -> Json:
    """List the suites of a test plan with their parents."""
    request = DevOpsRequest(f"GET {SUITES}", {"project": devops.project(project), "planId": planId})
    return many(await devops.page(request, _UNSIZED, maxResults), SUITE)


@part.tool(Access.READ, harmless=("project", "planId", "suiteId"))
async def get_test_suite(
    devops: DevOps, planId: PlanId, suiteId: SuiteId, project: Project = None, detail: Detail = "summary"
) -> Json:
    """Get a test suite and its child suites."""
    place = {"project": devops.project(project), "planId": planId, "suiteId": suiteId}
    suite = await devops.json(DevOpsRequest(f"GET {SUITES}/{{suiteId}}", place, {"expand": "children"}))
    children = None if detail == "full" else [SUITE(child) for child in suite.get("children") or ()]
    return one(suite, SUITE, detail, **present({"suites": children}))


@part.tool(Access.READ, harmless=("project", "planId", "suiteId"))
async def list_test_cases(
    devops: DevOps, planId: PlanId, suiteId: SuiteId, project: Project = None, maxResults: MaxResults = 100
) -> Json:
    """List the test cases of a suite with their test points."""
    place = {"project": devops.project(project), "planId": planId, "suiteId": suiteId}
    request = DevOpsRequest(f"GET {CASES}", place, {"witFields": ",".join(_FIELDS.values())})
    return many(await devops.page(request, _UNSIZED, maxResults), shown_case)


@part.tool(Access.READ, harmless=("project", "planId", "state"))
async def list_test_runs(
    devops: DevOps,
    project: Project = None,
    planId: Annotated[int | None, Field(ge=1, description="Only runs of this plan")] = None,
    state: Annotated[RunState | None, Field(description="Only these")] = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List test runs."""
    query = {"planId": planId, "includeRunDetails": True}
    request = DevOpsRequest("GET /{project}/_apis/test/runs", {"project": devops.project(project)}, query)
    if state is None:
        return many(await devops.page(request, SKIP, maxResults), _RUN)
    # The service can filter runs by state only if the request covers one week or less.
    page = await devops.page(request, SKIP, MOST_RESULTS)
    runs = [run for run in page.items if run["state"].lower() == state.lower()]
    return many(ListPage(runs[:maxResults], page.has_more or len(runs) > maxResults), _RUN)


@part.tool(Access.READ, harmless=("project", "runId", "outcomes"))
async def get_test_results(
    devops: DevOps,
    runId: Annotated[int, Field(ge=1, description="Test run id")],
    project: Project = None,
    outcomes: Annotated[list[str] | None, Field(max_length=15, description="Such as Failed")] = None,
    maxResults: MaxResults = 100,
    detail: Detail = "summary",
) -> Json:
    """Get the results of a test run."""
    query = {"outcomes": ",".join(outcomes) if outcomes else None}
    request = DevOpsRequest(f"GET {RESULTS}", {"project": devops.project(project), "runId": runId}, query)
    return many(await devops.page(request, SKIP, maxResults), _RESULT, detail)


def shown_case(case: Mapping[str, Any]) -> Json:
    """Return a test case in a suite: its work item, its test points, and the testers of these points."""
    item = case["workItem"]
    fields = {name: value for field in item.get("workItemFields") or () for name, value in field.items()}
    named = {name: fields.get(field) for name, field in _FIELDS.items()}
    points = [_POINT(point) for point in case.get("pointAssignments") or ()]
    return present({"id": item["id"], "title": item.get("name"), **named, "points": points})
