"""The toolset `devops-links`: links of work items."""

from tools.azure_devops.links import artifacts, work_items

parts = (work_items.part, artifacts.part)
