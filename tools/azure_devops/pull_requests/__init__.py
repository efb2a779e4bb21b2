"""The toolset `devops-pull-requests`, of several files."""

from mcp_server.declarations.toolset import Toolset
from tools.azure_devops.provider import provider
from tools.azure_devops.pull_requests import changes, comments, completion, linked_items, requests, reviews

toolset = Toolset(
    "devops-pull-requests",
    "Read, open, review and complete Azure DevOps pull requests.",
    parts=(requests.part, completion.part, reviews.part, comments.part, linked_items.part, changes.part),
    needs=(provider,),
)
