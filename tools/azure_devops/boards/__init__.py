"""The toolset `devops-boards`: boards and their cards."""

from tools.azure_devops.boards import boards

parts = (boards.part,)
