"""Two sides of a branch are merged file by file; a file that one side removed and the other changed is a conflict."""

from __future__ import annotations

from contextlib import closing

import pytest
from dulwich.objects import Blob, Commit, ObjectID, Tree

from workspaces.merging import common, merged
from workspaces.objects import Objects

Files = dict[bytes, bytes]


def committed(objects: Objects, files: Files, *parents: bytes, at: int = 0) -> str:
    tree = Tree()
    for name, content in files.items():
        blob = Blob.from_string(content)
        objects.add_object(blob)
        tree.add(name, 0o100644, blob.id)
    objects.add_object(tree)
    commit = Commit()
    commit.tree, commit.parents = tree.id, [ObjectID(parent) for parent in parents]
    commit.author = commit.committer = b"Ada <ada@example.com>"
    commit.author_time = commit.commit_time = at
    commit.author_timezone = commit.commit_timezone = 0
    commit.message = b"Change"
    objects.add_object(commit)
    return str(commit.id.decode())


@pytest.mark.parametrize(
    ("before", "ours", "theirs", "conflicts"),
    [
        (b"a\n", b"b\n", b"a\n", False),
        (b"a\n", b"a\n", b"b\n", False),
        (b"a\n", b"b\n", b"b\n", False),
        (b"a\n", b"b\n", b"c\n", True),
        (b"a\n", None, b"a\n", False),
        (b"a\n", b"a\n", None, False),
        (b"a\n", None, None, False),
        (b"a\n", None, b"b\n", True),
        (b"a\n", b"b\n", None, True),
        (b"", b"b\n", None, True),
        (b"", None, b"b\n", True),
        (b"a\n", b"", None, True),
        (b"a\n", None, b"", True),
        (None, b"b\n", None, False),
        (None, None, b"b\n", False),
        (None, b"b\n", b"b\n", False),
        (None, b"b\n", b"c\n", True),
    ],
)
def test_a_file_is_in_conflict_if_both_sides_changed_it_differently(
    before: bytes | None, ours: bytes | None, theirs: bytes | None, conflicts: bool
) -> None:
    objects = Objects({})

    def side(content: bytes | None, *parents: bytes) -> str:
        return committed(objects, {b"x": b"x", **({} if content is None else {b"a.txt": content})}, *parents)

    base = side(before)
    found = merged(objects, base, side(ours, base.encode()), side(theirs, base.encode()))
    assert found.conflicts == (("a.txt",) if conflicts else ())
    tree = objects[found.tree]  # type: ignore[index]  # the id of a tree
    assert isinstance(tree, Tree)
    assert b"x" in tree
    if not conflicts:
        kept = ours if theirs == before else theirs
        assert (b"a.txt" in tree) == (kept is not None)


def test_the_newest_common_ancestor_is_where_both_begin() -> None:
    objects = Objects({})
    first = committed(objects, {b"a": b"1"}, at=1)
    second = committed(objects, {b"a": b"2"}, first.encode(), at=2)
    ours = committed(objects, {b"a": b"3"}, second.encode(), at=3)
    theirs = committed(objects, {b"a": b"4"}, second.encode(), at=4)
    alone = committed(objects, {b"b": b"5"}, at=5)
    assert common(objects, ours, theirs, ()) == second
    assert common(objects, ours, second, ()) == second
    assert common(objects, ours, theirs, (second,)) == second
    assert common(objects, ours, alone, ()) == ""
    assert common(objects, ours, theirs, (ours,)) == ""


def test_an_object_is_kept_once_and_found_again() -> None:
    objects = Objects({})
    assert objects.fresh() is None
    blob = Blob.from_string(b"a")
    objects.add_objects([(blob, None), (blob, None)])
    assert (blob.id in objects, Blob.from_string(b"b").id in objects) == (True, False)
    pack = objects.fresh()
    assert pack is not None
    assert [one.id for one in objects.all_of([pack])] == [blob.id]
    with closing(Objects({pack.name: pack})) as again:
        again.add_object(blob)
        assert again.fresh() is None
        assert again[blob.id] == blob
