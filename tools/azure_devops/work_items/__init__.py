"""The toolset `devops-work-items`: work items, their fields, comments and history."""

from tools.azure_devops.work_items import comments, items, lists, queries, types, updates

parts = (items.part, updates.part, queries.part, lists.part, types.part, comments.part)
