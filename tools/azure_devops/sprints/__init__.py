"""The toolset `devops-sprints`."""

from tools.azure_devops.sprints import backlogs, capacity, items, planning

parts = (backlogs.part, items.part, capacity.part, planning.part)
