"""The toolset `devops-boards`, of several files."""

from tools.azure_devops.boards import boards

parts = (boards.part,)
