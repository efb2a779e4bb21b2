"""Creates test cases, suites and plans, and records test results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from changes.preview import Preview
from changes.undo import Undo, by_call, by_hand, never
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.work_items import fields_set
from tools.azure_devops.shared.answers import Json, answer, every, one
from tools.azure_devops.shared.iterations import iteration_path
from tools.azure_devops.shared.parameters import Area, Iteration, Priority, Project, WorkItemId
from tools.azure_devops.shared.work_item_answers import created_item, single_item
from tools.azure_devops.shared.work_item_changes import change, created, set_fields
from tools.azure_devops.shared.work_item_reading import field_of, item_with_relations
from tools.azure_devops.test_plans.case_steps import STEPS, CaseStep, shown_steps, steps_as_xml
from tools.azure_devops.test_plans.plans import (
    CASES,
    PLAN,
    RESULTS,
    SUITE,
    SUITES,
    PlanId,
    SuiteId,
    shown_case,
)

part = Part()

_CASE_TYPE = "Test Case"
_MOST_POINTS = 100

Name = Annotated[str, Field(min_length=1, description="Its name")]
Steps = Annotated[list[CaseStep], Field(max_length=200, description="In order")]


class PointResult(BaseModel):
    point: Annotated[int, Field(ge=1)]
    outcome: Literal["Passed", "Failed", "Blocked", "NotApplicable", "Inconclusive"]
    comment: Annotated[str, Field(max_length=1000)] = ""


@part.tool(Access.READ, harmless=("id",))
async def get_test_case(devops: DevOps, id: WorkItemId) -> Json:
    """Get a test case with its steps."""
    item = await item_with_relations(devops, id)
    _only_cases(id, item["fields"]["System.WorkItemType"])
    return _whole(devops, item)


@part.change(Access.WRITE, harmless=("project",), undo=never("delete it on the web, permanently"))
async def create_test_case(
    devops: DevOps,
    title: Annotated[str, Field(min_length=1, description="What is tested")],
    steps: Steps,
    project: Project = None,
    areaPath: Area = None,
    priority: Priority = None,
) -> StatedChange[Json]:
    """Create a test case that is not in any suite yet."""

    async def apply() -> Json:
        named = {"title": title, "areaPath": areaPath, "priority": priority}
        operations = set_fields(named, {STEPS: steps_as_xml(steps)})
        return _brief(devops, await created(devops, devops.project(project), _CASE_TYPE, operations), steps)

    return StatedChange(apply)


@part.change(Access.WRITE, harmless=("id",))
async def update_test_case_steps(devops: DevOps, id: WorkItemId, steps: Steps) -> Change[Json]:
    """Replace all steps of a test case."""
    _only_cases(id, await field_of(devops, id, "System.WorkItemType"))
    fields = {STEPS: steps_as_xml(steps)}

    async def preview() -> Preview:
        item = await item_with_relations(devops, id)
        return fields_set(item, fields, _written_back(id, str(item["fields"].get(STEPS) or "")))

    async def apply() -> Json:
        return _brief(devops, await change(devops, id, set_fields({}, fields)), steps)

    return PlannedChange(preview, apply)


@part.change(Access.WRITE, harmless=("project",), undo=by_hand("delete it on the web, with its suites and results"))
async def create_test_plan(
    devops: DevOps,
    name: Name,
    project: Project = None,
    areaPath: Area = None,
    iterationPath: Iteration = None,
) -> StatedChange[Json]:
    """Create a test plan."""

    async def apply() -> Json:
        where = devops.project(project)
        iteration = await iteration_path(devops, where, iterationPath)
        body, place = _present(name=name, areaPath=areaPath, iteration=iteration), {"project": where}
        return one(await devops.json(DevOpsRequest("POST /{project}/_apis/testplan/plans", place, body=body)), PLAN)

    return StatedChange(apply)


@part.change(
    Access.WRITE, harmless=("project", "planId", "parentSuiteId", "requirementId"), undo=by_hand("delete it on the web")
)
async def create_test_suite(
    devops: DevOps,
    planId: PlanId,
    name: Name,
    project: Project = None,
    parentSuiteId: Annotated[int | None, Field(ge=1, description="Default: the plan's root suite")] = None,
    requirementId: Annotated[int | None, Field(ge=1, description="Tested work item")] = None,
) -> StatedChange[Json]:
    """Create a suite in a test plan, for a requirement or for test cases that you add with add_test_cases."""

    async def apply() -> Json:
        place = {"project": devops.project(project), "planId": planId}
        parent = parentSuiteId or await _root(devops, place)
        kind = "requirementTestSuite" if requirementId else "staticTestSuite"
        body = _present(name=name, suiteType=kind, parentSuite={"id": parent}, requirementId=requirementId)
        return one(await devops.json(DevOpsRequest(f"POST {SUITES}", place, body=body)), SUITE)

    return StatedChange(apply)


@part.change(
    Access.WRITE,
    harmless=("project", "planId", "suiteId", "testCaseIds"),
    undo=by_hand("remove them from the suite on the web"),
)
async def add_test_cases(
    devops: DevOps,
    planId: PlanId,
    suiteId: SuiteId,
    testCaseIds: Annotated[list[int], Field(min_length=1, max_length=100, description="Work item ids")],
    project: Project = None,
) -> StatedChange[Json]:
    """Add test cases to a suite; this creates test points to run."""

    async def apply() -> Json:
        place = {"project": devops.project(project), "planId": planId, "suiteId": suiteId}
        body = [{"workItem": {"id": number}} for number in testCaseIds]
        return every((await devops.json(DevOpsRequest(f"POST {CASES}", place, body=body)))["value"], shown_case)

    return StatedChange(apply)


@part.change(Access.WRITE, harmless=("project", "planId"), undo=by_hand("delete the run on the web"))
async def record_test_results(
    devops: DevOps,
    planId: PlanId,
    name: Name,
    results: Annotated[
        list[PointResult],
        Field(min_length=1, max_length=_MOST_POINTS, description="By test point from list_test_cases"),
    ],
    project: Project = None,
) -> StatedChange[Json]:
    """Record the results of a manual test run."""

    async def apply() -> Json:
        place = {"project": devops.project(project)}
        points = [result.point for result in results]
        if len(set(points)) < len(points):
            raise Refusal(
                "Several results have the same test point. Pass one result for each point."
                " list_test_cases lists the points."
            )
        body = {"name": name, "plan": {"id": str(planId)}, "pointIds": points, "automated": False}
        run = await devops.json(DevOpsRequest("POST /{project}/_apis/test/runs", place, body=body))
        with _half_way(run["id"]):
            place = {**place, "runId": run["id"]}
            query = {"detailsToInclude": "point", "$top": _MOST_POINTS}
            begun = (await devops.json(DevOpsRequest(f"GET {RESULTS}", place, query)))["value"]
            await devops.json(DevOpsRequest(f"PATCH {RESULTS}", place, body=_outcomes(begun, results)))
            line = "PATCH /{project}/_apis/test/runs/{runId}"
            ended = await devops.json(DevOpsRequest(line, place, body={"state": "Completed"}))
        return answer(runId=run["id"], state=ended["state"], recorded=len(results), link=ended.get("webAccessUrl"))

    return StatedChange(apply)


@contextmanager
def _half_way(run: int) -> Iterator[None]:
    """If recording results fails, say in the error that the test run was already created."""
    try:
        yield
    except Refusal as failure:
        raise Refusal(f"Test run {run} was created, but not all results were recorded. {failure}") from failure


def _outcomes(begun: Sequence[Json], results: Sequence[PointResult]) -> list[Json]:
    ids = {int(result["testPoint"]["id"]): result["id"] for result in begun}
    if missing := [str(result.point) for result in results if result.point not in ids]:
        raise Refusal(f"Test points {', '.join(missing)} not found in the plan. list_test_cases lists the points.")
    return [
        _present(id=ids[result.point], outcome=result.outcome, state="Completed", comment=result.comment)
        for result in results
    ]


async def _root(devops: AzureDevOps, place: dict[str, Any]) -> int:
    plan = await devops.json(DevOpsRequest("GET /{project}/_apis/testplan/plans/{planId}", place))
    return int(plan["rootSuite"]["id"])


def _written_back(id: int, xml: str) -> Undo:
    """Return how to restore the current steps, and say if restoring loses their formatting and attachments."""
    steps = shown_steps(xml)
    if not steps or any("sharedSteps" in step or not step.get("action") for step in steps):
        return by_hand("the work item's history on the web keeps the previous steps")
    back = by_call("update_test_case_steps", id=id, steps=steps)
    is_plain = steps_as_xml([CaseStep(**step) for step in steps]) == xml
    return back if is_plain else back.but("formatting and attachments of the steps are lost")


def _only_cases(id: int, type: str) -> None:
    if type != _CASE_TYPE:
        raise Refusal(
            f"Work item {id} is not a test case: its type is {type}. list_test_cases lists the test cases of a suite."
        )


def _whole(devops: AzureDevOps, item: Json) -> Json:
    shown = shown_steps(item["fields"].get(STEPS) or "")
    return answer(**single_item(item), steps=shown, link=_link(devops, item))


def _brief(devops: AzureDevOps, item: Json, steps: Sequence[CaseStep]) -> Json:
    """Return a test case without its steps, which the caller has just sent."""
    return answer(**created_item(item), steps=len(steps), link=_link(devops, item))


def _link(devops: AzureDevOps, item: Json) -> str:
    return devops.organization.link("_workitems", "edit", item["id"])


def _present(**parts: Any) -> Json:
    return {name: value for name, value in parts.items() if value not in (None, "")}
