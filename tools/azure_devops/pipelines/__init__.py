"""The toolset `devops-pipelines`, of several files."""

from tools.azure_devops.pipelines import approvals, azd, changes, pipelines

parts = (pipelines.part, changes.part, azd.part, approvals.part)
