"""Finds the default team, for requests that require a team."""

from __future__ import annotations

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest


async def team_place(devops: AzureDevOps, project: str | None, team: str | None) -> dict[str, str]:
    """Return the names of a project and of one of its teams. By default, this is the project's default team."""
    where = devops.project(project)
    if not team:
        record = await devops.json(DevOpsRequest("GET /_apis/projects/{project}", {"project": where}))
        team = str(record["defaultTeam"]["name"])
    return {"project": where, "team": team}
