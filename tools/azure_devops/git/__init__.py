"""The toolset `devops-git`, of several files."""

from mcp_server.declarations.toolset import Toolset
from tools.azure_devops.git import files, history, pushes, repositories
from tools.azure_devops.provider import provider

toolset = Toolset(
    "devops-git",
    "Read Azure DevOps Git repositories, and push commits to them.",
    parts=(repositories.part, files.part, history.part, pushes.part),
    needs=(provider,),
)
