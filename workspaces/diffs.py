"""Differences between two git trees, in the format of git."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import Final

from dulwich.diff_tree import TreeChange, tree_changes
from dulwich.objects import ObjectID
from dulwich.patch import is_binary, unified_diff

from refusal import Refusal
from workspaces.limits import LARGEST_FILE, MOST_ENTRIES
from workspaces.objects import MissingObjectError, Objects
from workspaces.trees import shown

# Two versions of a file are not compared if they have more lines than this in total. The time for a comparison
# grows faster than the number of lines.
_LINES: Final = 6_000


@dataclass(frozen=True, slots=True)
class FileDifference:
    """A file that differs between two trees. `kind` is added, changed or deleted. The object IDs identify the old and
    the new content.
    """

    path: bytes
    kind: str
    before: bytes
    after: bytes

    @property
    def text(self) -> str:
        return shown(self.path)


def differences(objects: Objects, before: bytes | None, after: bytes | None) -> list[FileDifference]:
    """The files that differ, in the order of their paths."""
    old, new = (ObjectID(name) if name else None for name in (before, after))
    found = list(islice(map(_difference, tree_changes(objects, old, new)), MOST_ENTRIES + 1))
    if len(found) > MOST_ENTRIES:
        raise Refusal(f"More than {MOST_ENTRIES} files differ.")
    return sorted(found, key=lambda one: one.path)


def _difference(change: TreeChange) -> FileDifference:
    old, new = change.old, change.new
    before = old.sha if old and old.sha else b""
    after = new.sha if new and new.sha else b""
    path = (new.path if new else b"") or (old.path if old else b"")
    kind = "changed" if before and after else "added" if after else "deleted"
    return FileDifference(path, kind, before, after)


def patch(objects: Objects, one: FileDifference, context: int) -> str:
    """The unified diff of a file, or a note with the reason why the diff is not shown."""
    try:
        before, after = _content(objects, one.before), _content(objects, one.after)
    except MissingObjectError:
        return "(large: left out of the clone)"
    if before is None or after is None or is_binary(before) or is_binary(after):
        return "(binary, or too large to compare)"
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if len(old) + len(new) > _LINES:
        return f"(more than {_LINES} lines)"
    return _unified(one, old, new, context)


def _unified(one: FileDifference, old: list[bytes], new: list[bytes], context: int) -> str:
    written = BytesIO()
    source = f"a/{one.text}" if one.before else "/dev/null"
    target = f"b/{one.text}" if one.after else "/dev/null"
    for line in unified_diff(old, new, source.encode(), target.encode(), n=context):
        written.write(line if line.endswith(b"\n") else line + b"\n")
    return written.getvalue().decode(errors="replace")


def _content(objects: Objects, name: bytes) -> bytes | None:
    if not name:
        return b""
    if ObjectID(name) not in objects:
        raise MissingObjectError(name)
    found = objects[ObjectID(name)]
    content = found.as_raw_string()
    return content if found.type_name == b"blob" and len(content) <= LARGEST_FILE else None
