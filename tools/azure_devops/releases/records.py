"""Builds requests about releases, and formats releases, environments, approvals and deployments for answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.organization import Host
from mcp_server.declarations.field import Field
from tools.azure_devops.shared.answers import Json, Shape, present, shape
from tools.azure_devops.shared.withheld import variables_of

RELEASE: Final = "GET /{project}/_apis/release/releases/{releaseId}"

ReleaseId = Annotated[int, Field(description="Its id")]
EnvironmentId = Annotated[int, Field(description="Id in the release")]

listed_release_definition: Final = shape("id", "name", "path", latest="lastRelease.name", changed="modifiedOn")
_APPROVAL: Final = shape("id", "status", type="approvalType", approver="approver", comment="comments")
_DECIDED: Final = shape(by="approvedBy", at="modifiedOn")
_APPROVED: Final = shape(release="release.name", releaseId="release.id", environment="releaseEnvironment.name")
_RELEASE: Final = shape(
    "id",
    "name",
    "status",
    "description",
    "reason",
    definition="releaseDefinition.name",
    definitionId="releaseDefinition.id",
    created="createdOn",
    by="createdBy",
    link="_links.web.href",
)
_DEFINITION: Final = shape("id", "name", "path", "description", changed="modifiedOn", link="_links.web.href")
_ENVIRONMENT: Final = shape("id", "name", "status")
_DEPLOYMENT: Final = shape(
    "attempt", "status", "reason", operation="operationStatus", by="requestedBy", queued="queuedOn"
)
_ARTIFACT: Final = shape(
    "alias",
    "type",
    source="definitionReference.definition.name",
    version="definitionReference.version.name",
    versionId="definitionReference.version.id",
    branch="definitionReference.branch.name",
)


def release_request(line: str, project: str, **values: int) -> DevOpsRequest:
    """Build a request to the host that serves the release API."""
    return DevOpsRequest(line, {"project": project, **values}, host=Host.RELEASES)


def environment_request(project: str, release_id: int, environment_id: int) -> DevOpsRequest:
    line = "GET /{project}/_apis/Release/releases/{releaseId}/environments/{environmentId}"
    request = release_request(line, project, releaseId=release_id, environmentId=environment_id)
    return request.asking("query", **{"$expand": "tasks"})


def listed_release(release: Mapping[str, Any]) -> Json:
    return present({**_RELEASE(release), "environments": _each(release, "environments", _ENVIRONMENT)})


def single_release(release: Mapping[str, Any]) -> Json:
    environments = [
        present({**_ENVIRONMENT(environment), "approvals": _approvals(environment)})
        for environment in release.get("environments") or ()
    ]
    artifacts = _each(release, "artifacts", _ARTIFACT)
    return present({**_RELEASE(release), **variables_of(release), "artifacts": artifacts, "environments": environments})


def single_definition(definition: Mapping[str, Any]) -> Json:
    parts = {
        "artifacts": _each(definition, "artifacts", _ARTIFACT),
        "environments": _each(definition, "environments", shape("id", "name", "rank")),
    }
    return present({**_DEFINITION(definition), **variables_of(definition), **parts})


def single_environment(environment: Mapping[str, Any]) -> Json:
    """Return an environment of a release, with its approvals and latest deployment."""
    about = {
        "release": (environment.get("release") or {}).get("name"),
        **variables_of(environment),
        "approvals": _approvals(environment),
    }
    steps = latest_deployment(environment)
    deployment = {**_DEPLOYMENT(steps), "tasks": [shown_task(task) for task in tasks_of(steps)]} if steps else None
    return present({**_ENVIRONMENT(environment), **about, "deployment": deployment and present(deployment)})


def shown_approval(approval: Mapping[str, Any]) -> Json:
    """Return the approver and, after a decision, who decided and when. Any member of a group can
    decide for the group.
    """
    return _APPROVAL(approval) | ({} if approval.get("status") == "pending" else {"decided": _DECIDED(approval)})


def listed_approval(approval: Mapping[str, Any]) -> Json:
    return present(shown_approval(approval) | _APPROVED(approval))


def latest_deployment(environment: Mapping[str, Any]) -> Json:
    """Return the latest attempt to deploy to an environment. Return an empty record if there was no attempt."""
    attempts: list[Json] = environment.get("deploySteps") or []
    return max(attempts, key=lambda attempt: attempt.get("attempt") or 0, default={})


def tasks_of(deployment: Mapping[str, Any]) -> list[Json]:
    """Return the jobs of a deployment, each with its tasks."""
    phases = deployment.get("releaseDeployPhases") or ()
    return [part for phase in phases for job in phase.get("deploymentJobs") or () for part in _parts(job)]


def shown_task(task: Mapping[str, Any]) -> Json:
    errors = [issue["message"] for issue in task.get("issues") or () if str(issue.get("issueType")).lower() == "error"]
    about = {"taskId": task.get("id"), "name": task.get("name"), "status": task.get("status")}
    return present({**about, "lines": task.get("lineCount"), "errors": errors})


def _parts(job: Mapping[str, Any]) -> list[Json]:
    own, tasks = job.get("job") or {}, job.get("tasks") or []
    # Logs of jobs are left out, because they only repeat the logs of the tasks.
    return [{**own, "logUrl": None}, *tasks] if tasks else [own]


def _approvals(environment: Mapping[str, Any]) -> list[Json]:
    """Return the manual approvals before and after a deployment. Automatic approvals are left out."""
    found = [*(environment.get("preDeployApprovals") or ()), *(environment.get("postDeployApprovals") or ())]
    return [shown_approval(approval) for approval in found if not approval.get("isAutomated")]


def _each(record: Mapping[str, Any], name: str, form: Shape) -> list[Json]:
    return [form(entry) for entry in record.get(name) or ()]
