"""The toolset `devops-pipelines`: pipelines, their runs, and approvals."""

from tools.azure_devops.pipelines import approvals, azd, pipeline_changes, pipelines

parts = (pipelines.part, pipeline_changes.part, azd.part, approvals.part)
