"""The toolset `devops-sprints`: backlogs, iterations, capacity and remaining work."""

from tools.azure_devops.sprints import backlogs, capacity, items, planning

parts = (backlogs.part, items.part, capacity.part, planning.part)
