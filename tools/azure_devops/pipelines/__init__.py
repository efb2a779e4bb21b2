"""The toolset `devops-pipelines`, of several files."""

from mcp_server.declarations.toolset import Toolset
from tools.azure_devops.pipelines import changes, pipelines
from tools.azure_devops.provider import provider

toolset = Toolset(
    "devops-pipelines",
    "Run Azure DevOps pipelines, follow, retry and cancel their runs, read logs.",
    parts=(pipelines.part, changes.part),
    needs=(provider,),
)
