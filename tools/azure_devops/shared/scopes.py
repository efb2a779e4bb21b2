"""Which projects a question is about: one, or all there are."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN
from refusal import Refusal
from tools.azure_devops.shared.answers import Json
from tools.azure_devops.shared.git_references import place_of

# No project can be called so.
EVERY: Final = "*"
_MOST_PROJECTS: Final = 2000

Projects = Annotated[str | None, Field(description="Name or id; * for all")]


def place_of_one(devops: AzureDevOps, project: str | None, repository: str) -> Json:
    """The place of one repository, where all might have been meant."""
    if project == EVERY:
        raise Refusal(f"A repository is one of a project: name it instead of {EVERY}, or leave repository out.")
    return place_of(devops, project, repository)


def one_project(devops: AzureDevOps, named: str | None) -> str | None:
    """The one project that is meant, or None where all are."""
    return None if named == EVERY else devops.project_if_any(named)


async def project_names(devops: AzureDevOps, named: str | None) -> list[str]:
    """The projects that are meant."""
    if project := one_project(devops, named):
        return [project]
    request = DevOpsRequest("GET /_apis/projects", query={"stateFilter": "wellFormed"})
    page = await devops.page(request, HEADER_TOKEN, _MOST_PROJECTS)
    return [str(project["name"]) for project in page.items]


def scope_hint(devops: AzureDevOps, named: str | None) -> str | None:
    """What to say where the default project narrows a question that names none."""
    project = None if named else devops.project_if_any(None)
    return f"Only the project {project}; project={EVERY} means all." if project else None
