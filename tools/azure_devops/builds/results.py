"""Shows the artifacts of a build, and why the build failed."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from dataclasses import replace
from typing import Annotated, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, answer, every, present, shape
from tools.azure_devops.shared.build_logs import log_request, logs_of
from tools.azure_devops.shared.build_records import BuildId, build_request, single_build
from tools.azure_devops.shared.build_timeline import Timeline, errors_of, timeline_of
from tools.azure_devops.shared.log_failures import telling_lines
from tools.azure_devops.shared.parameters import Project

part = Part()

# The maximum file size. A file of this size, encoded as base64 in JSON, fits into an answer.
LARGEST: Final = 2 * 1024 * 1024

_MOST_FAILURES: Final = 5
_MOST_ERRORS: Final = 10
_NEXT: Final = (
    "For more, use get_build_logs with logId and startLine, or with pattern. list_failed_tests lists failed tests."
)
_ARTIFACT: Final = shape(
    "name", type="resource.type", size="resource.properties.artifactsize", link="resource.downloadUrl"
)
_BUILD: Final = ("id", "number", "status", "result", "pipeline", "branch", "problems", "link")


@part.tool(Access.READ, harmless=("project", "buildId"))
async def list_build_artifacts(devops: DevOps, buildId: BuildId, project: Project = None) -> Json:
    """List the artifacts of a build."""
    found = await devops.json(build_request(devops.project(project), buildId, "artifacts"))
    return every(found["value"], _ARTIFACT)


@part.tool(Access.READ, harmless=("project", "buildId", "artifactName"))
async def get_build_artifact(
    devops: DevOps,
    buildId: BuildId,
    artifactName: Annotated[str, Field(min_length=1, description="Its name")],
    project: Project = None,
) -> Json:
    """Get an artifact of type Container, up to 2 MB, as a zip file in base64."""
    about = build_request(devops.project(project), buildId, "artifacts")
    named = replace(about, query={"artifactName": artifactName})
    artifact = await devops.json(named)
    _refuse_elsewhere(artifact)
    content = await devops.download(replace(named, query={**named.query, "$format": "zip"}), LARGEST)
    return answer(name=artifact["name"], size=len(content), content=b64encode(content).decode())


@part.tool(Access.READ, harmless=("project", "buildId"))
async def get_build_failures(
    devops: DevOps,
    buildId: BuildId,
    project: Project = None,
    lines: Annotated[int, Field(ge=1, le=200, description="Lines per log")] = 40,
) -> Json:
    """Find why a build or run failed: the failed steps, their errors, and the relevant lines of their logs."""
    place = devops.project(project)
    build = await devops.json(build_request(place, buildId))
    timeline = await timeline_of(devops, place, buildId)
    counts = {log["id"]: int(log.get("lineCount") or 0) for log in await logs_of(devops, place, buildId)}
    failed = timeline.failures
    telling = await asyncio.gather(
        *(_telling(devops, build_request(place, buildId), counts, record, lines) for record in failed[:_MOST_FAILURES])
    )
    shown = [_failure(timeline, record, log) for record, log in zip(failed, telling, strict=False)]
    more = (
        f"Failed steps not shown: {len(failed) - len(shown)}. get_build_logs lists them."
        if failed[len(shown) :]
        else None
    )
    about = {name: value for name, value in single_build(build).items() if name in _BUILD}
    return answer(**about, failures=shown, more=more, next=_NEXT if any(telling) else None)


async def _telling(devops: AzureDevOps, build: DevOpsRequest, counts: dict[int, int], record: Json, lines: int) -> Json:
    """Return the most relevant lines in the log of a step, if the step has a log."""
    log = record.get("log")
    if not log:
        return {}
    count = counts.get(log["id"], 0)
    request = log_request(build.values["project"], build.values["buildId"], log["id"])
    try:
        relevant = await telling_lines(devops, request, count, lines)
    except Refusal as refusal:
        relevant = {"unread": str(refusal)}
    return present({"logId": log["id"], "lines": count, **relevant})


def _failure(timeline: Timeline, record: Json, log: Json) -> Json:
    errors = errors_of(record)[:_MOST_ERRORS]
    return present({"step": timeline.step(record), "result": record["result"], "errors": errors, **log})


def _refuse_elsewhere(artifact: Json) -> None:
    kind = artifact["resource"]["type"]
    if kind != "Container":
        link = artifact["resource"].get("downloadUrl")
        raise Refusal(
            f"Artifact {artifact['name']!r} has the type {kind}: it is stored outside Azure DevOps, so this tool"
            f" cannot download it. Open this link while signed in: {link}"
        )
