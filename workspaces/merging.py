"""What of two histories goes together: who descends from whom, and the files of both sides merged."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass

from dulwich.merge import three_way_merge
from dulwich.objects import ObjectID

from refusal import Refusal
from workspaces.limits import MOST_COMMITS
from workspaces.objects import MissingObjectError, Objects
from workspaces.trees import shown


@dataclass(frozen=True, slots=True)
class Merged:
    """The tree of both, and the paths where they changed the same: these have marks in the tree."""

    tree: bytes
    conflicts: tuple[str, ...]


def ancestors(objects: Objects, commit: str, shallow: Collection[str]) -> set[str]:
    """The commit, and all before it that are here.

    Raises:
        Refusal: There are more than a workspace follows.
    """
    found, waiting = {commit}, deque([commit])
    while waiting:
        one = waiting.popleft()
        if one in shallow:
            continue
        for parent in (name.decode() for name in objects.commit(one.encode()).parents):
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
        if len(found) > MOST_COMMITS:
            raise Refusal(f"The branch has more than {MOST_COMMITS} commits here. Clone less depth.")
    return found


def common(objects: Objects, ours: str, theirs: str, shallow: Collection[str]) -> str:
    """The newest commit that both descend from; nothing where none is here."""
    of_ours = ancestors(objects, ours, shallow)
    waiting, seen = deque([theirs]), {theirs}
    while waiting:
        one = waiting.popleft()
        if one in of_ours:
            return one
        parents = [] if one in shallow else [name.decode() for name in objects.commit(one.encode()).parents]
        waiting += [parent for parent in parents if parent not in seen]
        seen.update(parents)
    return ""


def merged(objects: Objects, base: str, ours: str, theirs: str) -> Merged:
    before, our, their = (objects.commit(name.encode()) for name in (base, ours, theirs))
    try:
        tree, conflicts = three_way_merge(objects, before, our, their)
    except KeyError as missing:
        raise MissingObjectError(_name(missing)) from None
    objects.add_object(tree)
    return Merged(tree.id, tuple(sorted(map(shown, conflicts))))


def _name(missing: KeyError) -> bytes:
    name = missing.args[0] if missing.args else b""
    return ObjectID(name) if isinstance(name, bytes) else b""
