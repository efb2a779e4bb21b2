"""The files of a repository."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure_devops.messages import OCTETS, Request
from clients.azure_devops.paging import Page
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, answer, many, shape
from tools.azure_devops.shared.file_contents import as_text, excerpt
from tools.azure_devops.shared.git_references import REPOSITORY, place_of, version
from tools.azure_devops.shared.parameters import MaxResults, Project, Repository

part = Part()

# More is not read, even to show only some lines of it.
LARGEST_FILE: Final = 4 * 1024 * 1024

BranchIfAny = Annotated[str | None, Field(description="Has a default; of a tag: refs/tags/x")]

_FILE: Final = shape("path", type="gitObjectType")


@part.tool(Access.READ, harmless=("project", "repository", "path", "branch", "commitId"))
async def get_file_content(
    devops: DevOps,
    repository: Repository,
    path: Annotated[str, Field(description="From the root")],
    project: Project = None,
    branch: BranchIfAny = None,
    commitId: Annotated[str | None, Field(description="Instead of branch")] = None,
    firstLine: Annotated[int, Field(ge=1, description="Where to begin")] = 1,
    maxLines: Annotated[int, Field(ge=1, description="Most lines")] = 2000,
) -> Json:
    """Get a text file, or some lines of it."""
    query = {"path": path, **version(commitId or branch, "versionDescriptor.version")}
    place = place_of(devops, project, repository)
    request = Request(f"GET {REPOSITORY}/items", place, query, accept=OCTETS)
    content = await devops.download(request, LARGEST_FILE)
    text = as_text(content)
    if text is None:
        return answer(path=path, size=len(content), binary=True)
    return answer(path=path, size=len(content), **excerpt(text, firstLine, maxLines))


@part.tool(Access.READ, harmless=("project", "repository", "path", "branch", "recursive"))
async def list_files(
    devops: DevOps,
    repository: Repository,
    path: Annotated[str, Field(description="A folder")] = "/",
    project: Project = None,
    branch: BranchIfAny = None,
    recursive: Annotated[bool | None, Field(description="With all below")] = None,
    maxResults: MaxResults = 200,
) -> Json:
    """List the files and folders in a folder."""
    query = {
        "scopePath": path,
        "recursionLevel": "full" if recursive else "oneLevel",
        **version(branch, "versionDescriptor.version"),
    }
    request = Request(f"GET {REPOSITORY}/items", place_of(devops, project, repository), query)
    items = (await devops.json(request))["value"]
    if not items:
        raise Refusal(f"There is no {path!r}. list_files without a path lists the root.")
    found = [item for item in items if not _is_asked_for(item, path)]
    return many(Page(found[:maxResults], len(found) > maxResults), _FILE)


def _is_asked_for(item: Any, path: str) -> bool:
    """Whether it is the folder itself, which the service lists with what is in it."""
    return bool(item.get("isFolder")) and item["path"].strip("/") == path.strip("/")
