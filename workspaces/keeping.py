"""Stores workspaces as files: packs, which never change, and a state file with the list of packs in use. A change first
writes new packs, and then replaces the state if the state still has the version that was read.

One of two concurrent changes therefore fails. If a call is killed halfway, the workspace is unchanged, and an unused
pack remains.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from clients.files import File, Files
from clients.storage import ConflictError
from refusal import Refusal
from workspaces.limits import LARGEST_PACK, MEGABYTE
from workspaces.objects import Objects
from workspaces.packs import IndexedPack, packed_objects
from workspaces.state import WorkspaceState, read, written

_STATE: Final = "state.json"
_LARGEST_STATE: Final = MEGABYTE
_PACK: Final = ".pack"
_INDEX: Final = ".idx"
_TYPE: Final = "application/octet-stream"
_PAGE: Final = 1000
# Small packs are merged once a workspace has this many packs.
_MOST_PACKS: Final = 12
_SMALL: Final = 4 * MEGABYTE
# The size of the cache for packs. Packs never change.
_REMEMBERED: Final = 96 * MEGABYTE
# A pack of at least this age is unused if no state lists it. A younger pack may belong to a call that has not stored
# its state yet.
_TIME_TO_NAME: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class KeptWorkspace:
    """A workspace as it was read from storage. `version` is the version of the workspace's state file."""

    folder: str
    state: WorkspaceState
    version: str
    packs: dict[str, IndexedPack]

    def objects(self) -> Objects:
        return Objects(self.packs)


class WorkspaceKeeper:
    def __init__(self, files: Files, most_megabytes: int, days: int) -> None:
        self._files = files
        self._most = most_megabytes * MEGABYTE
        self._days = timedelta(days=days)
        self._remembered: OrderedDict[str, IndexedPack] = OrderedDict()

    async def open(self, folder: str) -> KeptWorkspace | None:
        found = await self._files.read(f"{folder}/{_STATE}", 0, _LARGEST_STATE)
        if found is None:
            return None
        file, content = found
        state = read(content)
        packs = await asyncio.gather(*(self._pack(folder, name) for name in state.packs))
        return KeptWorkspace(folder, state, file.version, {pack.name: pack for pack in packs})

    async def save(self, stored: KeptWorkspace, state: WorkspaceState, new: Sequence[IndexedPack]) -> KeptWorkspace:
        """Store the result of a call.

        Raises:
            Refusal: The workspace has changed since it was read, or would become too large. Nothing was stored.
        """
        every = {**stored.packs, **{pack.name: pack for pack in new}}
        packs = await asyncio.to_thread(_merge_small_packs, every)
        size = sum(pack.size for pack in packs.values())
        if size > self._most:
            raise Refusal(
                f"The workspace would exceed {self._most // MEGABYTE} MB. Push your commits, drop the workspace"
                f" with git_drop,"
                " and clone again."
            )
        for pack in packs.values():
            if pack.name not in stored.packs:
                await self._write_pack(stored.folder, pack)
        state = replace(state, packs={name: pack.size for name, pack in packs.items()})
        content = written(state)
        if len(content) > _LARGEST_STATE:
            raise Refusal("The repository has more branches and shallow commits than a workspace can store.")
        try:
            file = await self._files.write(f"{stored.folder}/{_STATE}", content, "application/json", stored.version)
        except ConflictError:
            raise Refusal(
                "Another call changed this workspace at the same time. The result of this call was not stored. Check"
                " git_status, and call again."
            ) from None
        return KeptWorkspace(stored.folder, state, file.version, packs)

    async def states(self, owner: str) -> AsyncIterator[tuple[str, WorkspaceState]]:
        """The states of an owner's workspaces, each with its folder."""
        async for file in self._all(f"{owner}/"):
            if file.path.endswith(f"/{_STATE}") and (found := await self._files.read(file.path, 0, _LARGEST_STATE)):
                yield file.path.removesuffix(f"/{_STATE}"), read(found[1])

    async def drop(self, folder: str, version: str) -> None:
        """Delete a workspace. The state file is deleted first, because a workspace without a state does not exist.

        Files that another call adds in the meantime are kept.
        """
        files = {file.path: file async for file in self._all(f"{folder}/")}
        state = files.pop(f"{folder}/{_STATE}", None)
        if state is None or state.version != version or not await self._remove(state):
            raise Refusal(
                "Another call changed this workspace in the meantime. Nothing was dropped. Check the workspace again."
            )
        for file in files.values():
            await self._remove(file)

    async def sweep(self, now: datetime) -> None:
        """For all owners, remove expired workspaces and unused packs."""
        named: set[str] = set()
        files = [file async for file in self._all("")]
        for file in files:
            if file.path.endswith(f"/{_STATE}"):
                named |= await self._packs_unless_expired(file, now)
        for file in files:
            stem = file.path.removesuffix(_PACK).removesuffix(_INDEX)
            if stem != file.path and stem not in named and now - file.modified > _TIME_TO_NAME:
                await self._remove(file)

    async def _packs_unless_expired(self, state: File, now: datetime) -> set[str]:
        """Return the packs that a workspace uses. If the workspace has expired, remove the state file."""
        if now - state.modified > self._days and await self._remove(state):
            return set()
        found = await self._files.read(state.path, 0, _LARGEST_STATE)
        folder = state.path.removesuffix(f"/{_STATE}")
        return {f"{folder}/{name}" for name in read(found[1]).packs} if found else set()

    async def _all(self, prefix: str) -> AsyncIterator[File]:
        after = ""
        while True:
            page = await self._files.page(prefix, after, _PAGE)
            for file in page.files:
                yield file
            after = page.after
            if not after:
                return

    async def _remove(self, file: File | None) -> bool:
        """Delete a file, and return whether it was deleted. A file that has changed since it was read is not
        deleted.
        """
        try:
            return file is not None and await self._files.delete(file.path, file.version)
        except ConflictError:
            return False

    async def _write_pack(self, folder: str, pack: IndexedPack) -> None:
        for ending, content in ((_PACK, pack.data), (_INDEX, pack.index)):
            # The file name is a digest of the content, so the file may already exist. Write the file again to reset its
            # age, so that the cleanup does not delete it.
            path = f"{folder}/{pack.name}{ending}"
            existing = await self._files.look(path)
            with suppress(ConflictError):
                await self._files.write(path, content, _TYPE, existing.version if existing else "")
        self._remember(f"{folder}/{pack.name}", pack)

    async def _pack(self, folder: str, name: str) -> IndexedPack:
        place = f"{folder}/{name}"
        if place in self._remembered:
            self._remembered.move_to_end(place)
            return self._remembered[place]
        contents = [await self._files.read(f"{place}{ending}", 0, 2 * LARGEST_PACK) for ending in (_PACK, _INDEX)]
        if None in contents:
            raise Refusal("Part of this workspace is missing. Drop the workspace with git_drop, and clone again.")
        pack = IndexedPack(name, *(content[1] for content in contents if content))
        self._remember(place, pack)
        return pack

    def _remember(self, place: str, pack: IndexedPack) -> None:
        self._remembered[place] = pack
        while len(self._remembered) > 1 and sum(one.size for one in self._remembered.values()) > _REMEMBERED:
            self._remembered.popitem(last=False)


def _merge_small_packs(packs: dict[str, IndexedPack]) -> dict[str, IndexedPack]:
    """Merge small packs if there are many. The small packs are then unused, and a later cleanup removes them."""
    small = [pack for pack in packs.values() if pack.size < _SMALL]
    if len(small) < _MOST_PACKS:
        return packs
    made = packed_objects(Objects({}).all_of(small))
    return {**{name: pack for name, pack in packs.items() if pack not in small}, made.name: made}
