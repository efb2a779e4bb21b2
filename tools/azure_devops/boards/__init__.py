"""The toolset `devops-boards`."""

from tools.azure_devops.boards import boards

parts = (boards.part,)
