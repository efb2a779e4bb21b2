"""The toolset `resource`: reads resources, groups, deployments and their history."""

from tools.azure.resource import (
    change_history,
    deployments,
    dry_run,
    graph,
    groups,
    resources,
    stacks,
    surveys,
    tags_and_locks,
    templates,
)

parts = (
    groups.part,
    resources.part,
    tags_and_locks.part,
    surveys.part,
    graph.part,
    change_history.part,
    deployments.part,
    dry_run.part,
    stacks.part,
    templates.part,
)
