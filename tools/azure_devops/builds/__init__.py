"""The toolset `devops-builds`, of several files."""

from tools.azure_devops.builds import builds, results

parts = (builds.part, results.part)
