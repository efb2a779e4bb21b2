"""Changes and commits files of a workspace, and deletes workspaces."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from changes.preview import Preview
from changes.undo import Undo, by_call, by_hand, never
from clients.answers import Json, present
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.workspace.parameters import SECONDS, Me, MyDesk, Path, RepoDir, about
from tools.workspace.reading import text_of
from tools.workspace.repository_places import places_of
from workspaces.trees import TreeEntry
from workspaces.workspace import Workspace

part = Part()


class Replacement(BaseModel):
    """A text that occurs once in the file, and its replacement."""

    model_config = ConfigDict(extra="forbid")

    old: Annotated[str, Field(min_length=1, max_length=100_000)]
    new: Annotated[str, Field(max_length=100_000)]


Text = Annotated[str | None, Field(max_length=2_000_000, description="Complete content")]
Edits = Annotated[list[Replacement] | None, Field(min_length=1, max_length=100, description="Instead of `content`")]
Etag = Annotated[str, Field(max_length=40, description="From git_read; none for a new file")]


_RESTORED: Final = by_hand("git_restore restores the last commit; earlier uncommitted changes are lost")


def _moved_back(meant: Mapping[str, Any]) -> Undo:
    return by_call("git_move", repo_dir=meant["repo_dir"], path=meant["to"], to=meant["path"])


@part.change(Access.WRITE, harmless=("repo_dir", "path"), seconds=SECONDS, open_world=False, undo=_RESTORED)
async def git_write(
    desk: MyDesk, repo_dir: RepoDir, path: Path, content: Text = None, edits: Edits = None, etag: Etag = ""
) -> StatedChange[Json]:
    """Write a file of a workspace, if the file is new or unchanged since you read it. git_commit commits it."""

    async def apply() -> Json:
        if (content is None) == (edits is None):
            raise Refusal("Pass either `content` or `edits`.")

        def write(one: Workspace) -> TreeEntry:
            made = content.encode() if content is not None else _edited(one, path, edits or ())
            return one.write(path, made, etag)

        entry, state = await desk.change(repo_dir, write)
        return {**about(repo_dir, state), "path": entry.text, "etag": entry.id.decode()}

    return StatedChange(apply)


def _edited(one: Workspace, path: str, edits: Sequence[Replacement]) -> bytes:
    before = one.content(path)[1]
    text = text_of(path, before)
    for number, edit in enumerate(edits, 1):
        if (count := text.count(edit.old)) != 1:
            raise Refusal(
                f"edits[{number - 1}].old must occur exactly once in {path[:200]!r}, but occurs {count} times."
            )
        text = text.replace(edit.old, edit.new)
    return text.encode("utf-8-sig" if before.startswith(BOM_UTF8) else "utf-8")


@part.change(Access.WRITE, harmless=("repo_dir", "path", "to"), seconds=SECONDS, open_world=False, undo=_moved_back)
async def git_move(desk: MyDesk, repo_dir: RepoDir, path: Path, to: Path) -> StatedChange[Json]:
    """Move or rename a file or folder of a workspace."""

    async def apply() -> Json:
        _, state = await desk.change(repo_dir, lambda one: one.move(path, to))
        return {**about(repo_dir, state), "moved": path, "to": to}

    return StatedChange(apply)


@part.change(Access.WRITE, harmless=("repo_dir", "path"), seconds=SECONDS, open_world=False, undo=_RESTORED)
async def git_delete(desk: MyDesk, repo_dir: RepoDir, path: Path) -> StatedChange[Json]:
    """Delete a file or folder of a workspace; git_restore restores committed files."""

    async def apply() -> Json:
        count, state = await desk.change(repo_dir, lambda one: one.delete(path))
        return {**about(repo_dir, state), "deleted": path, "files": count}

    return StatedChange(apply)


@part.change(
    Access.WRITE,
    harmless=("repo_dir", "path"),
    seconds=SECONDS,
    open_world=False,
    undo=never("uncommitted changes are not stored anywhere else"),
)
async def git_restore(
    desk: MyDesk,
    repo_dir: RepoDir,
    path: Annotated[str, Field(max_length=1000, description="Default: everything; also aborts a merge")] = "",
) -> StatedChange[Json]:
    """Restore a file or folder of a workspace to the last commit. Uncommitted changes are lost."""

    async def apply() -> Json:
        _, state = await desk.change(repo_dir, lambda one: one.restore(path) if path else one.give_up_merge())
        return {**about(repo_dir, state), **present({"restored": path or "everything"})}

    return StatedChange(apply)


@part.change(
    Access.WRITE,
    harmless=("repo_dir",),
    seconds=SECONDS,
    open_world=False,
    undo=by_hand("another commit can undo it; git_drop drops the whole workspace"),
)
async def git_commit(
    desk: MyDesk,
    me: Me,
    repo_dir: RepoDir,
    message: Annotated[str, Field(min_length=1, max_length=10_000, description="Subject, blank line, why")],
    files: Annotated[list[str] | None, Field(max_length=500, description="Only these; default: all changes")] = None,
) -> StatedChange[Json]:
    """Commit a workspace's changes in your name. git_push pushes them to the server."""

    async def apply() -> Json:
        if not message.strip():
            raise Refusal("A commit message is required.")
        now = datetime.now(UTC)
        name, state = await desk.change(repo_dir, lambda one: one.commit(message, me, now, files or ()))
        return {**about(repo_dir, state), "commit_hash": name, "committed_at": now.isoformat(timespec="seconds")}

    return StatedChange(apply)


@part.change(Access.DESTROY, harmless=("repo_dir",), open_world=False)
async def git_drop(desk: MyDesk, repo_dir: RepoDir) -> Change[Json]:
    """Drop a workspace, including everything that is not pushed. Nothing on the server changes."""
    version = await desk.version(repo_dir)

    async def preview() -> Preview:
        state, changed, unpushed = await desk.read(
            repo_dir, lambda one: (one.state, len(one.changed()), one.unpushed())
        )
        return Preview(
            what=f"Workspace {repo_dir}",
            sentence=f"Drop the workspace {repo_dir}",
            facts={"repository": state.url, "files not committed": changed, "branches not pushed": unpushed},
            places=places_of(state.url),
            undo=by_call("git_clone", repo_url=state.url, target_dir=repo_dir).but("unpushed work is lost"),
        )

    async def apply() -> Json:
        await desk.drop(repo_dir, version)
        return {"dropped": repo_dir}

    return PlannedChange(preview, apply)
