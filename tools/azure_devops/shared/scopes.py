"""Which projects a question is about: one, or all there are."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import Request
from clients.azure_devops.paging import HEADER_TOKEN

# No project can be called so.
EVERY: Final = "*"
_MOST_PROJECTS: Final = 500

Projects = Annotated[str | None, Field(description="Name or id; * for all; has a default")]


def one_project(devops: AzureDevOps, named: str | None) -> str | None:
    """The one project that is meant, or None where all are."""
    return None if named == EVERY else devops.project_if_any(named)


async def project_names(devops: AzureDevOps, named: str | None) -> list[str]:
    """The projects that are meant."""
    if project := one_project(devops, named):
        return [project]
    request = Request("GET /_apis/projects", query={"stateFilter": "wellFormed"})
    page = await devops.page(request, HEADER_TOKEN, _MOST_PROJECTS)
    return [str(project["name"]) for project in page.items]


def scope_hint(devops: AzureDevOps, named: str | None) -> str | None:
    """What to say where the default project narrows a question that names none."""
    project = None if named else devops.project_if_any(None)
    return f"Only the project {project}; project={EVERY} means all." if project else None
