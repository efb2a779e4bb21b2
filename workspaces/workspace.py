"""A workspace during a call: its state and its git objects. Each change creates a new state."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from heapq import heappop, heappush
from typing import Final

from dulwich.objects import Blob, Commit, ObjectID

from invisible import escaped
from refusal import Refusal
from workspaces.author import Author
from workspaces.diffs import FileDifference, differences
from workspaces.limits import LARGEST_FILE, MEGABYTE
from workspaces.merging import ancestors, common, merged
from workspaces.objects import Objects
from workspaces.paths import checked_path, named
from workspaces.state import WorkspaceState, checked_branch, checked_new_branch
from workspaces.trees import EXECUTABLE, FILE, TreeEntry, decoded, entries, entry_at, with_file, without

_ID: Final = re.compile("[0-9a-f]{4,40}")
_MARKS: Final = (b"<<<<<<< ", b">>>>>>> ")


class Workspace:
    def __init__(self, state: WorkspaceState, objects: Objects) -> None:
        self.state = state
        self.objects = objects

    @property
    def tree(self) -> bytes:
        return self.state.tree.encode()

    @property
    def committed(self) -> bytes:
        """The ID of the newest commit's tree, or empty bytes if there are no commits."""
        return self.objects.commit(self.state.head.encode()).tree if self.state.head else b""

    def changed(self) -> list[FileDifference]:
        """The changes that are not committed."""
        return differences(self.objects, self.committed, self.tree)

    def entry(self, path: str) -> TreeEntry | None:
        return entry_at(self.objects, self.tree, named(path))

    def entries(self, folder: str) -> Iterator[TreeEntry]:
        """All files, or the files in a folder.

        Raises:
            Refusal: The folder does not exist.
        """
        if not folder.strip("/"):
            return entries(self.objects, self.tree)
        found = self.entry(folder)
        if found is None or found.kind != "folder":
            raise Refusal(f"Folder {folder[:200]!r} not found. git_list without a folder lists all files.")
        return entries(self.objects, found.id, found.path)

    def content(self, path: str) -> tuple[TreeEntry, bytes]:
        """Read a file. Raises Refusal if the file does not exist or is too large."""
        found = self.entry(path)
        if found is None:
            raise Refusal(f"File {path[:200]!r} not found. git_list lists the files.")
        if found.kind != "file":
            raise Refusal(f"{path[:200]!r} is a {found.kind}, not a file.")
        content = self.objects.blob(found.id).as_raw_string()
        if len(content) > LARGEST_FILE:
            raise Refusal(f"{path[:200]!r} is larger than {LARGEST_FILE // MEGABYTE} MB.")
        return found, content

    def small(self, entry: TreeEntry, most: int) -> bytes | None:
        """The content of a file, or None if the file is too large or the clone omitted it."""
        if entry.kind != "file" or ObjectID(entry.id) not in self.objects:
            return None
        content = self.objects.blob(entry.id).as_raw_string()
        return content if len(content) <= most else None

    def revision(self, name: str) -> str:
        """The newest commit of the branch `name`. If there is no such branch, the only commit whose ID starts with
        `name`.
        """
        known = {**self.state.remote, **self.state.branches}
        if name in known:
            return known[name]
        if not _ID.fullmatch(name):
            raise Refusal(
                f"{name[:200]!r} is not a branch or commit. git_branches lists branches; git_log lists commits."
            )
        found = {each.decode() for each in self.objects.iter_prefix(name.encode())}
        commits = {one for one in found if self.objects[ObjectID(one.encode())].type_name == b"commit"}
        if len(commits) != 1:
            problem = "is ambiguous: pass more characters of the id" if commits else "is not the id of a commit"
            raise Refusal(f"{name} {problem}. git_log lists commits.")
        return commits.pop()

    def unpushed(self) -> list[str]:
        """The branches that contain commits which were not on the server at the last fetch or push."""
        on_server = {*self.state.remote.values()}
        return sorted(name for name, commit in self.state.branches.items() if commit not in on_server)

    def write(self, path: str, content: bytes, version: str) -> TreeEntry:
        """Write a file. To replace an existing file, pass its version. To create a file, pass an empty version."""
        names = checked_path(path)
        if len(content) > LARGEST_FILE:
            raise Refusal(f"A file can be up to {LARGEST_FILE // MEGABYTE} MB in size.")
        existing = entry_at(self.objects, self.tree, names)
        self._check_version(path, existing, version)
        blob = Blob.from_string(content)
        self.objects.add_object(blob)
        mode = EXECUTABLE if existing and existing.mode == EXECUTABLE else FILE
        self._take_tree(with_file(self.objects, self.tree, names, mode, blob.id))
        return TreeEntry(b"/".join(names), mode, blob.id)

    def _check_version(self, path: str, existing: TreeEntry | None, version: str) -> None:
        if existing and existing.kind != "file":
            raise Refusal(f"{path[:200]!r} is a {existing.kind}, which cannot be overwritten.")
        if existing and not version:
            raise Refusal(f"{path[:200]!r} already exists. Read the file with git_read, and pass its etag.")
        if version and version != (existing.id.decode() if existing else ""):
            raise Refusal(f"{path[:200]!r} has changed since it was read. Read the file again, and pass its new etag.")

    def move(self, path: str, to: str) -> None:
        """Move a file or folder to a path that does not exist yet."""
        source, names = named(path), checked_path(to)
        found = entry_at(self.objects, self.tree, source)
        if found is None:
            raise Refusal(f"Path {path[:200]!r} not found.")
        if names[: len(source)] == source or entry_at(self.objects, self.tree, names):
            raise Refusal(f"{to[:200]!r} already exists, or is inside the folder to move.")
        tree = without(self.objects, self.tree, source)
        for one in _files(self.objects, found):
            rest = decoded(one.path).split("/")[len(source) :]
            tree = with_file(self.objects, tree, checked_path("/".join([to.strip("/"), *rest])), one.mode, one.id)
        self._take_tree(tree)

    def delete(self, path: str) -> int:
        """Delete a file, or a folder with its content. Return the number of deleted files.

        Raises:
            Refusal: The path does not exist.
        """
        names = named(path)
        found = entry_at(self.objects, self.tree, names)
        if found is None:
            raise Refusal(f"Path {path[:200]!r} not found.")
        count = len(list(_files(self.objects, found)))
        self._take_tree(without(self.objects, self.tree, names))
        return count

    def restore(self, path: str) -> None:
        """Restore the last committed version of a file or folder."""
        names = named(path)
        before = entry_at(self.objects, self.committed, names) if self.committed else None
        if before is None:
            raise Refusal(f"{path[:200]!r} was never committed, so it cannot be restored. git_delete can delete it.")
        tree = without(self.objects, self.tree, names) if entry_at(self.objects, self.tree, names) else self.tree
        for one in _files(self.objects, before):
            tree = with_file(self.objects, tree, one.path.split(b"/"), one.mode, one.id)
        self._take_tree(tree)

    def commit(self, message: str, author: Author, at: datetime, paths: Sequence[str]) -> str:
        """Commit all changes, or only the changes at these paths."""
        self._refuse_marks()
        merging = self.state.merging
        if paths and merging:
            raise Refusal("A merge must be committed completely: omit `files`.")
        tree = self._only(paths) if paths else self.tree
        if tree == self.committed and not merging:
            raise Refusal("Nothing has changed since the last commit.")
        parents = [one for one in (self.state.head, merging) if one]
        return self._add_to_branch(_commit(tree, parents, message, author, at))

    def _add_to_branch(self, commit: Commit) -> str:
        """Add a commit to the current branch, and return the ID of the commit."""
        self.objects.add_object(commit)
        name = commit.id.decode()
        branches = {**self.state.branches, self.state.branch: name}
        self.state = replace(self.state, branches=branches, merging="", conflicts=())
        return name

    def _only(self, paths: Sequence[str]) -> bytes:
        """The tree of the last commit, but with the current content of these paths."""
        named_paths = [named(path) for path in paths]
        tree, found = self.committed, set[int]()
        # Apply deletions first, because a folder may have become a file.
        for one in sorted(self.changed(), key=lambda one: bool(one.after)):
            names = tuple(one.path.split(b"/"))
            places = [place for place, path in enumerate(named_paths) if names[: len(path)] == path]
            found.update(places)
            tree = self._with_change(tree, one) if places else tree
        if missing := [path for place, path in enumerate(paths) if place not in found]:
            raise Refusal(f"{missing[0][:200]!r} has no changes. git_status lists the changes.")
        return tree

    def _with_change(self, tree: bytes, changed: FileDifference) -> bytes:
        """A copy of a tree in which a changed file has its current content."""
        names = changed.path.split(b"/")
        if not changed.after:
            return without(self.objects, tree, names)
        entry = entry_at(self.objects, self.tree, names)
        return with_file(self.objects, tree, names, entry.mode if entry else FILE, changed.after)

    def _refuse_marks(self) -> None:
        for path in self.state.conflicts:
            found = self.entry(path)
            if found and found.kind == "file" and _has_marks(self.objects.blob(found.id).as_raw_string()):
                raise Refusal(f"{path[:200]!r} still has conflict markers. Write the resolved file, then commit.")

    def log(self, most: int, start: str = "") -> list[Commit]:
        """The newest commits in this workspace. Each commit comes after its descendants."""
        found: list[Commit] = []
        waiting: list[tuple[int, str]] = []
        seen: set[str] = set()

        def await_all(names: Iterable[str]) -> None:
            for name in names:
                if name and name not in seen:
                    seen.add(name)
                    heappush(waiting, (-(self.objects.commit(name.encode()).commit_time or 0), name))

        await_all([start or self.state.head])
        while waiting and len(found) < most:
            _, name = heappop(waiting)
            commit = self.objects.commit(name.encode())
            found.append(commit)
            await_all([] if name in self.state.shallow else [parent.decode() for parent in commit.parents])
        return found

    def outgoing(self, branch: str, most: int) -> tuple[list[Commit], list[FileDifference]]:
        """Compare a branch with its state on the server at the last fetch or push. Return the new commits and the
        changed files.
        """
        state = self.state
        heads = {head for head in state.remote.values() if ObjectID(head.encode()) in self.objects}
        on_server = set[str]().union(*(ancestors(self.objects, head, state.shallow) for head in heads))
        commits = self.log(most, state.commit_on(branch))
        found = [one for one in commits if one.id.decode() not in on_server]
        # If the branch is new, compare it with the commit from which it was created.
        began = next((one.id.decode() for one in commits if one.id.decode() in on_server), "")
        before = state.remote.get(branch, "")
        compared = before if before in heads else began
        tree = self.objects.commit(compared.encode()).tree if compared else b""
        return found, differences(self.objects, tree, commits[0].tree)

    def switch(self, branch: str, *, is_new: bool) -> None:
        """Switch to another branch, or create a branch and switch to it. A new branch keeps uncommitted changes."""
        known = {**self.state.remote, **self.state.branches}
        if is_new:
            self._create(checked_new_branch(branch), known)
            return
        name = checked_branch(branch)
        if name not in known:
            raise Refusal(
                f"Branch {name} not found. git_branches lists the branches, and create=true creates this branch."
            )
        self.refuse_changes("switch")
        tree = self.objects.commit(known[name].encode()).tree.decode()
        branches = {**self.state.branches, name: known[name]}
        self.state = replace(self.state, branch=name, branches=branches, tree=tree)

    def _create(self, name: str, known: Collection[str]) -> None:
        if name in known:
            raise Refusal(f"Branch {name} already exists. Call without `create` to switch to it.")
        branches = {**self.state.branches, name: self.state.head} if self.state.head else self.state.branches
        self.state = replace(self.state, branch=name, branches=branches)

    def refuse_changes(self, action: str) -> None:
        if self.state.merging:
            raise Refusal(
                f"A merge is not finished. Commit the merge before you {action}, or abort it with git_restore."
            )
        if self.changed():
            raise Refusal(
                f"Some changes are not committed. Commit or restore these changes before you {action}; git_status"
                f" lists them."
            )

    def join(self, theirs: str, *, keeps_conflicts: bool) -> str:
        """Merge fetched commits into the current branch, as a fast-forward if possible. Return a description of the
        merge.

        Raises:
            Refusal: There are conflicts, and `keeps_conflicts` is not set. Nothing was changed.
        """
        ours = self.state.head
        shallow = set(self.state.shallow)
        if not ours or ours in ancestors(self.objects, theirs, shallow):
            self._move_to(theirs)
            return "forward" if ours != theirs else "nothing new"
        if theirs in ancestors(self.objects, ours, shallow):
            return "nothing new"
        base = common(self.objects, ours, theirs, shallow)
        if not base:
            raise Refusal("The common ancestor is older than the cloned history. Clone again with a greater depth.")
        result = merged(self.objects, base, ours, theirs)
        if result.conflicts and not keeps_conflicts:
            paths = escaped(", ".join(result.conflicts[:20]))
            raise Refusal(
                f"Conflicts in {len(result.conflicts)} files: {paths}. Nothing was changed. Call again with"
                " keep_conflicts=true to write conflict markers into these files, then resolve the conflicts."
            )
        tree = result.tree.decode()
        self.state = replace(self.state, tree=tree, merging=theirs, conflicts=result.conflicts)
        return "conflicts" if result.conflicts else "merged"

    def give_up_merge(self) -> None:
        self.state = replace(self.state, merging="", conflicts=(), tree=self.committed.decode())

    def _move_to(self, commit: str) -> None:
        tree = self.objects.commit(commit.encode()).tree.decode()
        branches = {**self.state.branches, self.state.branch: commit}
        self.state = replace(self.state, branches=branches, tree=tree)

    def _take_tree(self, tree: bytes) -> None:
        self.state = replace(self.state, tree=tree.decode())

    def with_remote(self, branches: Mapping[str, str]) -> None:
        self.state = replace(self.state, remote=dict(branches))


def _files(objects: Objects, found: TreeEntry) -> Iterator[TreeEntry]:
    return entries(objects, found.id, found.path) if found.kind == "folder" else iter([found])


def _has_marks(content: bytes) -> bool:
    return all(any(line.startswith(mark) for line in content.splitlines()) for mark in _MARKS)


def _commit(tree: bytes, parents: Sequence[str], message: str, author: Author, at: datetime) -> Commit:
    commit = Commit()
    commit.tree = ObjectID(tree)
    commit.parents = [ObjectID(parent.encode()) for parent in parents]
    commit.author = commit.committer = author.line
    commit.author_time = commit.commit_time = int(at.timestamp())
    commit.author_timezone = commit.commit_timezone = 0
    commit.encoding = b"UTF-8"
    commit.message = message.rstrip().encode(errors="replace") + b"\n"
    return commit
