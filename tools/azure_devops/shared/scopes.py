"""Selects the projects of a request: one project, or all projects."""

from __future__ import annotations

from typing import Annotated, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure_devops.shared.answers import Json
from tools.azure_devops.shared.git_references import place_of

# The value that selects all projects. No project can have this name.
EVERY: Final = "*"
_MOST_PROJECTS: Final = 2000

Projects = Annotated[str | None, Field(description="Name or id; * for all")]


def place_of_one(devops: AzureDevOps, project: str | None, repository: str) -> Json:
    """Return the project and name of one repository, and reject the value that selects all projects."""
    if project == EVERY:
        raise Refusal(f"A repository belongs to one project: pass that project instead of {EVERY}, or omit repository.")
    return place_of(devops, project, repository)


def one_project(devops: AzureDevOps, named: str | None) -> str | None:
    """Return the selected project, or None for all projects."""
    return None if named == EVERY else devops.project_if_any(named)


async def project_names(devops: AzureDevOps, named: str | None) -> list[str]:
    """Return the names of the selected projects."""
    if project := one_project(devops, named):
        return [project]
    request = DevOpsRequest("GET /_apis/projects", query={"stateFilter": "wellFormed"})
    page = await devops.page(request, HEADER_TOKEN, _MOST_PROJECTS)
    return [str(project["name"]) for project in page.items]


def scope_hint(devops: AzureDevOps, named: str | None) -> str | None:
    """If the default project was used, return a note that says so."""
    project = None if named else devops.project_if_any(None)
    return f"Only project {project}; project={EVERY} selects all projects." if project else None
