"""Wikis and their pages. A page is written only over the version of it that was read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import Answer, Request
from clients.azure_devops.paging import ByToken, Page
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.provider import DevOps
from tools.azure_devops.shared.answers import Json, answer, every, many, one, shape
from tools.azure_devops.shared.parameters import Comment, Detail, MaxResults, Project

part = Part()

PAGES: Final = "/{project}/_apis/wiki/wikis/{wikiId}/pages"
_BATCH: Final = ByToken(top="top", place="body")

_WIKI: Final = shape("id", "name", "type", "versions", repository="repositoryId", folder="mappedPath", link="remoteUrl")
_LISTED: Final = shape("id", "path", "order", hasSubPages="isParentPage")
_PAGE: Final = shape("id", "path", hasSubPages="isParentPage", file="gitItemPath", link="remoteUrl")

_ETAG: Final = re.compile(r"[0-9a-f]{40}", re.IGNORECASE)
_NOT_IN_A_PATH: Final = re.compile(r"[\\#\x00-\x1f\x7f]|//|/\.{1,2}(?:/|$)|./$")
_LONGEST_PATH: Final = 235

WikiId = Annotated[str, Field(min_length=1, description="Name or id")]
Path = Annotated[str, Field(min_length=1, description="Such as /Team/How we work")]
Content = Annotated[str, Field(description="Whole page in Markdown")]
WikiBranch = Annotated[str | None, Field(description="Of a code wiki")]


@part.tool(Access.READ, harmless=("project",))
async def list_wikis(devops: DevOps, project: Project = None) -> Json:
    """List the wikis of a project."""
    request = Request("GET /{project}/_apis/wiki/wikis", {"project": devops.project(project)})
    return every((await devops.json(request))["value"], _WIKI)


@part.tool(Access.READ, harmless=("project", "wikiId"))
async def get_wiki(devops: DevOps, wikiId: WikiId, project: Project = None, detail: Detail = "summary") -> Json:
    """Get what a wiki is made from."""
    request = Request("GET /{project}/_apis/wiki/wikis/{wikiId}", _place(devops, project, wikiId))
    return one(await devops.json(request), _WIKI, detail)


@part.tool(Access.READ, harmless=("project", "wikiId"))
async def get_wiki_page(
    devops: DevOps,
    wikiId: WikiId,
    path: Path,
    project: Project = None,
    version: WikiBranch = None,
    includeContent: Annotated[bool, Field(description="With its text")] = True,
) -> Json:
    """Get a wiki page, and the eTag that update_wiki_page wants."""
    query = {"path": _checked(path), "includeContent": includeContent, **_of(version)}
    return _page(await devops.send(Request(f"GET {PAGES}", _place(devops, project, wikiId), query)))


@part.tool(Access.WRITE, harmless=("project", "wikiId"))
async def create_wiki_page(
    devops: DevOps,
    wikiId: WikiId,
    path: Path,
    content: Content,
    project: Project = None,
    comment: Comment = None,
    branch: WikiBranch = None,
) -> Json:
    """Create a wiki page. The page above it has to be there."""
    query = {"path": _checked(path), "comment": comment, **_of(branch)}
    request = Request(f"PUT {PAGES}", _place(devops, project, wikiId), query, {"content": content})
    return _page(await devops.send(request), with_content=False)


@part.tool(Access.WRITE, harmless=("project", "wikiId"))
async def update_wiki_page(
    devops: DevOps,
    wikiId: WikiId,
    path: Path,
    content: Content,
    version: Annotated[str, Field(min_length=1, description="eTag that get_wiki_page gave")],
    project: Project = None,
    comment: Comment = None,
    branch: WikiBranch = None,
) -> Json:
    """Rewrite a wiki page, unless somebody changed it since it was read."""
    query = {"path": _checked(path), "comment": comment, **_of(branch)}
    headers = {"If-Match": _match(version)}
    request = Request(f"PUT {PAGES}", _place(devops, project, wikiId), query, {"content": content}, headers=headers)
    return _page(await devops.send(request), with_content=False)


@part.tool(Access.DESTROY, confirm="path", harmless=("project", "wikiId"))
async def delete_wiki_page(
    devops: DevOps,
    wikiId: WikiId,
    path: Path,
    project: Project = None,
    comment: Comment = None,
    branch: WikiBranch = None,
) -> Json:
    """Delete a wiki page, with those below it."""
    query = {"path": _checked(path), "comment": comment, **_of(branch)}
    await devops.json(Request(f"DELETE {PAGES}", _place(devops, project, wikiId), query))
    return answer(path=query["path"], deleted=True)


@part.tool(Access.READ, harmless=("project", "wikiId", "recursive"))
async def list_wiki_pages(
    devops: DevOps,
    wikiId: WikiId,
    project: Project = None,
    path: Annotated[str, Field(description="Only this page, and what is below")] = "/",
    recursive: Annotated[bool, Field(description="false: one level")] = True,
    maxResults: MaxResults = 200,
) -> Json:
    """List the pages of a wiki."""
    place = _place(devops, project, wikiId)
    if recursive and path == "/":
        line = "POST /{project}/_apis/wiki/wikis/{wikiId}/pagesbatch"
        return many(await devops.page(Request(line, place, body={}, is_read=True), _BATCH, maxResults), _LISTED)
    query = {"path": _checked(path), "recursionLevel": "full" if recursive else "oneLevel"}
    pages = list(_flat(await devops.json(Request(f"GET {PAGES}", place, query))))
    return many(Page(pages[:maxResults], len(pages) > maxResults), _LISTED)


def _place(devops: AzureDevOps, project: str | None, wiki: str) -> dict[str, str]:
    return {"project": devops.project(project), "wikiId": wiki}


def _of(branch: str | None) -> dict[str, str]:
    """The version that is meant: a wiki of its own has but one, one made from a repository has branches."""
    if not branch:
        return {}
    return {"versionDescriptor.version": branch, "versionDescriptor.versionType": "branch"}


def _page(given: Answer, *, with_content: bool = True) -> Json:
    record: dict[str, Any] = given.document
    content = record.get("content") if with_content else None
    return answer(**_PAGE(record), eTag=given.headers.get("ETag", "").strip('"'), content=content)


def _flat(page: Json) -> Iterator[Json]:
    yield page
    for below in page.get("subPages") or ():
        yield from _flat(below)


def _checked(path: str) -> str:
    """A path as the service has it, which begins at the root.

    Raises:
        Refusal: No page can have it.
    """
    whole = "/" + path.removeprefix("/")
    if _NOT_IN_A_PATH.search(whole) or len(whole) > _LONGEST_PATH:
        raise Refusal(
            f"{path[:_LONGEST_PATH]!r} is not the path of a page. It is made of titles, each after a slash, has at most"
            f" {_LONGEST_PATH} characters, and none of \\ and #. list_wiki_pages names the pages."
        )
    return whole


def _match(tag: str) -> str:
    bare = tag.strip().strip('"')
    if not _ETAG.fullmatch(bare):
        raise Refusal("version is the eTag that get_wiki_page gives: 40 hexadecimal digits.")
    return f'"{bare}"'
