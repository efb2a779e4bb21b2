"""Reads and changes wikis and their pages. A call that updates a page must pass the page version that was read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from changes.preview import Preview
from changes.undo import Undo, by_call
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.failures import in_its_words
from clients.azure_devops.messages import DevOpsAnswer, DevOpsRequest
from clients.azure_devops.paging import ByToken, ListPage
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from text.sections import Section, named, replaced, sections_of
from tools.azure_devops.access import DevOps
from tools.azure_devops.previews.wikis import page_preview
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
_MOST_NAMED: Final = 30
_LONGEST_PARSED: Final = 1_000_000
_MOST_LINES: Final = 10_000

WikiId = Annotated[str, Field(min_length=1, description="Name or id")]
Path = Annotated[str, Field(min_length=1, description="Such as /Team/How")]
Content = Annotated[str, Field(description="Whole page in Markdown")]
Heading = Annotated[str, Field(min_length=1, max_length=1000, description="Heading, or path: Setup > Windows")]
WikiBranch = Annotated[str | None, Field(description="Branch of a code wiki")]


@part.tool(Access.READ, harmless=("project",))
async def list_wikis(devops: DevOps, project: Project = None) -> Json:
    """List the wikis of a project."""
    request = DevOpsRequest("GET /{project}/_apis/wiki/wikis", {"project": devops.project(project)})
    return every((await devops.json(request))["value"], _WIKI)


@part.tool(Access.READ, harmless=("project", "wikiId"))
async def get_wiki(devops: DevOps, wikiId: WikiId, project: Project = None, detail: Detail = "summary") -> Json:
    """Get a wiki and the repository it is published from."""
    request = DevOpsRequest("GET /{project}/_apis/wiki/wikis/{wikiId}", _place(devops, project, wikiId))
    return one(await devops.json(request), _WIKI, detail)


@part.tool(Access.READ, harmless=("project", "wikiId"))
async def get_wiki_page(
    devops: DevOps,
    wikiId: WikiId,
    path: Path,
    project: Project = None,
    version: Annotated[str | None, Field(description="Branch or commit of a code wiki, not an eTag")] = None,
    includeContent: Annotated[bool, Field(description="With its text")] = True,
    section: Annotated[str | None, Field(max_length=1000, description="Only the text below this heading")] = None,
) -> Json:
    """Get a wiki page or a section, and the eTag for updates."""
    query = {"path": _checked(path), "includeContent": includeContent or bool(section), **_of(version)}
    page = await devops.send(DevOpsRequest(f"GET {PAGES}", _place(devops, project, wikiId), query))
    if not section:
        return _page(page, page.document.get("content"))
    content = _content(page)
    found = _section(content, section)
    return _page(page, found.of(content), section=found.name)


def _deleted_again(meant: Mapping[str, Any]) -> Undo:
    return by_call("delete_wiki_page", **{name: meant.get(name) for name in ("wikiId", "path", "project", "branch")})


@part.change(
    Access.WRITE,
    harmless=("project", "wikiId"),
    undo=_deleted_again,
)
async def create_wiki_page(
    devops: DevOps,
    wikiId: WikiId,
    path: Path,
    content: Content,
    project: Project = None,
    comment: Comment = None,
    branch: WikiBranch = None,
) -> StatedChange[Json]:
    """Create a wiki page. The parent page must exist."""

    async def apply() -> Json:
        query = {"path": _checked(path), "comment": comment, **_of(branch)}
        request = DevOpsRequest(f"PUT {PAGES}", _place(devops, project, wikiId), query, {"content": content})
        return _page(await devops.send(request))

    return StatedChange(apply)


def _empties(meant: Mapping[str, Any]) -> bool:
    return not str(meant.get("content") or "").strip()


@part.change(Access.WRITE, destroys=_empties, harmless=("project", "wikiId"))
async def update_wiki_page(
    devops: DevOps,
    wikiId: WikiId,
    path: Path,
    content: Content,
    version: Annotated[str, Field(min_length=1, description="eTag from get_wiki_page, not a branch")],
    project: Project = None,
    comment: Comment = None,
    branch: WikiBranch = None,
) -> Change[Json]:
    """Rewrite a wiki page, unless it changed since it was read."""
    place, where = _place(devops, project, wikiId), {"path": _checked(path), **_of(branch)}
    headers = {"If-Match": _match("version", version)}

    async def preview() -> Preview:
        return await page_preview(devops, place, where, content)

    async def apply() -> Json:
        query = {**where, "comment": comment}
        return _page(
            await devops.send(DevOpsRequest(f"PUT {PAGES}", place, query, {"content": content}, headers=headers))
        )

    return PlannedChange(preview, apply)


@part.change(Access.WRITE, destroys=_empties, harmless=("project", "wikiId"))
async def update_wiki_section(
    devops: DevOps,
    wikiId: WikiId,
    path: Path,
    section: Heading,
    content: Annotated[str, Field(description="New text in Markdown, with or without the heading")],
    eTag: Annotated[str, Field(min_length=1, description="From get_wiki_page")],
    project: Project = None,
    comment: Comment = None,
    branch: WikiBranch = None,
) -> Change[Json]:
    """Rewrite one section of a wiki page, unless the page changed."""
    place, where, tag = _place(devops, project, wikiId), {"path": _checked(path), **_of(branch)}, _match("eTag", eTag)
    page = await devops.send(DevOpsRequest(f"GET {PAGES}", place, {**where, "includeContent": True}))
    if _tag(page).lower() != tag.strip('"').lower():
        raise Refusal("The page has changed: read the section again with get_wiki_page, and pass the new eTag.")
    old = _content(page)
    new = _rewritten(old, section, content)

    async def preview() -> Preview:
        return await page_preview(devops, place, where, new)

    async def apply() -> Json:
        if new == old:
            return _page(page, unchanged=True)
        query = {**where, "comment": comment}
        request = DevOpsRequest(f"PUT {PAGES}", place, query, {"content": new}, headers={"If-Match": tag})
        return _page(await devops.send(request))

    return PlannedChange(preview, apply)


@part.change(Access.DESTROY, harmless=("project", "wikiId"))
async def delete_wiki_page(
    devops: DevOps,
    wikiId: WikiId,
    path: Path,
    project: Project = None,
    comment: Comment = None,
    branch: WikiBranch = None,
) -> Change[Json]:
    """Delete a wiki page and its subpages."""
    place, where = _place(devops, project, wikiId), {"path": _checked(path), **_of(branch)}

    async def preview() -> Preview:
        return await page_preview(devops, place, where, None)

    async def apply() -> Json:
        await devops.json(DevOpsRequest(f"DELETE {PAGES}", place, {**where, "comment": comment}))
        return answer(path=where["path"], deleted=True)

    return PlannedChange(preview, apply)


@part.tool(Access.READ, harmless=("project", "wikiId", "recursive"))
async def list_wiki_pages(
    devops: DevOps,
    wikiId: WikiId,
    project: Project = None,
    path: Annotated[str, Field(description="Only this page and its subpages")] = "/",
    recursive: Annotated[bool, Field(description="false: one level")] = True,
    maxResults: MaxResults = 200,
) -> Json:
    """List the pages of a wiki."""
    place = _place(devops, project, wikiId)
    if recursive and path == "/":
        line = "POST /{project}/_apis/wiki/wikis/{wikiId}/pagesbatch"
        return many(await devops.page(DevOpsRequest(line, place, body={}, is_read=True), _BATCH, maxResults), _LISTED)
    query = {"path": _checked(path), "recursionLevel": "full" if recursive else "oneLevel"}
    pages = list(_flat(await devops.json(DevOpsRequest(f"GET {PAGES}", place, query))))
    return many(ListPage(pages[:maxResults], len(pages) > maxResults), _LISTED)


def _place(devops: AzureDevOps, project: str | None, wiki: str) -> dict[str, str]:
    return {"project": devops.project(project), "wikiId": wiki}


def _of(version: str | None) -> dict[str, str]:
    """Return the query parameters that select the requested version of a wiki. A project wiki has only one version; a
    code wiki has branches.
    """
    if not version:
        return {}
    kind = "commit" if _ETAG.fullmatch(version) else "branch"
    return {"versionDescriptor.version": version, "versionDescriptor.versionType": kind}


def _content(page: DevOpsAnswer) -> str:
    """Return the text of a page. Texts above a limit are rejected, because parsing them would block other requests."""
    content = str(page.document.get("content") or "")
    if len(content) > _LONGEST_PARSED or content.count("\n") > _MOST_LINES:
        raise Refusal(
            f"The page is longer than {_LONGEST_PARSED} characters or {_MOST_LINES} lines:"
            " read or update it as a whole."
        )
    return content


def _page(given: DevOpsAnswer, content: str | None = None, **more: Any) -> Json:
    return answer(**_PAGE(given.document), eTag=_tag(given), **more, content=content)


def _tag(page: DevOpsAnswer) -> str:
    """Return the page's version. A proxy that compresses the response may have marked the etag as weak."""
    return page.headers.get("ETag", "").removeprefix("W/").strip('"')


def _section(content: str, name: str) -> Section:
    """Find a section by its name. Raise a Refusal unless exactly one section matches."""
    known = sections_of(content)
    found = named(known, name)
    if len(found) == 1:
        return found[0]
    if not found:
        listed = "; ".join(section.name for section in known[:_MOST_NAMED]) or "none"
        more = f"; and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
        raise Refusal(f"Section {name!r} not found. {in_its_words(f'Sections of the page: {listed}{more}')}")
    lines = ", ".join(f"[{which}] in line {section.line}" for which, section in enumerate(found[:_MOST_NAMED], 1))
    raise Refusal(f"{len(found)} sections are called {name!r}: {lines}. Add [1] for the first, and so on.")


def _rewritten(old: str, name: str, content: str) -> str:
    new = replaced(old, _section(old, name), content)
    if new is None:
        raise Refusal(
            "This content would absorb the text after the section. Close all code blocks and comments in the content."
        )
    return new


def _flat(page: Json) -> Iterator[Json]:
    yield page
    for below in page.get("subPages") or ():
        yield from _flat(below)


def _checked(path: str) -> str:
    """Return the path of a page with a leading slash, as the service writes it.

    Raises:
        Refusal: The path is not valid for a page.
    """
    whole = "/" + path.removeprefix("/")
    if _NOT_IN_A_PATH.search(whole) or len(whole) > _LONGEST_PATH:
        raise Refusal(
            f"{path[:_LONGEST_PATH]!r} is not a valid page path. A path has a slash before each title, at most"
            f" {_LONGEST_PATH} characters, and no \\ or #. list_wiki_pages lists the pages."
        )
    return whole


def _match(name: str, tag: str) -> str:
    bare = tag.strip().strip('"')
    if not _ETAG.fullmatch(bare):
        raise Refusal(
            f"{name} must be the eTag from get_wiki_page: 40 hexadecimal digits. To select a branch, pass `branch`."
        )
    return f'"{bare}"'
