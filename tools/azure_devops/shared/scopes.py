"""Which projects and repositories a question is about: one, all of a project, or all there are."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import Request
from clients.azure_devops.paging import HEADER_TOKEN
from clients.azure_devops.records import records
from tools.azure_devops.shared.answers import Json, at

# No project can be called so.
EVERY: Final = "*"
_MOST_PROJECTS: Final = 500

Projects = Annotated[str | None, Field(description="Name or id; * for all; has a default")]
AnyRepository = Annotated[str | None, Field(description="Name or id; default: all")]
PartOfName = Annotated[str | None, Field(description="Part of their names")]


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


async def repositories(devops: AzureDevOps, named: str | None, part: str | None = None) -> list[Json]:
    """The repositories of the projects that are meant, in one request, in the order of their names."""
    request = Request("GET /{project}/_apis/git/repositories", {"project": one_project(devops, named)})
    found = records((await devops.json(request))["value"])
    wanted = (part or "").lower()
    return sorted((entry for entry in found if wanted in str(entry.get("name")).lower()), key=full_title)


def full_title(repository: Json) -> str:
    """A repository by the name of its project and its own."""
    return f"{at(repository, 'project.name')}/{repository.get('name')}"


def scope_hint(devops: AzureDevOps, named: str | None) -> str | None:
    """What to say where the default project narrows a question that names none."""
    project = None if named else devops.project_if_any(None)
    return f"Only the project {project}; project=* means all." if project else None
