"""The toolsets of Azure DevOps. The modules of a toolset are imported when the toolset is first used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mcp_server.declarations.toolset import Part, Toolset
from tools.azure_devops.access import AZURE_DEVOPS


def _toolset(name: str, description: str) -> Toolset:
    def parts() -> Sequence[Part]:
        from tools.azure_devops.contents import PARTS

        return PARTS[name]

    return Toolset(name, description, needs=(AZURE_DEVOPS,), parts=parts)


TOOLSETS: Final = (
    _toolset("devops-work-items", "Find, read, create, change and discuss Azure DevOps work items."),
    _toolset("devops-git", "Read Azure DevOps Git repositories, and push commits to them."),
    _toolset("devops-pull-requests", "Read, open, review and complete Azure DevOps pull requests."),
    _toolset("devops-pipelines", "Run, follow, approve, retry and cancel Azure DevOps pipelines; read logs."),
    _toolset("devops-builds", "Queue, follow and cancel Azure DevOps builds; find why they failed."),
    _toolset("devops-releases", "Create, deploy, approve and follow classic releases of Azure DevOps."),
    _toolset("devops-links", "Link Azure DevOps work items with each other, builds and code."),
    _toolset("devops-attachments", "Attach files to Azure DevOps work items, and read attached files."),
    _toolset("devops-boards", "View Azure DevOps boards and move their cards."),
    _toolset("devops-project", "List Azure DevOps projects, teams, iterations and areas."),
    _toolset("devops-wiki", "Read and write the pages of Azure DevOps wikis."),
    _toolset("devops-users", "Find Azure DevOps users and groups, and see who you are there."),
    _toolset("devops-artifacts", "Find the feeds, packages and versions in Azure Artifacts."),
    _toolset("devops-test-plans", "Read, write and run Azure DevOps tests: plans, suites, cases and results."),
    _toolset("devops-service-connections", "Read the service connections of Azure DevOps, without secrets."),
    _toolset("devops-variable-groups", "Read the variable groups of Azure DevOps, without secrets."),
    _toolset("devops-notifications", "List the notifications that Azure DevOps users get."),
    _toolset("devops-dashboards", "View Azure DevOps dashboards."),
    _toolset("devops-policies", "Read the branch policies of Azure DevOps."),
    _toolset("devops-security", "Read the alerts of Azure DevOps Advanced Security."),
    _toolset("devops-sprints", "Plan Azure DevOps sprints: iterations, their work, capacity and backlogs."),
    _toolset("devops-search", "Search the code, wikis and work items of Azure DevOps."),
)
