"""Finds, lists, adds and removes files in a git tree. Each change creates a new tree."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

from dulwich.objects import ObjectID, Tree

from invisible import escaped
from refusal import Refusal
from workspaces.limits import DEEPEST, MOST_ENTRIES
from workspaces.objects import Objects

FILE: Final = 0o100644
EXECUTABLE: Final = 0o100755
FOLDER: Final = 0o040000
_LINK: Final = 0o120000
_SUBMODULE: Final = 0o160000
_KINDS: Final = {FOLDER: "folder", _LINK: "link", _SUBMODULE: "submodule"}

Names = Sequence[bytes]


@dataclass(frozen=True, slots=True)
class TreeEntry:
    path: bytes
    mode: int
    id: bytes

    @property
    def kind(self) -> str:
        return _KINDS.get(stat.S_IFMT(self.mode) if self.mode != FOLDER else FOLDER, "file")

    @property
    def text(self) -> str:
        """The path as text. Bytes that are not text are escaped."""
        return shown(self.path)


def shown(name: bytes) -> str:
    """Convert the name of a file or folder in a repository to text. Invisible characters and bytes that are not text
    are escaped.
    """
    return escaped(decoded(name))


def decoded(name: bytes) -> str:
    return name.decode(errors="backslashreplace")


def entry_at(objects: Objects, root: bytes, names: Names) -> TreeEntry | None:
    """The entry at a path. Return None if the entry does not exist. Links and submodules are not followed."""
    found = TreeEntry(b"", FOLDER, root)
    for name in names:
        if found.kind != "folder":
            return None
        tree = objects.tree(found.id)
        if name not in tree:
            return None
        mode, identity = tree[name]
        found = TreeEntry(b"/".join((found.path, name)) if found.path else name, mode, identity)
    return found


def entries(objects: Objects, root: bytes, below: bytes = b"") -> Iterator[TreeEntry]:
    """All files in a folder and its subfolders, in the order of git. Raises Refusal if there are too many files."""
    seen, waiting = 0, [TreeEntry(below, FOLDER, root)]
    while waiting:
        folder = waiting.pop()
        if folder.kind != "folder":
            yield folder
            continue
        found = _content(objects, folder)
        seen += len(found)
        if seen > MOST_ENTRIES:
            raise Refusal(f"There are more than {MOST_ENTRIES} files. Pass a subfolder.")
        waiting += reversed(found)


def _content(objects: Objects, folder: TreeEntry) -> list[TreeEntry]:
    if folder.path.count(b"/") >= DEEPEST:
        raise Refusal(f"The repository has more than {DEEPEST} levels of folders.")
    return [_within(folder, name, mode, identity) for name, mode, identity in objects.tree(folder.id).iteritems()]


def _within(folder: TreeEntry, name: bytes, mode: int, identity: bytes) -> TreeEntry:
    return TreeEntry(b"/".join((folder.path, name)) if folder.path else name, mode, identity)


def with_file(objects: Objects, root: bytes, names: Names, mode: int, identity: bytes) -> bytes:
    """A copy of a tree in which a file is added or replaced. Raises Refusal if another entry is in the way."""
    name, rest = names[0], names[1:]
    tree = _copy(objects, root)
    _refuse_likeness(tree, name)
    existing = next((one[1:] for one in tree.iteritems() if one.path == name), None)
    if existing:
        _refuse_other_kind(TreeEntry(name, *existing), is_folder=bool(rest))
    if rest:
        mode, identity = FOLDER, with_file(objects, existing[1] if existing else b"", rest, mode, identity)
    tree.add(name, mode, ObjectID(identity))
    return _store(objects, tree)


def _refuse_other_kind(existing: TreeEntry, *, is_folder: bool) -> None:
    """Reject replacing a folder with a file, or a file with a folder."""
    if existing.mode == FOLDER and not is_folder:
        raise Refusal(f"{shown(existing.path)} is a folder.")
    if existing.mode != FOLDER and is_folder:
        raise Refusal(f"{shown(existing.path)} is a {existing.kind}, not a folder.")


def without(objects: Objects, root: bytes, names: Names) -> bytes:
    """A copy of a tree without one of its entries. Folders that become empty are also removed, because git does not
    store empty folders.
    """
    tree = _copy(objects, root)
    name, rest = names[0], names[1:]
    if rest:
        below = without(objects, tree[name][1], rest)
        if len(objects.tree(below)):
            tree.add(name, FOLDER, ObjectID(below))
            return _store(objects, tree)
    del tree[name]
    return _store(objects, tree)


def empty(objects: Objects) -> bytes:
    return _store(objects, Tree())


def _copy(objects: Objects, root: bytes) -> Tree:
    tree = Tree()
    if root:
        for name, mode, identity in objects.tree(root).iteritems():
            tree.add(name, mode, identity)
    return tree


def _store(objects: Objects, tree: Tree) -> bytes:
    objects.add_object(tree)
    return tree.id


def _refuse_likeness(tree: Tree, name: bytes) -> None:
    like = [one for one in tree if one != name and _normalize(one) == _normalize(name)]
    if like:
        raise Refusal(f"{shown(like[0])} already exists, and many machines cannot distinguish it from {shown(name)}.")


def _normalize(name: bytes) -> str:
    """Normalize a name. Names that differ only in case or Unicode composition become equal."""
    return normalize("NFC", decoded(name).casefold())
