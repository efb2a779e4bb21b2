"""The toolset `devops-work-items`, of several files."""

from mcp_server.declarations.toolset import Toolset
from tools.azure_devops.provider import provider
from tools.azure_devops.work_items import comments, items, lists, queries

toolset = Toolset(
    "devops-work-items",
    "Find, read, create, change and discuss Azure DevOps work items.",
    parts=(items.part, queries.part, lists.part, comments.part),
    needs=(provider,),
)
