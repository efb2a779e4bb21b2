"""The toolset `devops-releases`."""

from tools.azure_devops.releases import deployments, logs, releases

parts = (releases.part, deployments.part, logs.part)
