"""What is damaged, missing or too much is refused in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from dulwich.objects import Blob, Commit, ObjectID, Tree

from refusal import Refusal
from tests.workspaces.bench import ADA, Bench
from workspaces.keeping import KeptWorkspace
from workspaces.merging import ancestors
from workspaces.objects import MissingObjectError, Objects
from workspaces.state import WorkspaceState
from workspaces.workspace import Workspace

NOW = datetime(2026, 11, 1, tzinfo=UTC)
STATE = WorkspaceState(url="https://git.example.com/shop", branch="main", made=NOW, used=NOW, tree="0" * 40)


@pytest.fixture
def objects() -> Iterator[Objects]:
    with closing(Objects({})) as opened:
        yield opened


def committed(objects: Objects, parents: list[ObjectID]) -> ObjectID:
    tree, commit = Tree(), Commit()
    objects.add_object(tree)
    commit.tree, commit.parents = tree.id, parents
    commit.author = commit.committer = b"Ada <ada@example.com>"
    commit.author_time = commit.commit_time = commit.author_timezone = commit.commit_timezone = 0
    commit.message = b"Change"
    objects.add_object(commit)
    return commit.id


def opened(objects: Objects) -> Workspace:
    tree = Tree()
    objects.add_object(tree)
    return Workspace(replace(STATE, tree=tree.id.decode()), objects)


def test_an_object_of_another_kind_is_told(objects: Objects) -> None:
    blob, tree = Blob.from_string(b"bread"), Tree()
    for one in (blob, tree):
        objects.add_object(one)
    commit = committed(objects, [])
    with pytest.raises(Refusal, match="a folder entry does not refer to a folder"):
        objects.tree(blob.id)
    with pytest.raises(Refusal, match="a file entry does not refer to a file"):
        objects.blob(tree.id)
    with pytest.raises(Refusal, match=f"{tree.id.decode()} is not a commit"):
        objects.commit(tree.id)
    assert (objects.tree(tree.id), objects.blob(blob.id), objects.commit(commit).id) == (tree, blob, commit)
    with pytest.raises(MissingObjectError):
        objects.blob(b"0" * 40)


def test_a_call_reads_so_many_objects(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workspaces.objects._MOST_LOOKS", 3)
    blob = Blob.from_string(b"bread")
    objects.add_object(blob)
    for _ in range(3):
        objects.blob(blob.id)
    with pytest.raises(Refusal, match="This call would take too long"):
        objects.blob(blob.id)


def test_so_many_commits_are_compared(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workspaces.merging.MOST_COMMITS", 3)
    chain: list[ObjectID] = []
    for number in range(4):
        chain.append(committed(objects, chain[-1:] if number else []))
    oldest, *_, newest = (one.decode() for one in chain)
    assert len(ancestors(objects, chain[2].decode(), ())) == 3
    assert len(ancestors(objects, newest, {chain[1].decode()})) == 3
    with pytest.raises(Refusal, match="more than 3 commits"):
        ancestors(objects, newest, ())
    assert ancestors(objects, oldest, ()) == {oldest}


def test_a_file_is_read_and_written_up_to_a_size(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = opened(objects)
    large = workspace.write("docs/large.txt", b"123456", "").id.decode()
    monkeypatch.setattr("workspaces.workspace.LARGEST_FILE", 5)
    workspace.write("docs/small.txt", b"12345", "")
    assert workspace.content("docs/small.txt")[1] == b"12345"
    with pytest.raises(Refusal, match=r"'docs/large\.txt' is larger than"):
        workspace.content("docs/large.txt")
    with pytest.raises(Refusal, match="A file can be up to"):
        workspace.write("docs/large.txt", b"654321", large)


def test_files_are_listed_by_folder(objects: Objects) -> None:
    workspace = opened(objects)
    for path in ("a.txt", "docs/b.txt", "docs/more/c.txt", "other/d.txt"):
        workspace.write(path, b"x", "")
    listed = {folder: [one.text for one in workspace.entries(folder)] for folder in ("", "/", "docs", "docs/more/")}
    assert listed[""] == listed["/"] == ["a.txt", "docs/b.txt", "docs/more/c.txt", "other/d.txt"]
    assert (listed["docs"], listed["docs/more/"]) == (["docs/b.txt", "docs/more/c.txt"], ["docs/more/c.txt"])
    for folder in ("a.txt", "nothing", "docs/nothing"):
        with pytest.raises(Refusal, match=f"Folder '{folder}' not found"):
            workspace.entries(folder)
    with pytest.raises(Refusal, match="'docs' is a folder, not a file"):
        workspace.content("docs")
    with pytest.raises(Refusal, match=r"File 'docs/d\.txt' not found"):
        workspace.content("docs/d.txt")


def test_only_changed_paths_are_committed(objects: Objects) -> None:
    workspace = opened(objects)
    workspace.write("a.txt", b"x", "")
    with pytest.raises(Refusal, match=r"'b\.txt' has no changes"):
        workspace.commit("Change", ADA, NOW, ["a.txt", "b.txt"])
    assert workspace.commit("Change", ADA, NOW, ["a.txt"])


async def test_a_user_has_so_many_workspaces_each_with_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workspaces.workspaces._MOST_WORKSPACES", 2)
    bench = Bench(tmp_path)
    for folder in ("ada/one", "ada/two", "eve/three"):
        state = replace(STATE, made=bench.now, used=bench.now)
        await bench.workspaces.keeper.save(KeptWorkspace(folder, state, "", {}), state, [])
    with pytest.raises(Refusal, match="Workspace two already exists"):
        await bench.desk().clone("http://localhost:9/two.git", "", "", 1)
    with pytest.raises(Refusal, match="You have 2 workspaces, which is the maximum"):
        await bench.desk().clone("http://localhost:9/three.git", "", "", 1)
    assert list(await bench.desk("eve").all()) == ["three"]
