"""Lists the tools of each Azure DevOps toolset. Importing this module imports all Azure DevOps tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mcp_server.declarations.toolset import Part
from tools.azure_devops import (
    artifacts,
    attachments,
    boards,
    builds,
    dashboards,
    git,
    links,
    notifications,
    pipelines,
    policies,
    project,
    pull_requests,
    releases,
    search,
    security,
    service_connections,
    sprints,
    test_plans,
    users,
    variable_groups,
    wiki,
    work_items,
)

PARTS: Final[Mapping[str, Sequence[Part]]] = {
    "devops-work-items": work_items.parts,
    "devops-git": git.parts,
    "devops-pull-requests": pull_requests.parts,
    "devops-pipelines": pipelines.parts,
    "devops-builds": builds.parts,
    "devops-releases": releases.parts,
    "devops-links": links.parts,
    "devops-attachments": (attachments.part,),
    "devops-boards": boards.parts,
    "devops-project": (project.part,),
    "devops-wiki": (wiki.part,),
    "devops-users": (users.part,),
    "devops-artifacts": (artifacts.part,),
    "devops-test-plans": test_plans.parts,
    "devops-service-connections": (service_connections.part,),
    "devops-variable-groups": (variable_groups.part,),
    "devops-notifications": (notifications.part,),
    "devops-dashboards": (dashboards.part,),
    "devops-policies": (policies.part,),
    "devops-security": (security.part,),
    "devops-sprints": sprints.parts,
    "devops-search": (search.part,),
}
