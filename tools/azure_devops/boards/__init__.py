"""The toolset `devops-boards`, of several files."""

from mcp_server.declarations.toolset import Toolset
from tools.azure_devops.boards import boards
from tools.azure_devops.provider import provider

toolset = Toolset(
    "devops-boards", "Look at Azure DevOps boards, and move their cards.", parts=(boards.part,), needs=(provider,)
)
