"""The toolset `devops-releases`, of several files."""

from mcp_server.declarations.toolset import Toolset
from tools.azure_devops.provider import provider
from tools.azure_devops.releases import deployments, releases

toolset = Toolset(
    "devops-releases",
    "Create, deploy, approve and follow classic releases of Azure DevOps.",
    parts=(releases.part, deployments.part),
    needs=(provider,),
)
