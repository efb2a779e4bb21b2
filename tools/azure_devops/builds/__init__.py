"""The toolset `devops-builds`, of several files."""

from mcp_server.declarations.toolset import Toolset
from tools.azure_devops.builds import builds, results
from tools.azure_devops.provider import provider

toolset = Toolset(
    "devops-builds",
    "Queue, follow and cancel Azure DevOps builds, and find out why they failed.",
    parts=(builds.part, results.part),
    needs=(provider,),
)
