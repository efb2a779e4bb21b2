"""Reads files and uncommitted changes in workspaces."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Annotated, Final

from clients.answers import Json, present
from invisible import escaped
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.workspace.parameters import SECONDS, UNTRUSTED, MyDesk, Path, RepoDir, about
from workspaces.trees import TreeEntry
from workspaces.workspace import Workspace

part = Part()

_LONGEST: Final = 60_000
_LONGEST_LINE: Final = 400
_LARGEST_SEARCHED: Final = 1024 * 1024
_MOST_SEARCHED: Final = 5_000

Folder = Annotated[str, Field(max_length=1000, description="Only in this folder")]
Pattern = Annotated[str, Field(max_length=200, description="Such as *.py or src/*test*")]
MaxResults = Annotated[int, Field(ge=1, le=1000, description="Limit")]


@part.tool(Access.READ, open_world=False)
async def git_workspaces(desk: MyDesk) -> Json:
    """List your git workspaces: repository, branch, size, last change."""
    found = await desk.all()
    listed = [
        {**about(name, state), "repo_url": state.url, "size": state.size, "changed_at": state.used.isoformat()}
        for name, state in sorted(found.items())
    ]
    return {"count": len(listed), "workspaces": listed}


@part.tool(Access.READ, harmless=("repo_dir",), seconds=SECONDS, open_world=False)
async def git_status(desk: MyDesk, repo_dir: RepoDir) -> Json:
    """Show a workspace: branch, uncommitted changes, and whether it matched the server at the last contact."""
    state, changed = await desk.read(repo_dir, lambda one: (one.state, one.changed()))
    there = state.remote.get(state.branch)
    pushed = "not on the server" if there is None else "same as on the server" if there == state.head else "differs"
    files = [{"path": one.text, "change": one.kind} for one in changed[:1000]]
    more = {"conflicts": list(map(escaped, state.conflicts)), "more": max(0, len(changed) - len(files)) or None}
    return {**about(repo_dir, state), "changed_files": files, "pushed": pushed, **present(more)}


@part.tool(Access.READ, harmless=("repo_dir", "path", "pattern"), seconds=SECONDS, open_world=False)
async def git_list(
    desk: MyDesk, repo_dir: RepoDir, path: Folder = "", pattern: Pattern = "", max_results: MaxResults = 200
) -> Json:
    """List the current files of a workspace, committed or not."""
    found = await desk.read(repo_dir, lambda one: _fitting(one, path, pattern))
    listed = [
        present({"path": one.text, "kind": one.kind if one.kind != "file" else ""}) for one in found[:max_results]
    ]
    return {"untrusted": UNTRUSTED, "count": len(found), "files": listed}


def _fitting(one: Workspace, folder: str, pattern: str) -> list[TreeEntry]:
    return [entry for entry in one.entries(folder) if not pattern or _fits(entry, pattern)]


def _fits(entry: TreeEntry, pattern: str) -> bool:
    return fnmatchcase(entry.text, pattern) or (
        "/" not in pattern and fnmatchcase(entry.text.rpartition("/")[2], pattern)
    )


@part.tool(Access.READ, harmless=("repo_dir", "path"), seconds=SECONDS, open_world=False)
async def git_read(
    desk: MyDesk,
    repo_dir: RepoDir,
    path: Path,
    first_line: Annotated[int, Field(ge=1, description="First line")] = 1,
    lines: Annotated[int, Field(ge=1, le=5000, description="Number of lines")] = 1000,
) -> Json:
    """Read a file of a workspace, with its etag for git_write."""
    entry, content = await desk.read(repo_dir, lambda one: one.content(path))
    text = text_of(path, content).splitlines(keepends=True)
    if first_line > max(1, len(text)):
        raise Refusal(f"{path[:200]!r} has only {len(text)} lines.")
    shown, rest = _cut(text[first_line - 1 : first_line - 1 + lines])
    last = first_line + len(shown) - 1
    more = {"next_line": last + 1 if rest or last < len(text) else None, "cut": _what_was_cut(shown, first_line)}
    answer = {"untrusted": UNTRUSTED, "path": entry.text, "etag": entry.id.decode(), "lines": len(text)}
    return {**answer, **present(more), "text": "".join(shown)[:_LONGEST]}


def text_of(path: str, content: bytes) -> str:
    """Return the text of a file.

    Raises:
        Refusal: The file is not text.
    """
    try:
        text = content.decode("utf-8-sig" if content.startswith(b"\xef\xbb\xbf") else "utf-8")
    except UnicodeDecodeError:
        raise Refusal(f"{path[:200]!r} is not UTF-8 text ({len(content)} bytes).") from None
    if "\0" in text:
        raise Refusal(f"{path[:200]!r} is not text ({len(content)} bytes).")
    return text


def _cut(lines: list[str]) -> tuple[list[str], bool]:
    """Return the complete lines that fit into an answer, and whether more lines follow."""
    length = 0
    for number, line in enumerate(lines):
        length += len(line)
        if length > _LONGEST:
            return lines[: number or 1], len(lines) > 1
    return lines, False


def _what_was_cut(shown: list[str], first: int) -> str:
    """If the first line alone is too long for an answer, return a note that this line was truncated."""
    length = len(shown[0]) if shown else 0
    return f"line {first} is {length} characters long; only the first {_LONGEST} are shown" if length > _LONGEST else ""


@part.tool(Access.READ, harmless=("repo_dir", "path", "pattern"), seconds=SECONDS, open_world=False)
async def git_search(
    desk: MyDesk,
    repo_dir: RepoDir,
    text: Annotated[str, Field(min_length=1, max_length=200, description="Literal text, case-insensitive")],
    path: Folder = "",
    pattern: Pattern = "",
    max_results: MaxResults = 50,
) -> Json:
    """Search the files of a workspace for a text; returns path, line number and line."""
    count, found, left_out = await desk.read(
        repo_dir, lambda one: lines_with(one, text, _fitting(one, path, pattern), max_results)
    )
    answer = {"untrusted": UNTRUSTED, "count": count, "lines": found}
    return {**answer, **present({"not_searched": left_out or None})}


def lines_with(one: Workspace, text: str, entries: list[TreeEntry], most: int) -> tuple[int, list[Json], int]:
    """Return the number of matching lines, the first matching lines, and the number of files that were skipped."""
    pattern = re.compile(re.escape(text), re.IGNORECASE)
    found: list[Json] = []
    count = 0
    left_out = max(0, len(entries) - _MOST_SEARCHED)
    for entry in entries[:_MOST_SEARCHED]:
        content = _searched(one, entry)
        left_out += content is None
        lines = [line for line in enumerate((content or "").splitlines(), 1) if pattern.search(line[1])]
        found += [_found_line(entry, *line) for line in lines[: max(0, most - count)]]
        count += len(lines)
    return count, found, left_out


def _found_line(entry: TreeEntry, number: int, line: str) -> Json:
    return {"path": entry.text, "line": number, "text": line.strip()[:_LONGEST_LINE]}


def _searched(one: Workspace, entry: TreeEntry) -> str | None:
    """Return the text of a file, or None if the file is binary, too large, or omitted from the clone."""
    content = one.small(entry, _LARGEST_SEARCHED)
    return None if content is None or b"\0" in content else content.decode(errors="replace")
