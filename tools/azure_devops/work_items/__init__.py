"""The toolset `devops-work-items`, of several files."""

from tools.azure_devops.work_items import comments, items, lists, queries

parts = (items.part, queries.part, lists.part, comments.part)
