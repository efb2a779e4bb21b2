"""Finds the common ancestors of two commits, and merges their files."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass

from dulwich.merge import Merger, three_way_merge
from dulwich.objects import Blob, ObjectID

from refusal import Refusal
from workspaces.limits import MOST_COMMITS
from workspaces.line_merge import together
from workspaces.objects import MissingObjectError, Objects
from workspaces.trees import decoded


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged tree, and the paths of files with conflicts. These files contain conflict markers."""

    tree: bytes
    conflicts: tuple[str, ...]


def ancestors(objects: Objects, commit: str, shallow: Collection[str]) -> set[str]:
    """The commit and all its ancestors in this workspace. Raises Refusal if there are too many ancestors."""
    found, waiting = {commit}, deque([commit])
    while waiting:
        parents = _parents(objects, waiting.popleft(), shallow)
        new = [name for name in dict.fromkeys(parents) if name not in found]
        found.update(new)
        waiting.extend(new)
        if len(found) > MOST_COMMITS:
            raise Refusal(
                f"The branch has more than {MOST_COMMITS} commits in this workspace. Clone with a smaller depth."
            )
    return found


def _parents(objects: Objects, commit: str, shallow: Collection[str]) -> list[str]:
    return [] if commit in shallow else [name.decode() for name in objects.commit(commit.encode()).parents]


def common(objects: Objects, ours: str, theirs: str, shallow: Collection[str]) -> str:
    """The newest common ancestor of two commits, or an empty string if the workspace does not contain one."""
    both = ancestors(objects, ours, shallow) & ancestors(objects, theirs, shallow)
    # Leave out the parents of common ancestors. These parents are also common ancestors, but older.
    older = {parent.decode() for one in both - set(shallow) for parent in objects.commit(one.encode()).parents}
    return max(both - older, key=lambda one: (objects.commit(one.encode()).commit_time or 0, one), default="")


def merged(objects: Objects, base: str, ours: str, theirs: str) -> Merged:
    before, our, their = (objects.commit(name.encode()) for name in (base, ours, theirs))
    try:
        tree, conflicts = three_way_merge(objects, before, our, their, merger=_ByLines(objects))
    except KeyError as missing:
        raise MissingObjectError(_name(missing)) from None
    objects.add_object(tree)
    return Merged(tree.id, tuple(sorted(map(decoded, conflicts))))


class _ByLines(Merger):
    """Merges files line by line with our own code, because dulwich's code for this requires a package with a GPL
    license.
    """

    def merge_blobs(
        self,
        base_blob: Blob | None,
        ours_blob: Blob | None,
        theirs_blob: Blob | None,
        path: bytes | None = None,  # noqa: ARG002 - dulwich passes it
    ) -> tuple[bytes, bool]:
        before, ours, theirs = (blob.data if blob else b"" for blob in (base_blob, ours_blob, theirs_blob))
        found = together(before, ours, theirs)
        # If one side deleted a file and the other side changed it, the file always has a conflict.
        is_removed = base_blob is not None and (ours_blob is None) != (theirs_blob is None)
        is_changed = before != (theirs if ours_blob is None else ours)
        return found.content, found.has_conflicts or (is_removed and is_changed)


def _name(missing: KeyError) -> bytes:
    name = missing.args[0] if missing.args else b""
    return ObjectID(name) if isinstance(name, bytes) else b""
