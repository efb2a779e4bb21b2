"""Compares two versions of a repository: the files that differ, and their diffs."""

from __future__ import annotations

from typing import Annotated, Any, Final

from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import ListPage
from clients.azure_devops.records import records
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure_devops.access import DevOps
from tools.azure_devops.git.files import file_request
from tools.azure_devops.shared.answers import Json, at, many, shape
from tools.azure_devops.shared.file_diffs import ChangedFile, diffs_of
from tools.azure_devops.shared.git_references import REPOSITORY, place_of, version
from tools.azure_devops.shared.parameters import MOST_RESULTS, MaxResults, Project, Repository

part = Part()

Version = Annotated[str, Field(description="Branch, commit id or refs/tags/x")]

_CHANGE: Final = shape(path="item.path", change="changeType", was="sourceServerItem", type="item.gitObjectType")
_COMPARED: Final = shape(
    "commonCommit", "baseCommit", "targetCommit", ahead="aheadCount", behind="behindCount", counts="changeCounts"
)


@part.tool(Access.READ, harmless=("project", "repository", "base", "target", "paths", "includeDiffs"))
async def compare_commits(
    devops: DevOps,
    repository: Repository,
    base: Version,
    target: Version,
    project: Project = None,
    includeDiffs: Annotated[bool, Field(description="With changed lines")] = False,
    paths: Annotated[list[str] | None, Field(max_length=50, description="Only these files")] = None,
    maxResults: MaxResults = 100,
) -> Json:
    """Compare two branches or commits: list the files changed in target since the common commit; diffs on request."""
    place = place_of(devops, project, repository)
    most = MOST_RESULTS if paths else maxResults
    versions = version(base, "baseVersion") | version(target, "targetVersion")
    query = {**versions, "diffCommonCommit": True, "$top": most}
    found = await devops.json(DevOpsRequest(f"GET {REPOSITORY}/diffs/commits", place, query))
    page = _changes(found, paths, most, maxResults)
    if not includeDiffs:
        return many(page, _CHANGE, **_COMPARED(found))
    sides = found.get("commonCommit") or base, found.get("targetCommit") or target
    diffs = await diffs_of(devops, [_changed(place, entry, *map(str, sides)) for entry in page.items])
    whole = "get_file_content returns either version of a file: pass commonCommit or targetCommit as commitId."
    shown = ListPage(diffs.items, page.has_more or bool(diffs.left))
    return many(shown, dict, **_COMPARED(found), **diffs.said(whole))


def _changes(found: Any, paths: list[str] | None, asked_for: int, limit: int) -> ListPage:
    """Return the files that differ, without folders."""
    changes = records(found.get("changes"))
    files = [entry for entry in changes if not at(entry, "item.isFolder")]
    has_more = not found.get("allChangesIncluded", len(changes) < asked_for)
    if paths is not None:
        files = _chosen(files, paths, has_more=has_more)
        has_more = False
    return ListPage(files[:limit], has_more or len(files) > limit)


def _chosen(files: list[Any], paths: list[str], *, has_more: bool) -> list[Any]:
    names = {f"/{path.lstrip('/')}" for path in paths}
    if strangers := names - {_path(entry) for entry in files}:
        what = f"not among the first {MOST_RESULTS} changed files:" if has_more else "not among the changed files:"
        raise Refusal(
            f"Paths {what} {', '.join(sorted(strangers))}. compare_commits without paths lists all changed files."
        )
    return [entry for entry in files if _path(entry) in names]


def _changed(place: Json, entry: Any, old: str, new: str) -> ChangedFile:
    """Return a changed file. Both versions are read by path, because some responses contain no blob ids."""
    path, was, shown = _path(entry), str(entry.get("sourceServerItem") or ""), _CHANGE(entry)
    kinds = str(entry.get("changeType")).split(", ")
    if unread := _unread(entry, kinds):
        return ChangedFile(path, shown, unread=unread)
    before = None if "add" in kinds else file_request(place, was or path, old)
    after = None if "delete" in kinds else file_request(place, path, new)
    return ChangedFile(path, shown, before, after, was or None)


def _unread(entry: Any, kinds: list[str]) -> str | None:
    """Return why no diff is shown for a change, for example because the file was only renamed."""
    if "sourceRename" in kinds:
        return "renamed: shown under its new name"
    if kinds == ["rename"]:
        return "renamed only"
    return None if str(at(entry, "item.gitObjectType")) in {"blob", "None"} else "no file"


def _path(entry: Any) -> str:
    return str(at(entry, "item.path"))
