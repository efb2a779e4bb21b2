"""Adds release annotations, which mark deployments in the charts of Application Insights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Final
from uuid import NAMESPACE_URL, uuid5

from changes.preview import Preview
from changes.undo import never
from clients.answers import present
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.times import moment
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.monitor.sources import AppName, app_source
from tools.azure.shared.applying import SECONDS, made
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_VERSION: Final = "2015-05-01"
# In its charts, Application Insights shows annotations of this category as deployments.
_CATEGORY: Final = "Deployment"

Release = Annotated[str, Field(min_length=1, max_length=200, description="Such as Release 42")]
At = Annotated[str, Field(max_length=40, description="10m for ten minutes ago, or ISO time")]
Build = Annotated[str | None, Field(max_length=200, description="Number or id")]
Commit = Annotated[str | None, Field(max_length=64, pattern=r"^[0-9a-fA-F]{7,64}$", description="Its hash")]
Environment = Annotated[str | None, Field(max_length=100, description="Such as production")]
Notes = Annotated[str | None, Field(max_length=1000, description="What it contains")]


@part.change(Access.WRITE, harmless=("app", "release", "at"), seconds=SECONDS, idempotent=False)
async def mark_deployment(
    azure: Arm,
    app: AppName,
    release: Release,
    at: At = "0m",
    build: Build = None,
    commit: Commit = None,
    environment: Environment = None,
    notes: Notes = None,
) -> ResourceChange:
    """Mark a deployment in the charts of an app in Application Insights."""
    component, time = await _component(azure, app), moment("at", at)
    given = _properties(release, build, commit, environment, notes)
    mark = _mark(component, release, time, json.dumps(given))
    marks = ResourceId.of(f"{component.text}/Annotations")

    def shown(known: Inspected) -> Preview:
        return Preview(
            what=f"Mark {release!r} in the charts of {component.name}",
            sentence=f"Mark the deployment {release!r} in the charts of {component.name}",
            facts={**known.facts(component), "at": "now" if at == "0m" else at, **given},
            undo=never("marks cannot be removed, but affect only charts"),
            destroys=False,
        )

    return ResourceChange(
        azure,
        of_id("PUT", marks, body=mark, version=_VERSION),
        on=component,
        before=None,
        looking=of_id("GET", marks, "/{mark}", values={"mark": mark["Id"]}, version=_VERSION),
        judge=made,
        call=f"query_logs(source={component.text!r}, ...) shows the logs after the deployment, and the charts show the"
        " mark",
        shows=shown,
        answers={"app": component.text, "mark": mark["Id"], "at": time},
        # An annotation only adds a mark to charts, so existing annotations need no check.
        looks_again=False,
    )


async def _component(azure: Azure, app: str) -> ResourceId:
    """Return the Application Insights component of an app.

    Raises:
        Refusal: The name belongs to a workspace.
    """
    found = await app_source(azure, app)
    if found.is_workspace:
        raise Refusal(f"{found.id.name} is a workspace. Pass an Application Insights component.")
    return found.id


def _mark(component: ResourceId, release: str, time: str, properties: str) -> dict[str, str]:
    # The id is derived from the annotation's content, so that a repeated call does not add a second annotation.
    name = str(uuid5(NAMESPACE_URL, f"{component.key}\n{time}\n{properties}"))
    return {"Id": name, "AnnotationName": release, "EventTime": time, "Category": _CATEGORY, "Properties": properties}


def _properties(
    release: str, build: str | None, commit: str | None, environment: str | None, notes: str | None
) -> Mapping[str, str]:
    """Return the properties of an annotation, under the names that the deployment tasks of Azure Pipelines use."""
    return present(
        {
            "ReleaseName": release,
            "BuildNumber": build,
            "CommitId": commit,
            "ReleaseEnvironmentName": environment,
            "ReleaseDescription": notes,
        }
    )
