"""The toolset `devops-releases`, of several files."""

from tools.azure_devops.releases import deployments, logs, releases

parts = (releases.part, deployments.part, logs.part)
