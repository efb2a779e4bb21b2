"""Shows commits, branches and diffs of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from dulwich.objects import Commit

from changes.undo import by_hand
from clients.answers import Json, present
from mcp_server.declarations.change import StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.workspace.parameters import SECONDS, UNTRUSTED, MyDesk, RepoDir, about
from workspaces.diffs import FileDifference, differences, patch
from workspaces.trees import shown
from workspaces.workspace import Workspace

part = Part()

_LONGEST: Final = 40_000

Revision = Annotated[str, Field(max_length=200, description="A branch or commit")]
Below = Annotated[str, Field(max_length=1000, description="Only this file or folder")]


@part.tool(Access.READ, harmless=("repo_dir", "revision"), seconds=SECONDS, open_world=False)
async def git_log(
    desk: MyDesk,
    repo_dir: RepoDir,
    revision: Revision = "",
    max_results: Annotated[int, Field(ge=1, le=200, description="Limit")] = 20,
) -> Json:
    """List the newest cloned commits of a workspace."""
    commits, is_whole = await desk.read(repo_dir, lambda one: _logged(one, revision, max_results))
    note = "" if is_whole else "Older commits were omitted from the clone."
    return {"untrusted": UNTRUSTED, "count": len(commits), "commits": commits, **present({"note": note})}


def _logged(one: Workspace, revision: str, most: int) -> tuple[list[Json], bool]:
    commits = one.log(most, one.revision(revision) if revision else "")
    return [_shown(commit) for commit in commits], not any(each.id.decode() in one.state.shallow for each in commits)


def _shown(commit: Commit) -> Json:
    entry = {"commit_hash": commit.id.decode(), "author": shown(commit.author or b"")[:200], "date": _date(commit)}
    return present({**entry, "message": shown((commit.message or b"").strip())[:1000]})


def _date(commit: Commit) -> str | None:
    """Return the time of a commit, or None if the time is invalid."""
    try:
        return datetime.fromtimestamp(commit.author_time, UTC).isoformat()
    except (OverflowError, OSError, TypeError, ValueError):
        return None


@part.tool(Access.READ, harmless=("repo_dir", "path", "base", "revision"), seconds=SECONDS, open_world=False)
async def git_diff(
    desk: MyDesk,
    repo_dir: RepoDir,
    path: Below = "",
    base: Annotated[
        str, Field(max_length=200, description="From this branch or commit; default: the last commit")
    ] = "",
    revision: Annotated[str, Field(max_length=200, description="Target; default: the current files")] = "",
    context_lines: Annotated[int, Field(ge=0, le=50, description="Lines around each change")] = 3,
) -> Json:
    """Show a unified diff of uncommitted changes, or compare two branches or commits."""
    return await desk.read(repo_dir, lambda one: _compared(one, path, base, revision, context_lines))


def _compared(one: Workspace, path: str, base: str, revision: str, context: int) -> Json:
    before = one.objects.commit(one.revision(base).encode()).tree if base else one.committed
    after = one.objects.commit(one.revision(revision).encode()).tree if revision else one.tree
    below = path.strip("/")
    found = [each for each in differences(one.objects, before, after) if _is_below(each.text, below)]
    if path and not found and one.entry(path) is None:
        raise Refusal(f"Path {path[:200]!r} not found on either side.")
    files: list[Any] = [{"path": each.text, "change": each.kind} for each in found[:1000]]
    text = _patches(one, found, context)
    more = {"cut": f"after {_LONGEST} characters: pass a path" if len(text) > _LONGEST else ""}
    return {"untrusted": UNTRUSTED, "files": files, **present(more), "diff": text[:_LONGEST]}


def _patches(one: Workspace, found: Sequence[FileDifference], context: int) -> str:
    """Join patches until the text exceeds the maximum length of a diff."""
    texts: list[str] = []
    for each in found:
        texts.append(patch(one.objects, each, context))
        if sum(map(len, texts)) > _LONGEST:
            break
    return "".join(texts)


def _is_below(path: str, below: str) -> bool:
    return not below or path == below or path.startswith(f"{below}/")


@part.change(
    Access.WRITE,
    harmless=("repo_dir", "branch", "create"),
    seconds=SECONDS,
    open_world=False,
    undo=by_hand("git_branch switches back to the previous branch; git_drop removes the workspace and the new branch"),
)
async def git_branch(
    desk: MyDesk,
    repo_dir: RepoDir,
    branch: Annotated[str, Field(min_length=1, max_length=200, description="Branch to use")],
    create: Annotated[
        bool, Field(description="Create the branch at the current commit, and keep uncommitted changes")
    ] = False,
) -> StatedChange[Json]:
    """Switch to a branch of a workspace, or create a branch. git_branches lists the branches."""

    async def apply() -> Json:
        _, state = await desk.change(repo_dir, lambda one: one.switch(branch, is_new=create))
        return about(repo_dir, state)

    return StatedChange(apply)


@part.tool(Access.READ, harmless=("repo_dir",), open_world=False)
async def git_branches(desk: MyDesk, repo_dir: RepoDir) -> Json:
    """List the branches of a workspace, and those of the server at the last fetch or push."""
    state = await desk.read(repo_dir, lambda one: one.state)
    names = sorted({*state.branches, *state.remote})
    listed = [
        present({"branch": name, "here": state.branches.get(name), "server": state.remote.get(name)}) for name in names
    ]
    return {**about(repo_dir, state), "count": len(listed), "branches": listed[:500]}
