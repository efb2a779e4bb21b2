"""The toolset `devops-releases`, of several files."""

from tools.azure_devops.releases import deployments, releases

parts = (releases.part, deployments.part)
