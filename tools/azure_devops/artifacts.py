"""Lists Azure Artifacts feeds and their packages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.organization import Host
from clients.azure_devops.paging import SKIP, ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, every, many, one, present, shape
from tools.azure_devops.shared.identifiers import is_id
from tools.azure_devops.shared.parameters import MaxResults

part = Part()

FeedId = Annotated[str, Field(min_length=1, description="Name or id")]
# The default project is not used, because most feeds belong to the organization and not to a project.
FeedProject = Annotated[str | None, Field(description="For project feeds")]
PackageId = Annotated[str, Field(min_length=1, description="Package id or name")]

_SAME_NAMES: Final = 20
_FEED: Final = shape("id", "name", "description", project="project.name", view="defaultViewId")
_PACKAGE: Final = shape("id", "name", type="protocolType")
_VERSION: Final = shape("id", "version", published="publishDate", latest="isLatest", deleted="isDeleted")


@part.tool(Access.READ, harmless=("project",))
async def list_feeds(devops: DevOps, project: FeedProject = None) -> Json:
    """List feeds, each with its project, if any."""
    return every((await devops.json(_request("GET /{project}/_apis/packaging/feeds", project)))["value"], _FEED)


@part.tool(Access.READ, harmless=("project", "feedId"))
async def get_feed(devops: DevOps, feedId: FeedId, project: FeedProject = None) -> Json:
    """Get a feed."""
    request = _request("GET /{project}/_apis/packaging/feeds/{feedId}", project, feedId=feedId)
    return one(await devops.json(request), _FEED)


@part.tool(Access.READ, harmless=("project", "feedId", "protocolType"))
async def list_packages(
    devops: DevOps,
    feedId: FeedId,
    project: FeedProject = None,
    protocolType: Annotated[str | None, Field(description="Such as npm")] = None,
    packageNameQuery: Annotated[str | None, Field(description="Part of the name")] = None,
    maxResults: MaxResults = 100,
) -> Json:
    """List the packages of a feed with their latest versions."""
    query = {"protocolType": protocolType, "packageNameQuery": packageNameQuery}
    request = _packages(project, feedId, query)
    return many(await devops.page(request, SKIP, maxResults), _shown)


@part.tool(Access.READ, harmless=("project", "feedId", "packageId"))
async def get_package(devops: DevOps, feedId: FeedId, packageId: PackageId, project: FeedProject = None) -> Json:
    """Get a package with its latest version."""
    line = "GET /{project}/_apis/packaging/Feeds/{feedId}/packages/{packageId}"
    package = await _id_of(devops, project, feedId, packageId)
    query = {"includeDescription": True}
    return one(await devops.json(_request(line, project, query, feedId=feedId, packageId=package)), _shown)


@part.tool(Access.READ, harmless=("project", "feedId", "packageId"))
async def get_package_versions(
    devops: DevOps,
    feedId: FeedId,
    packageId: PackageId,
    project: FeedProject = None,
    maxResults: MaxResults = 50,
) -> Json:
    """List the versions of a package."""
    line = "GET /{project}/_apis/packaging/Feeds/{feedId}/Packages/{packageId}/versions"
    package = await _id_of(devops, project, feedId, packageId)
    found = await devops.json(_request(line, project, feedId=feedId, packageId=package))
    versions = found["value"]
    return many(ListPage(versions[:maxResults], len(versions) > maxResults), _version)


async def _id_of(devops: AzureDevOps, project: str | None, feed: str, package: str) -> str:
    """Return the id of the package with this id or name. Raise a Refusal unless exactly one matches."""
    if is_id(package):
        return package
    page = await devops.page(_packages(project, feed, {"packageNameQuery": package}), SKIP, _SAME_NAMES)
    same = [found for found in page.items if found["name"].lower() == package.lower()]
    if len(same) == 1:
        return str(same[0]["id"])
    kinds = ", ".join(f"{found['protocolType']} {found['id']}" for found in same)
    what = f"matches several packages ({kinds}): pass an id" if same else "not found"
    raise Refusal(f"Package {package!r} {what}. list_packages lists the packages of the feed.")


def _packages(project: str | None, feed: str, query: Mapping[str, Any]) -> DevOpsRequest:
    return _request("GET /{project}/_apis/packaging/Feeds/{feedId}/packages", project, query, feedId=feed)


def _request(line: str, project: str | None, query: Mapping[str, Any] | None = None, **values: str) -> DevOpsRequest:
    return DevOpsRequest(line, {"project": project or None, **values}, query or {}, host=Host.FEEDS)


def _shown(package: Mapping[str, Any]) -> Json:
    versions = package.get("versions") or []
    latest = next((version for version in versions if version.get("isLatest")), versions[0] if versions else {})
    about = {
        "version": latest.get("version"),
        "published": latest.get("publishDate"),
        "description": latest.get("packageDescription"),
    }
    return present({**_PACKAGE(package), **about})


def _version(version: Mapping[str, Any]) -> Json:
    views = [view["name"] for view in version.get("views") or ()]
    return present({**_VERSION(version), "views": views, "description": version.get("description")})
