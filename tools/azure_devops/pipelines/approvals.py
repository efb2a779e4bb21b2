"""Lists approvals of pipeline runs, and records decisions on these approvals. Approvals protect environments and other
resources.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from changes.preview import Preview
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ListPage
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.deployments import approval_preview
from tools.azure_devops.shared.answers import Json, at, many, one, present, shape
from tools.azure_devops.shared.build_records import build_request
from tools.azure_devops.shared.build_timeline import timeline_of
from tools.azure_devops.shared.identifiers import is_id
from tools.azure_devops.shared.parameters import Comment, MaxResults, Project
from tools.azure_devops.shared.people import current_user

part = Part()

_APPROVALS: Final = "/{project}/_apis/pipelines/approvals"
# The maximum number of ids per request. The number is limited because all ids are part of the URL.
_MOST_IDS: Final = 40
_OPEN: Final = frozenset({"pending", "uninitiated"})

_APPROVAL: Final = shape(
    "id",
    "status",
    "instructions",
    pipeline="pipeline.name",
    run="pipeline.owner.name",
    runId="pipeline.owner.id",
    created="createdOn",
    order="executionOrder",
    wanted="minRequiredApprovers",
    mayNotApprove="blockedApprovers",
    link="pipeline.owner._links.web.href",
)
_STEP: Final = shape("status", "comment", approver="assignedApprover")
_DECIDED: Final = shape(by="actualApprover", at="lastModifiedOn")

ApprovalId = Annotated[str, Field(min_length=1, description="Approval id")]


@part.tool(Access.READ, harmless=("project", "runId", "status", "mine"))
async def list_pipeline_approvals(
    devops: DevOps,
    project: Project = None,
    runId: Annotated[int | None, Field(ge=1, description="Only approvals of this run")] = None,
    status: Annotated[
        Literal["pending", "approved", "rejected", "all"] | None,
        Field(description="Default: pending; with runId: all"),
    ] = None,
    mine: Annotated[bool, Field(description="Only approvals assigned to me by name")] = False,
    maxResults: MaxResults = 50,
) -> Json:
    """List pending or past approvals of pipeline runs: who approved or rejected, and when."""
    place = devops.project(project)
    me = str((await current_user(devops))["id"]) if mine else None
    if runId is None:
        asked = {"state": _state(status), "userIds": me, "top": maxResults + 1}
        found = await _queried(devops, place, asked)
    else:
        found = await _of_run(devops, place, runId, me)
        found = [approval for approval in found if status in {None, "all", approval.get("status")}]
    waiting = [approval for approval in found if me is None or _waits_for(approval, me)]
    return many(ListPage(waiting[:maxResults], len(found) > maxResults), _shown)


@part.tool(Access.READ, harmless=("project", "approvalId"))
async def get_pipeline_approval(devops: DevOps, approvalId: ApprovalId, project: Project = None) -> Json:
    """Get an approval of a pipeline run: who can approve, who approved."""
    return one(await _approval(devops, devops.project(project), approvalId), _shown)


def _lets_pass(meant: Mapping[str, Any]) -> bool:
    return bool(meant["status"] == "approved")


@part.change(
    Access.WRITE,
    destroys=_lets_pass,
    harmless=("project", "approvalId", "status"),
)
async def decide_pipeline_approval(
    devops: DevOps,
    approvalId: ApprovalId,
    status: Annotated[Literal["approved", "rejected"], Field(description="Decision")],
    project: Project = None,
    comment: Comment = None,
) -> Change[Json]:
    """Approve or reject a pending pipeline approval."""
    where = devops.project(project)
    approval = await _approval(devops, where, approvalId)
    _refuse_decided(approval)

    async def preview() -> Preview:
        return approval_preview(where, approval, _shown(approval), status)

    async def apply() -> Json:
        body = [{"approvalId": approvalId, "status": status, **({"comment": comment} if comment else {})}]
        answered = await devops.json(DevOpsRequest(f"PATCH {_APPROVALS}", {"project": where}, body=body))
        return one(_as_decided(answered["value"], status), _shown)

    return PlannedChange(preview, apply)


async def _queried(devops: AzureDevOps, project: str, query: Json) -> list[Json]:
    asked = {**query, "$expand": "steps"}
    return list((await devops.json(DevOpsRequest(f"GET {_APPROVALS}", {"project": project}, asked)))["value"])


async def _of_run(devops: AzureDevOps, project: str, run_id: int, who: str | None) -> list[Json]:
    """Return the approvals of a run in the order of its stages. The run's timeline contains their ids.

    `who` selects the approvals that this user can decide on.
    """
    await devops.json(build_request(project, run_id))
    stages = (await timeline_of(devops, project, run_id)).approvals
    ids = list(stages)
    some = [ids[at : at + _MOST_IDS] for at in range(0, len(ids), _MOST_IDS)]
    found = [
        approval
        for asked in some
        for approval in await _queried(
            devops, project, {"approvalIds": ",".join(asked), "userIds": who, "top": len(asked)}
        )
    ]
    named = {approval["id"]: {**approval, "stage": stages.get(approval["id"])} for approval in found}
    return [named[approval_id] for approval_id in ids if approval_id in named]


async def _approval(devops: AzureDevOps, project: str, approval_id: str) -> Json:
    if not is_id(approval_id):
        raise Refusal(f"{approval_id!r} is not a valid approval id. list_pipeline_approvals lists ids.")
    place = {"project": project, "approvalId": approval_id}
    return await devops.json(DevOpsRequest(f"GET {_APPROVALS}/{{approvalId}}", place, {"$expand": "steps"}))


def _state(status: str | None) -> str | None:
    return None if status == "all" else status or "pending"


def _waits_for(approval: Json, me: str) -> bool:
    """Check whether the approval is waiting for this user, who must be a named approver or a member of a named
    group.
    """
    own = [step.get("status") for step in approval.get("steps") or () if at(step, "assignedApprover.id") == me]
    return approval["status"] == "pending" and (not own or "pending" in own)


def _refuse_decided(approval: Json) -> None:
    if approval["status"] in _OPEN:
        return
    decisions = [step["decided"] for step in _steps(approval) if "decided" in step]
    by = ", ".join(f"by {decision.get('by')} at {decision.get('at')}" for decision in decisions)
    raise Refusal(f"The approval is already {approval['status']} {by}".rstrip() + ". Nothing was changed.")


def _as_decided(approvals: list[Json], status: str) -> Json:
    """Return the approval if the decision was recorded. Other approvers may still have to decide."""
    [approval, *_] = approvals or [{}]
    if approval.get("status") in {status, *_OPEN}:
        return approval
    became = f"is now {approval['status']}" if approval.get("status") else "was not returned"
    raise Refusal(f"The decision was sent, but the approval {became}. get_pipeline_approval shows who decided what.")


def _shown(approval: Mapping[str, Any]) -> Json:
    stage = approval.get("stage")
    return present({**_APPROVAL(approval), "stage": stage, "approvers": _steps(approval)})


def _steps(approval: Mapping[str, Any]) -> list[Json]:
    """Return the approvers and, for each decision, the person and the time. Any member of a group can decide for the
    group.
    """
    return [
        _STEP(step) | ({"decided": _DECIDED(step)} if at(step, "actualApprover") else {})
        for step in approval.get("steps") or ()
    ]
