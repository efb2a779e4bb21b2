"""The toolset `resource-changes`, of several files."""

from tools.azure.changing import deleting, groups, locks, moving, tags, undeleting

parts = (groups.part, tags.part, moving.part, deleting.part, undeleting.part, locks.part)
