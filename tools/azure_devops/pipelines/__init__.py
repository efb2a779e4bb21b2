"""The toolset `devops-pipelines`, of several files."""

from tools.azure_devops.pipelines import changes, pipelines

parts = (pipelines.part, changes.part)
