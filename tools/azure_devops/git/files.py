"""Lists and reads the files in a repository."""

from __future__ import annotations

from base64 import b64encode
from typing import Annotated, Any, Final

from clients.azure_devops.messages import OCTETS, DevOpsRequest
from clients.azure_devops.paging import ListPage
from clients.azure_devops.records import records
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, answer, many, shape
from tools.azure_devops.shared.file_contents import excerpt, file_text
from tools.azure_devops.shared.git_references import REPOSITORY, place_of, version
from tools.azure_devops.shared.parameters import MaxResults, Project, Repository
from tools.azure_devops.shared.repositories import KnownRepository, PartOfName, TopEntries, of_all_repositories
from tools.azure_devops.shared.scopes import Projects

part = Part()

# The maximum size of a file to read, even if only some lines are requested.
LARGEST_FILE: Final = 4 * 1024 * 1024
LARGEST_IN_BASE64: Final = 256 * 1024

BranchIfAny = Annotated[str | None, Field(description="Optional; tag: refs/tags/x")]

_FILE: Final = shape("path", type="gitObjectType")


@part.tool(Access.READ, harmless=("project", "repository", "path", "branch", "commitId"))
async def get_file_content(
    devops: DevOps,
    repository: Repository,
    path: Annotated[str, Field(description="From the root")],
    project: Project = None,
    branch: BranchIfAny = None,
    commitId: Annotated[str | None, Field(description="Instead of branch")] = None,
    firstLine: Annotated[int, Field(ge=1, description="First line")] = 1,
    maxLines: Annotated[int, Field(ge=1, description="Maximum lines")] = 2000,
    base64: Annotated[bool, Field(description="Return base64")] = False,
) -> Json:
    """Get a text file, or some lines of it."""
    request = file_request(place_of(devops, project, repository), path, commitId or branch)
    content = await devops.download(request, LARGEST_FILE)
    if base64:
        return answer(path=path, size=len(content), base64=_base64(content))
    found = file_text(content)
    if found is None:
        return answer(path=path, size=len(content), binary=True)
    encoding = None if found.encoding == "utf-8" else found.encoding
    return answer(path=path, size=len(content), encoding=encoding, **excerpt(found.text, firstLine, maxLines))


@part.tool(Access.READ, harmless=("project", "repository", "path", "branch", "recursive"))
async def list_files(
    devops: DevOps,
    repository: Repository,
    path: Annotated[str, Field(description="Folder")] = "/",
    project: Project = None,
    branch: BranchIfAny = None,
    recursive: Annotated[bool | None, Field(description="All levels")] = None,
    maxResults: MaxResults = 200,
) -> Json:
    """List the files and folders in a folder."""
    query = {
        "scopePath": path,
        "recursionLevel": "full" if recursive else "oneLevel",
        **version(branch, "versionDescriptor.version"),
    }
    request = DevOpsRequest(f"GET {REPOSITORY}/items", place_of(devops, project, repository), query)
    items = records((await devops.json(request))["value"])
    if not items:
        raise Refusal(f"Path {path!r} not found. list_files without a path lists the root.")
    found = [item for item in items if not _is_asked_for(item, path)]
    return many(ListPage(found[:maxResults], len(found) > maxResults), _FILE)


@part.tool(Access.READ, harmless=("project", "path", "branch", "name"))
async def find_file(
    devops: DevOps,
    path: Annotated[str, Field(min_length=1, description="From the root")],
    project: Projects = None,
    branch: BranchIfAny = None,
    name: PartOfName = None,
    maxResults: MaxResults = 100,
) -> Json:
    """Find which repositories have a file or folder at a path, and which do not. To search any folder: search_code."""
    scope = {"scopePath": f"/{path.lstrip('/')}", "recursionLevel": "none"}
    query = scope | version(branch, "versionDescriptor.version")

    async def read(repository: KnownRepository) -> ListPage:
        found = await devops.json(DevOpsRequest(f"GET {REPOSITORY}/items", repository.place, query))
        return ListPage([_FILE(item) for item in records(found["value"])])

    top = TopEntries(limit=maxResults, by="repository", descending=False)
    return await of_all_repositories(devops, project, read, top, name)


def file_request(place: Json, path: str, branch_or_commit: str | None) -> DevOpsRequest:
    query = {"path": path, **version(branch_or_commit, "versionDescriptor.version")}
    return DevOpsRequest(f"GET {REPOSITORY}/items", place, query, accept=OCTETS)


def _base64(content: bytes) -> str:
    if len(content) > LARGEST_IN_BASE64:
        raise Refusal(f"The file is {len(content)} bytes long; the limit for base64 is {LARGEST_IN_BASE64}.")
    return b64encode(content).decode()


def _is_asked_for(item: Any, path: str) -> bool:
    """Check whether an entry is the requested folder itself. The service lists a folder among its own contents."""
    return bool(item.get("isFolder")) and str(item["path"]).strip("/") == path.strip("/")
