"""The toolset `devops-pipelines`, of several files."""

from tools.azure_devops.pipelines import approvals, changes, pipelines

parts = (pipelines.part, changes.part, approvals.part)
