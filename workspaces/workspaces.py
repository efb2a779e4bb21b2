"""The git workspaces of a caller: clone, read, change, push and pull."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Final, TypeVar

from dulwich.objects import ObjectID

from refusal import Refusal
from workspaces.author import Author
from workspaces.keeping import KeptWorkspace, WorkspaceKeeper
from workspaces.objects import MissingObjectError, Objects
from workspaces.packs import IndexedPack, packed_by_others
from workspaces.remote import FetchedPack, Local, Pushed, fetch, fetch_objects, push
from workspaces.remote_repository import RemoteRepository
from workspaces.state import WorkspaceState, checked_branch
from workspaces.trees import empty, entries
from workspaces.workspace import Workspace

T = TypeVar("T")

_NAME: Final = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_MOST_WORKSPACES: Final = 20
_TRANSFERS_AT_ONCE: Final = 2
# The maximum number of times that a call fetches files that the clone omitted.
_MOST_FETCHED: Final = 20
# If the clone omitted all files and a call reads more than this number of files, all remaining files are fetched
# together.
_FETCHED_ALONE: Final = 3

SignIn = Callable[[str], Awaitable[RemoteRepository]]


@dataclass(frozen=True, slots=True)
class Cloned:
    name: str
    state: WorkspaceState


class Workspaces:
    def __init__(
        self, keeper: WorkspaceKeeper, protected: Sequence[str], clock: Callable[[], datetime] | None = None
    ) -> None:
        self.keeper = keeper
        self.protected = protected
        self.clock = clock or (lambda: datetime.now(UTC))
        self.transfers = asyncio.Semaphore(_TRANSFERS_AT_ONCE)

    def is_protected(self, branch: str) -> bool:
        """Whether pushes to a branch are forbidden.

        The case of branch names is ignored, because some hosts ignore it.
        """
        return any(fnmatchcase(branch.casefold(), pattern.casefold()) for pattern in self.protected)


class Desk:
    """The workspaces of a caller during a call. No workspace name gives a caller access to the workspaces of other
    callers.
    """

    def __init__(self, workspaces: Workspaces, owner: str, sign_in: SignIn) -> None:
        self._workspaces = workspaces
        self._owner = owner
        self._sign_in = sign_in

    async def all(self) -> dict[str, WorkspaceState]:
        found = self._workspaces.keeper.states(self._owner)
        return {folder.rpartition("/")[2]: state async for folder, state in found}

    async def clone(self, url: str, branch: str, name: str, depth: int) -> Cloned:
        """Clone the newest commits on a branch.

        Raises:
            Refusal: The clone failed, or a workspace with this name already exists.
        """
        name = checked_name(name or _name_from(url))
        await self._workspaces.keeper.sweep(self._workspaces.clock())
        existing = await self.all()
        if name in existing:
            raise Refusal(f"Workspace {name} already exists. git_pull updates it; git_drop removes it.")
        if len(existing) >= _MOST_WORKSPACES:
            raise Refusal(f"You have {len(existing)} workspaces, which is the maximum. git_drop removes a workspace.")
        place = await self._sign_in(url)
        requested = checked_branch(branch) if branch else ""

        def choose(branches: Mapping[str, str], usual: str) -> list[str]:
            if requested and requested not in branches:
                raise Refusal(f"Branch {requested} not found in the repository. {_listed(branches)}")
            return [branches[requested or usual]] if requested or usual else []

        found = await self._transfer(lambda: fetch(place, choose, Local(), depth))
        folder = f"{self._owner}/{name}"
        stored = KeptWorkspace(folder, _first(place.url, found, requested, self._workspaces.clock()), "", {})
        packs = [await asyncio.to_thread(packed_by_others, found.pack)] if found.pack else []
        state, fresh = await asyncio.to_thread(_check_out, stored.state, packs)
        made = [*packs, fresh] if fresh else packs
        return Cloned(name, (await self._workspaces.keeper.save(stored, state, made)).state)

    async def read(self, name: str, work: Callable[[Workspace], T]) -> T:
        """Run a function that reads a workspace. If the function needs files that the clone omitted, fetch and store
        these files.
        """
        result, _ = await self._run_in_thread(await self._open(name), work)
        return result

    async def change(self, name: str, work: Callable[[Workspace], T]) -> tuple[T, WorkspaceState]:
        """Run a function that changes a workspace, and store the result.

        Raises:
            Refusal: The function failed, or another call has changed the workspace in the meantime.
        """
        return await self._change(await self._open(name), work)

    async def pull(self, name: str, author: Author, *, keeps_conflicts: bool) -> tuple[str, WorkspaceState]:
        """Pull the current branch from the server, and return how it was updated."""
        stored = await self._open(name)
        branch = stored.state.branch
        await self._run_in_thread(stored, lambda one: one.refuse_changes("pull"))
        stored, found = await self._fetch(stored, branch)
        theirs = found.branches[branch]

        def join(one: Workspace) -> str:
            one.with_remote(found.branches)
            how = one.join(theirs, keeps_conflicts=keeps_conflicts)
            if how == "merged":
                message = f"Merge branch '{branch}' of {stored.state.url}"
                one.commit(message, author, self._workspaces.clock(), ())
            return how

        return await self._change(stored, join)

    async def push(self, name: str, branch: str, expected: str = "") -> tuple[Pushed, WorkspaceState]:
        """Push a branch to the server, as a fast-forward. If `expected` is given, the branch must still be at this
        commit.

        Raises:
            Refusal: The branch is protected or has changed, or the server has commits that the workspace does not have.
        """
        stored = await self._open(name)
        state = stored.state
        branch = checked_branch(branch or state.branch)
        self.refuse_protected(branch)
        commit = state.commit_on(branch)
        if expected and commit != expected:
            raise Refusal(f"Another call changed {branch} in the meantime. Nothing was pushed. Check the branch again.")
        place = await self._sign_in(state.url)
        pushed = await self._transfer(lambda: _push(stored, place, branch, commit))

        def note(one: Workspace) -> None:
            one.with_remote({**one.state.remote, branch: commit})

        _, after = await self._change(await self._open(name), note)
        return pushed, after

    def refuse_protected(self, branch: str) -> None:
        if self._workspaces.is_protected(branch):
            raise Refusal(
                f"Branch {branch} is protected, so you cannot push to it. Create another branch with git_branch, push"
                " that branch, and open a pull request."
            )

    async def version(self, name: str) -> str:
        """The version of a workspace's state. Each change to the workspace creates a new version."""
        return (await self._open(name)).version

    async def drop(self, name: str, version: str = "") -> None:
        """Delete a workspace. If `version` is given, the workspace must still have this version.

        Raises:
            Refusal: The workspace has changed. Nothing was deleted.
        """
        stored = await self._open(name)
        await self._workspaces.keeper.drop(stored.folder, version or stored.version)

    async def _open(self, name: str) -> KeptWorkspace:
        stored = await self._workspaces.keeper.open(f"{self._owner}/{checked_name(name)}")
        if stored is None:
            raise Refusal(
                f"Workspace {name[:60]!r} not found. git_workspaces lists your workspaces; git_clone creates a"
                f" workspace."
            )
        return stored

    async def _change(self, stored: KeptWorkspace, work: Callable[[Workspace], T]) -> tuple[T, WorkspaceState]:
        result, after = await self._run_in_thread(stored, work)
        state = replace(after.state, used=self._workspaces.clock())
        fresh = [after.fresh] if after.fresh else []
        return result, (await self._workspaces.keeper.save(after.kept, state, fresh)).state

    async def _run_in_thread(self, stored: KeptWorkspace, work: Callable[[Workspace], T]) -> tuple[T, _After]:
        for fetched in range(_MOST_FETCHED):
            try:
                return await asyncio.to_thread(_run, stored, work)
            except MissingObjectError as missing:
                stored = await self._with_object(stored, missing.object_name, alone=fetched != _FETCHED_ALONE)
        raise Refusal(
            f"This call requires more than {_MOST_FETCHED} files that were omitted from the clone. Request fewer files."
        )

    async def _with_object(self, stored: KeptWorkspace, name: bytes, *, alone: bool) -> KeptWorkspace:
        place = await self._sign_in(stored.state.url)
        further = set() if alone or not place.leaves_out_files else await asyncio.to_thread(_omitted_files, stored)
        content = await self._transfer(lambda: fetch_objects(place, sorted({name, *further})))
        pack = await asyncio.to_thread(packed_by_others, content)
        return await self._workspaces.keeper.save(stored, stored.state, [pack])

    async def _fetch(self, stored: KeptWorkspace, branch: str) -> tuple[KeptWorkspace, FetchedPack]:
        """Fetch a branch from the server.

        Return the workspace with the fetched commits, and the result of the fetch.
        """
        state, place = stored.state, await self._sign_in(stored.state.url)

        def choose(branches: Mapping[str, str], _usual: str) -> list[str]:
            if branch not in branches:
                raise Refusal(f"Branch {branch} not found on the server. {_listed(branches)}")
            return [] if branches[branch] in known else [branches[branch]]

        with closing(stored.objects()) as objects:
            known = {head for head in _heads(state) if ObjectID(head.encode()) in objects}
            local = Local(objects, sorted(known), state.shallow)
            found = await self._transfer(lambda: fetch(place, choose, local))
        shallow = ({*state.shallow} | found.shallow) - found.deepened
        packs = [await asyncio.to_thread(packed_by_others, found.pack)] if found.pack else []
        after = replace(state, shallow=tuple(sorted(shallow)), remote=dict(found.branches))
        return await self._workspaces.keeper.save(stored, after, packs), found

    async def _transfer(self, work: Callable[[], T]) -> T:
        async with self._workspaces.transfers:
            return await asyncio.to_thread(work)


@dataclass(frozen=True, slots=True)
class _After:
    """The stored workspace before a function ran, and the state and new objects of the workspace afterwards."""

    kept: KeptWorkspace
    state: WorkspaceState
    fresh: IndexedPack | None


def _run(stored: KeptWorkspace, work: Callable[[Workspace], T]) -> tuple[T, _After]:
    with closing(stored.objects()) as objects:
        workspace = Workspace(stored.state, objects)
        result = work(workspace)
        return result, _After(stored, workspace.state, objects.fresh())


def _omitted_files(stored: KeptWorkspace) -> set[bytes]:
    """The IDs of the files that the clone omitted. Only the server has these files."""
    with closing(stored.objects()) as objects:
        files = (one.id for one in entries(objects, stored.state.tree.encode()) if one.kind == "file")
        return {name for name in files if ObjectID(name) not in objects}


def checked_name(name: str) -> str:
    """Check the name of a workspace.

    Raises:
        Refusal: The name is invalid.
    """
    if not _NAME.fullmatch(name):
        raise Refusal("A workspace name can have up to 60 characters: letters, digits, - and _, for example shop-2.")
    return name


def _name_from(url: str) -> str:
    last = url.rstrip("/").rpartition("/")[2].removesuffix(".git")
    return re.sub("[^A-Za-z0-9_-]+", "-", last).strip("-_")[:60]


def _listed(branches: Mapping[str, str]) -> str:
    names = sorted(branches)
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return f"Branches: {', '.join(names[:20])}{more}." if names else "The repository has no branches yet."


def _first(url: str, found: FetchedPack, requested: str, now: datetime) -> WorkspaceState:
    branch = requested or found.usual or "main"
    branches = {branch: found.branches[branch]} if branch in found.branches else {}
    shallow = tuple(sorted(found.shallow))
    remote = dict(found.branches)
    return WorkspaceState(
        url=url, branch=branch, tree="", branches=branches, remote=remote, shallow=shallow, made=now, used=now
    )


def _check_out(state: WorkspaceState, packs: Sequence[IndexedPack]) -> tuple[WorkspaceState, IndexedPack | None]:
    with closing(Objects({pack.name: pack for pack in packs})) as objects:
        tree = Workspace(state, objects).committed or empty(objects)
        return replace(state, tree=tree.decode()), objects.fresh()


def _push(stored: KeptWorkspace, place: RemoteRepository, branch: str, commit: str) -> Pushed:
    with closing(stored.objects()) as objects:
        on_server = sorted({*stored.state.remote.values()})
        return push(place, branch, commit, Local(objects, on_server, stored.state.shallow))


def _heads(state: WorkspaceState) -> set[str]:
    return {*state.branches.values(), *state.remote.values()}
