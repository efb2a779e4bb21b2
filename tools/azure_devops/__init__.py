"""Azure DevOps: a module, or several, for each toolset."""

from __future__ import annotations

from typing import Final

from tools.azure_devops import (
    artifacts,
    attachments,
    dashboards,
    links,
    notifications,
    policies,
    project,
    search,
    security,
    service_connections,
    sprints,
    users,
    variable_groups,
    wiki,
)
from tools.azure_devops.boards import boards
from tools.azure_devops.builds import builds
from tools.azure_devops.builds import results as build_results
from tools.azure_devops.git import files as git_files
from tools.azure_devops.git import history as git_history
from tools.azure_devops.git import pushes as git_pushes
from tools.azure_devops.git import repositories as git
from tools.azure_devops.pipelines import changes as pipeline_changes
from tools.azure_devops.pipelines import pipelines
from tools.azure_devops.pull_requests import changes as pull_request_changes
from tools.azure_devops.pull_requests import comments as pull_request_comments
from tools.azure_devops.pull_requests import completion as pull_request_completion
from tools.azure_devops.pull_requests import linked_items as pull_request_work_items
from tools.azure_devops.pull_requests import requests as pull_requests
from tools.azure_devops.pull_requests import reviews as pull_request_reviews
from tools.azure_devops.releases import deployments as release_deployments
from tools.azure_devops.releases import releases
from tools.azure_devops.test_plans import cases as testcases
from tools.azure_devops.test_plans import plans as testplans
from tools.azure_devops.work_items import comments as work_item_comments
from tools.azure_devops.work_items import items as work_items
from tools.azure_devops.work_items import queries as work_item_queries

# A toolset of several modules is in the first; the others have joined it by being imported.
_JOINED: Final = (
    work_item_queries,
    work_item_comments,
    pipeline_changes,
    build_results,
    release_deployments,
    git_files,
    git_history,
    git_pushes,
    pull_request_completion,
    pull_request_reviews,
    pull_request_comments,
    pull_request_work_items,
    pull_request_changes,
    testcases,
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
    testplans.toolset,
    service_connections.toolset,
    variable_groups.toolset,
    notifications.toolset,
    dashboards.toolset,
    policies.toolset,
    security.toolset,
    sprints.toolset,
    search.toolset,
)
