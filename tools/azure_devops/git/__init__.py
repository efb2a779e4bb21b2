"""The toolset `devops-git`: repositories, branches, files, commits and comparisons."""

from tools.azure_devops.git import comparison, files, history, pushes, repositories

parts = (repositories.part, files.part, history.part, comparison.part, pushes.part)
