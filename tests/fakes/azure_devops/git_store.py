"""A Git repository in memory: commits that never change, and names for some of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Any

NO_COMMIT = "0" * 40
Tree = Mapping[str, bytes]


def identifier(*parts: Any) -> str:
    return sha1(repr(parts).encode(), usedforsecurity=False).hexdigest()


def blob_of(content: bytes) -> str:
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _most_alike(content: bytes, before: Tree, paths: Iterable[str]) -> str | None:
    """The file that has half of the same lines, as Git looks for one."""
    lines = set(content.splitlines())
    shares = {path: len(lines & set(before[path].splitlines())) / max(len(lines), 1) for path in paths}
    best = max(shares, key=lambda path: shares[path], default=None)
    return best if best and shares[best] >= 0.5 else None


@dataclass(frozen=True)
class Commit:
    id: str
    parents: tuple[str, ...]
    tree: Tree
    comment: str
    author: str
    number: int
    # When it was made, where somebody told.
    at: str | None = None


@dataclass
class Repository:
    id: str
    name: str
    project: str
    refs: dict[str, str] = field(default_factory=dict)
    commits: dict[str, Commit] = field(default_factory=dict)
    pushes: list[dict[str, Any]] = field(default_factory=list)
    default: str | None = None

    def commit(self, tree: Tree, parents: Iterable[str], comment: str, author: str, at: str | None = None) -> str:
        number, kept = len(self.commits) + 1, tuple(parent for parent in parents if parent != NO_COMMIT)
        made = identifier(self.name, kept, sorted(tree.items()), comment, number)
        self.commits[made] = Commit(made, kept, dict(tree), comment, author, number, at)
        return made

    def move(self, ref: str, old: str, new: str, who: str) -> bool:
        """Let a ref go from one commit to another, if it is where it is said to be."""
        if self.refs.get(ref, NO_COMMIT) != old:
            return False
        if new == NO_COMMIT:
            del self.refs[ref]
        else:
            self.refs[ref] = new
            self.default = self.default or ref
        update = {"name": ref, "oldObjectId": old, "newObjectId": new}
        self.pushes.append({"pushId": len(self.pushes) + 1, "pushedBy": who, "refUpdates": [update]})
        return True

    def tree(self, commit: str) -> Tree:
        return self.commits[commit].tree if commit in self.commits else {}

    def history(self, commit: str) -> list[Commit]:
        """A commit and all before it, newest first."""
        found: dict[str, Commit] = {}
        waiting = [commit]
        while waiting:
            if (name := waiting.pop()) in self.commits and name not in found:
                found[name] = self.commits[name]
                waiting += found[name].parents
        return sorted(found.values(), key=lambda entry: entry.number, reverse=True)

    def base(self, one: str, other: str) -> str:
        """The last commit that two have in common."""
        known = {commit.id for commit in self.history(other)}
        return next((commit.id for commit in self.history(one) if commit.id in known), NO_COMMIT)

    def apart(self, one: str, other: str) -> list[Commit]:
        known = {commit.id for commit in self.history(other)}
        return [commit for commit in self.history(one) if commit.id not in known]

    def changes(self, old: str, new: str) -> Iterator[dict[str, Any]]:
        """What differs between two commits, file by file."""
        before, after = self.tree(old), self.tree(new)
        for path in sorted({*before, *after}):
            kind = "add" if path not in before else "delete" if path not in after else "edit"
            if before.get(path) != after.get(path):
                item: dict[str, Any] = {"gitObjectType": "blob", "path": path}
                item |= {"objectId": blob_of(after[path])} if path in after else {}
                item |= {"originalObjectId": blob_of(before[path])} if path in before else {}
                yield {"item": item, "changeType": kind}

    def renamed(self, old: str, new: str) -> list[dict[str, Any]]:
        """Likewise, where what goes from one place and comes to another is one file with two names."""
        before, after, changes = self.tree(old), self.tree(new), list(self.changes(old, new))
        sources = {entry["item"]["path"]: entry for entry in changes if entry["changeType"] == "delete"}
        for entry in changes:
            path = entry["item"]["path"]
            if entry["changeType"] == "add" and (was := _most_alike(after[path], before, sources)):
                source = sources.pop(was)
                source["changeType"] = "delete, sourceRename"
                entry["changeType"] = "rename" if before[was] == after[path] else "edit, rename"
                entry["sourceServerItem"] = was
        return changes

    def merged(self, source: str, target: str) -> Tree | None:
        """The files of both, or None where both changed the same one."""
        base, ours, theirs = self.tree(self.base(source, target)), self.tree(target), self.tree(source)
        found: dict[str, bytes] = {}
        for path in {*base, *ours, *theirs}:
            mine, other, was = ours.get(path), theirs.get(path), base.get(path)
            if mine not in {other, was} and other != was:
                return None
            kept = other if mine == was else mine
            found |= {path: kept} if kept is not None else {}
        return found

    def blobs(self) -> dict[str, bytes]:
        return {blob_of(content): content for commit in self.commits.values() for content in commit.tree.values()}
