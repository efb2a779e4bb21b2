"""Searches code, wikis and work items, like the search in the web portal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final
from urllib.parse import unquote

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.organization import Host
from clients.azure_devops.paging import ListPage
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.shared.answers import Json, many, present, shape
from tools.azure_devops.shared.parameters import AreaPath, States, Types
from tools.azure_devops.shared.scopes import Projects, one_project
from tools.azure_devops.shared.work_item_types import state_names

part = Part()

_MOST_LINES: Final = 5
_MARK: Final = re.compile(r"</?highlighthit>")
_INDEXING: Final = frozenset({1, 2, 6, 7, 9})
_CANNOT: Final = {
    3: "the request is not valid",
    4: "a word cannot begin with a wildcard",
    5: "several words cannot follow a code filter such as `class:`",
    11: "these work items are not accessible",
    19: "a phrase cannot follow a code filter such as `class:`",
    20: "a wildcard cannot follow a code filter such as `class:`",
}
_CODE: Final = shape("path", repository="repository.name", project="project.name")
_WIKI: Final = shape(wiki="wiki.name", project="project.name")
_WORK_ITEM: Final = {
    "id": "system.id",
    "type": "system.workitemtype",
    "title": "system.title",
    "state": "system.state",
    "assignedTo": "system.assignedto",
    "tags": "system.tags",
}

Most = Annotated[int, Field(ge=1, le=200, description="Limit")]
Words = Annotated[str, Field(min_length=1, description='Words, "a phrase", wild*')]


@part.tool(Access.READ, harmless=("project",))
async def search_code(
    devops: DevOps,
    searchText: Annotated[str, Field(min_length=1, description="Words, ext:py or class:X")],
    project: Projects = None,
    repositories: Annotated[list[str] | None, Field(max_length=20, description="Names")] = None,
    path: Annotated[str | None, Field(description="Folder in one repository")] = None,
    branch: Annotated[str | None, Field(description="Branch of one repository")] = None,
    maxResults: Most = 20,
) -> Json:
    """Find code files and the lines that match."""
    where = one_project(devops, project)
    if (path or branch) and len(repositories or ()) != 1:
        raise Refusal(
            "`path` and `branch` require exactly one entry in `repositories`. list_repositories lists the names."
        )
    if repositories and not where:
        raise Refusal("`repositories` requires a project: pass the project's name. list_projects lists the projects.")
    # The project filter requires a name; the project in the URL can also be an id.
    within = [where] if where and repositories else None
    filters = {"Project": within, "Repository": repositories, "Path": _only(path), "Branch": _only(branch)}
    return await _found(devops, "code", where, searchText, filters, maxResults, {"includeSnippet": True})


@part.tool(Access.READ, harmless=("project",))
async def search_wiki(
    devops: DevOps,
    searchText: Words,
    project: Projects = None,
    wikis: Annotated[list[str] | None, Field(max_length=20, description="Names")] = None,
    maxResults: Most = 20,
) -> Json:
    """Search wiki pages by their text."""
    return await _found(devops, "wiki", one_project(devops, project), searchText, {"Wiki": wikis}, maxResults)


@part.tool(Access.READ, harmless=("project",))
async def search_work_item_text(
    devops: DevOps,
    searchText: Words,
    project: Projects = None,
    workItemTypes: Types = None,
    states: States = None,
    areaPath: AreaPath = None,
    maxResults: Most = 20,
) -> Json:
    """Find work items by words in any field, best match first."""
    where = one_project(devops, project)
    filters = {
        "System.WorkItemType": workItemTypes,
        "System.State": await state_names(devops, where, workItemTypes, states),
        "System.AreaPath": _only(areaPath),
    }
    return await _found(devops, "workitem", where, searchText, filters, maxResults)


async def _found(
    devops: AzureDevOps,
    kind: str,
    project: str | None,
    words: str,
    filters: Mapping[str, list[str] | None],
    limit: int,
    more: Mapping[str, Any] | None = None,
) -> Json:
    body = {"searchText": words, "$skip": 0, "$top": limit, "filters": present(filters), **(more or {})}
    line = f"POST /{{project}}/_apis/search/{kind}searchresults"
    result = await devops.json(DevOpsRequest(line, {"project": project}, body=body, host=Host.SEARCH, is_read=True))
    code = result.get("infoCode")
    if code in _CANNOT:
        raise Refusal(f"Azure DevOps cannot run this search: {_CANNOT[code]}. Change searchText.")
    note = "The index is still being built, so results may be incomplete." if code in _INDEXING else None
    found, total = result["results"], result.get("count")
    # If only some repositories can be searched, there is no total, and a full page means that more may follow.
    has_more = len(found) >= limit if total is None else total > limit
    return many(ListPage(found, has_more), _SHAPES[kind], total=total, note=note)


def _only(value: str | None) -> list[str] | None:
    return [value] if value else None


def _code(result: Mapping[str, Any]) -> Json:
    version: Mapping[str, Any] = next(iter(result.get("versions") or ()), {})
    hits = (result.get("matches") or {}).get("content") or ()
    lines = {hit["line"]: hit["codeSnippet"].strip() for hit in hits if hit.get("codeSnippet")}
    shown = [{"line": line, "text": text} for line, text in sorted(lines.items())[:_MOST_LINES]]
    return present({**_CODE(result), "branch": version.get("branchName"), "hits": len(hits), "lines": shown})


def _wiki(result: Mapping[str, Any]) -> Json:
    return present({"path": _page_path(result), **_WIKI(result), "hits": _marked(result)})


def _work_item(result: Mapping[str, Any]) -> Json:
    fields = {name: result["fields"].get(field) for name, field in _WORK_ITEM.items()}
    return present({**fields, "project": result["project"]["name"], "hits": _marked(result)})


def _page_path(result: Mapping[str, Any]) -> str:
    """Return the path of a page in the form that get_wiki_page accepts. In the page's file name, dashes stand for
    spaces.
    """
    folder = str(result["wiki"].get("mappedPath") or "/").rstrip("/")
    file = str(result["path"]).removeprefix(folder).removesuffix(".md")
    return unquote(file.replace("-", " "))


def _marked(result: Mapping[str, Any]) -> list[str]:
    """Return the matching passages, without the tags that highlight the matches."""
    passages = [text for hit in result.get("hits") or () for text in hit["highlights"]]
    return [_MARK.sub("", text) for text in passages[:_MOST_LINES]]


_SHAPES: Final = {"code": _code, "wiki": _wiki, "workitem": _work_item}
