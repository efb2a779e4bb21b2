"""Clones, pulls and pushes between a workspace and its server."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Final
from urllib.parse import unquote, urlsplit

from dulwich.objects import Commit

from changes.preview import Fact, Preview
from changes.undo import by_hand, never
from clients.answers import Json, present
from invisible import escaped
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.workspace.access import AZURE_REPOS
from tools.workspace.parameters import (
    SECONDS,
    UNTRUSTED,
    Branch,
    Me,
    MyDesk,
    RepoDir,
    about,
)
from tools.workspace.repository_places import places_of
from workspaces.state import WorkspaceState, checked_branch
from workspaces.trees import shown
from workspaces.workspace import Workspace

part = Part()

_SHOWN: Final = 50
_MOST_OUTGOING: Final = 1000
_ADDRESS: Final = re.compile(r"https?://[^\s\x00-\x1f\"'<>@\\]{1,500}")
_AZURE_REPO: Final = re.compile(r"/(?P<organization>[^/]+)/(?P<project>[^/]+)/_git/(?P<repository>[^/]+)")

RepoUrl = Annotated[str, Field(min_length=1, max_length=1000, description="https://..., without a password")]
ClonedBranch = Annotated[str, Field(max_length=200, description="Default: the server's default branch")]
Depth = Annotated[int, Field(ge=1, le=1000, description="Number of newest commits")]


@part.change(
    Access.WRITE, harmless=("target_dir", "branch"), seconds=SECONDS, undo=by_hand("git_drop drops the workspace")
)
async def git_clone(
    desk: MyDesk,
    repo_url: RepoUrl,
    branch: ClonedBranch = "",
    target_dir: Annotated[str, Field(max_length=60, description="Workspace name; default: the repository's")] = "",
    depth: Depth = 20,
) -> StatedChange[Json]:
    """Clone a branch of a git repository into a workspace of your own, which is kept here for some days.

    If the server supports partial clones, files above 1 MB are fetched when read.
    """

    async def apply() -> Json:
        done = await desk.clone(repo_url, branch, target_dir, depth)
        return {**about(done.name, done.state), "cloned_at": done.state.made.isoformat()}

    return StatedChange(apply)


@part.change(
    Access.WRITE,
    harmless=("repo_dir",),
    seconds=SECONDS,
    undo=never("the workspace continues from the state of the server"),
)
async def git_pull(
    desk: MyDesk,
    me: Me,
    repo_dir: RepoDir,
    keep_conflicts: Annotated[bool, Field(description="Write conflict markers into the files")] = False,
) -> StatedChange[Json]:
    """Pull the branch by fast-forward or merge. If there are conflicts, lists them and changes nothing."""

    async def apply() -> Json:
        how, state = await desk.pull(repo_dir, me, keeps_conflicts=keep_conflicts)
        return {**about(repo_dir, state), "result": how, **present({"conflicts": list(map(escaped, state.conflicts))})}

    return StatedChange(apply)


def _outgoing(one: Workspace, branch: str) -> tuple[list[str], list[str]]:
    commits, files = one.outgoing(branch, _MOST_OUTGOING)
    return [_line(each) for each in commits], [each.text for each in files]


def _line(commit: Commit) -> str:
    subject = commit.message.partition(b"\n")[0]
    return f"{commit.id.decode()[:12]} {shown(subject)[:200]}"


@part.change(Access.WRITE, harmless=("repo_dir", "branch"), seconds=SECONDS)
async def git_push(desk: MyDesk, repo_dir: RepoDir, branch: Branch = "") -> Change[Json]:
    """Push a branch of a workspace, never by force or to a protected branch. The answer suggests a pull request."""
    before = await desk.read(repo_dir, lambda one: one.state)
    name = checked_branch(branch or before.branch)
    desk.refuse_protected(name)
    commit = before.commit_on(name)

    async def preview() -> Preview:
        commits, files = await desk.read(repo_dir, lambda one: _outgoing(one, name))
        return _shown_push(before.url, name, commits, files)

    async def apply() -> Json:
        pushed, state = await desk.push(repo_dir, name, commit)
        answer = {**about(repo_dir, state), "branch": name, "commit_hash": state.branches[name]}
        return {**answer, "pushed_at": state.used.isoformat(), **_pull_request(state, name, pushed.words)}

    return PlannedChange(preview, apply)


_UNDO: Final = by_hand("another commit can undo it; git_push never removes commits")


def _shown_push(url: str, name: str, commits: Sequence[str], files: Sequence[str]) -> Preview:
    return Preview(
        what=f"Push to {name} of {url}",
        sentence=f"Push to {name} of {url}",
        facts={"repository": url, "branch": name, **_counted("commits", commits), **_counted("files", files)},
        places={**places_of(url), "branch": name},
        destroys=False,
        undo=_UNDO,
    )


def _counted(what: str, entries: Sequence[str]) -> dict[str, Fact]:
    return {what: entries[:_SHOWN], f"number of {what}": len(entries)}


def _pull_request(state: WorkspaceState, branch: str, words: str) -> Json:
    parts = urlsplit(state.url)
    if parts.hostname == AZURE_REPOS and (found := _AZURE_REPO.fullmatch(parts.path)):
        names = {name: unquote(found[name]) for name in ("project", "repository")}
        target = next((name for name in ("main", "master") if name in state.remote), "main")
        call = {**names, "sourceBranch": branch, "targetBranch": target, "title": "..."}
        return {"next": {"tool": "create_pull_request", "arguments": call}}
    there = (address for address in _ADDRESS.findall(words) if urlsplit(address).hostname == parts.hostname)
    return {"untrusted": UNTRUSTED, "pull_request": address} if (address := next(there, "")) else {}
