"""The toolset `devops-git`, of several files."""

from tools.azure_devops.git import files, history, pushes, repositories

parts = (repositories.part, files.part, history.part, pushes.part)
