"""The toolset `devops-releases`: release definitions, releases, deployments and their logs."""

from tools.azure_devops.releases import deployments, logs, releases

parts = (releases.part, deployments.part, logs.part)
