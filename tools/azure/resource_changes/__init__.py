"""The toolset `resource-changes`: deploys templates, and changes groups, locks, tags and resources."""

from tools.azure.resource_changes import (
    deleting,
    deploying,
    deployment_changes,
    groups,
    locks,
    moving,
    stack_changes,
    tags,
    undeleting,
)

parts = (
    groups.part,
    tags.part,
    moving.part,
    deleting.part,
    undeleting.part,
    locks.part,
    deploying.part,
    deployment_changes.part,
    stack_changes.part,
)
