"""Azure DevOps: a module for each toolset, or a package where one takes several files."""

from __future__ import annotations

from typing import Final

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

TOOLSETS: Final = (
    work_items.toolset,
    git.toolset,
    pull_requests.toolset,
    pipelines.toolset,
    builds.toolset,
    releases.toolset,
    links.toolset,
    attachments.toolset,
    boards.toolset,
    project.toolset,
    wiki.toolset,
    users.toolset,
    artifacts.toolset,
    test_plans.toolset,
    service_connections.toolset,
    variable_groups.toolset,
    notifications.toolset,
    dashboards.toolset,
    policies.toolset,
    security.toolset,
    sprints.toolset,
    search.toolset,
)
