"""The toolset `resource`, of several files."""

from tools.azure.resource import (
    changes,
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
    changes.part,
    deployments.part,
    dry_run.part,
    stacks.part,
    templates.part,
)
