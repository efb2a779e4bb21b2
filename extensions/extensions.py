"""Manages all extensions of a process, and keeps their lists of tools current."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from clients.storage import ConflictError, Storage, StorageError
from extensions.entry import Entry
from extensions.extension import Extension, SignsIn, no_packages
from extensions.host_traits import ANYWHERE, HostTraits
from extensions.installed import record_in, record_of
from extensions.offering import Offering, Replace
from extensions.personal import ShownToPersons
from extensions.pins import PinChanges, PinCheck, Pins, PinStore, Said
from extensions.state import state_of
from extensions.upstream.question import Json, ServerRequest
from identity.caller import ANONYMOUS, Caller
from identity.toolset_names import is_installed
from mcp_server.wording import nearest
from refusal import Refusal

logger = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS: Final = 60.0
# After startup, requests wait until every extension has been inspected, but at most for this many seconds.
_SECONDS_TO_WAIT: Final = 3.0
_NOT_SEEN: Final = (
    "The tools of the extension {name!r} are not approved yet, because each user must sign in to its server. Ask"
    " an operator to review and approve them with update_extension."
)
_STARTING: Final = "The extension {name!r} is starting. Try again in a few seconds."


class Extensions:
    """The extensions of a process. Toolsets are built from pins, which record the approved tools.

    An extension's server is contacted only for its first inspection and when one of its tools is called. All code runs
    in the serving thread, so no other thread can change the state between two reads.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        storage: Callable[[], Storage],
        replace: Replace,
        sign_ins: SignsIn | None = None,
        place: HostTraits = ANYWHERE,
    ) -> None:
        packages = place.packages
        self._new = partial(Extension, start=packages.command if packages else no_packages, holds=place.holds)
        self.all = {entry.name: self._new(entry, sign_ins) for entry in entries}
        self.clock: Callable[[], float] = time.monotonic
        self._origins = place.origins
        self._installed: Mapping[str, bytes] = {}
        self.packages = packages
        self._storage = storage
        self._offering = Offering(replace, self.ask)
        self._store: PinStore | None = None
        self._pins: Mapping[str, Pins] = {}
        # The result of the last inspection of each server. If each user signs in to a server, `_shown_to` stores the
        # results by user instead.
        self._compared: dict[str, PinChanges] = {}
        self._shown_to = ShownToPersons()
        self._problems: dict[str, str] = {}
        self._looked = 0.0
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._first_looks: asyncio.Task[None] | None = None
        # Extensions that another process has already started to inspect. Requests do not wait for these extensions.
        self._looked_at: Collection[str] = ()

    async def begin(self) -> None:
        """After startup, wait a short time for the first inspection of each extension."""
        self.look_again()
        self._first_looks = self._first_looks or asyncio.create_task(self._looked_first())
        await asyncio.shield(self._first_looks)

    async def _looked_first(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_WAIT):
                while awaited := [work for name, work in self._at_work.items() if name not in self._looked_at]:
                    await asyncio.wait(awaited)

    def look_again(self) -> None:
        """Load pins from other instances, and inspect new extensions. Called once a minute."""
        if not self._looked or self.clock() - self._looked > _SECONDS_BETWEEN_LOOKS:
            self._looked = self.clock()
            self._do("", self._refresh())

    async def settled(self) -> None:
        """Wait until all background tasks have ended."""
        while self._at_work:
            # If all tasks have ended, `gather` returns immediately. The event loop then has no time to remove the tasks
            # from the dictionary.
            ended, _ = await asyncio.wait(self._at_work.values())
            for work in ended:
                work.result()

    async def ask(self, extension: Extension, tool: str, question: ServerRequest, caller: Caller) -> Json:
        """Call a tool. Raises Refusal if its definition is no longer approved, or if the server does not respond."""
        # The first call waits until the definition has been checked. Later calls use the result, and start a new check.
        name = extension.entry.name
        if extension.entry.is_personal:
            (await self._shown(extension, caller)).hold_back(name, tool)
        else:
            if name not in self._compared:
                await self._seen_first(extension)
            elif not extension.is_listed:
                self._do(name, self._seen_again(extension))
            self._compared[name].hold_back(name, tool)
        return await extension.ask(question, caller)

    async def look(self, name: str, entry: Entry | None = None, caller: Caller = ANONYMOUS) -> PinCheck:
        """Compare the pins with the tools that a server offers to `caller`. If `entry` is given, inspect its server."""
        if entry:
            return await self._look_ahead(entry)
        extension = self.named(name)
        seen = await extension.listed(caller)
        await self._read()
        pins = self._pins.get(name, Pins())
        compared = pins.compared(seen)
        if not extension.entry.is_personal:
            self._compared[name] = compared
        self._offer()
        return PinCheck(extension.entry, {said["name"]: said for said in seen}, pins.tools, compared)

    async def _look_ahead(self, entry: Entry) -> PinCheck:
        """Inspect the server of an extension that is not installed yet, without signing a caller in to it."""
        extension = self._new(entry)
        try:
            seen = await extension.listed()
        finally:
            await extension.close()
        await self._read()
        pins = self._pins.get(entry.name, Pins())
        return PinCheck(entry, {said["name"]: said for said in seen}, pins.tools, pins.compared(seen))

    async def take(self, name: str, digest: str = "", entry: Entry | None = None, caller: Caller = ANONYMOUS) -> None:
        """Pin the tools that an extension's server offers now. If `digest` is given, pin the tools only if they still
        have this digest.

        If `entry` is given, install the extension, too.

        Raises:
            Refusal: The server's tools have changed, or another process updated the pins first.
        """
        await self._read()
        # If two processes inspect the server at the same time, only the first process may pin the tools that it
        # received.
        version = self._pin_store().version(name)
        look = await self.look(name, entry, caller)
        if digest and digest != look.digest:
            raise Refusal(
                f"The server of {name!r} has changed its tools since the preview. Nothing was approved; review the"
                " tools again."
            )
        installed = record_of(entry).content if entry else None
        try:
            await self._pin_store().pin(name, list(look.seen.values()), version, installed)
        except ConflictError:
            raise Refusal(
                f"{name!r} was just updated by someone else. Nothing was approved; review the tools again."
            ) from None
        self._problems.pop(name, None)
        await self._read()
        await self.look(name, caller=caller)

    async def forget(self, name: str) -> None:
        """Uninstall an extension that was installed by a tool."""
        await self._pin_store().forget(name)
        await self.follow()

    async def follow(self) -> None:
        """Load the current pins and installed extensions before a decision, because the ones in memory
        may be outdated.
        """
        await self._read()
        self._offer()

    def states(self) -> dict[str, Any]:
        """Describe the state of each extension for operators."""
        return {name: self._state_of(name) for name in self.all}

    async def close(self) -> None:
        if self._first_looks:
            self._first_looks.cancel()
        for task in list(self._at_work.values()):
            task.cancel()
        await asyncio.gather(*self._at_work.values(), return_exceptions=True)
        # Wait until the processes of all extensions have ended.
        await asyncio.gather(*self._leaving, *(extension.close() for extension in self.all.values()))
        if self.packages:
            await self.packages.close()
        if self._store:
            await self._store.close()

    def _do(self, name: str, work: Any) -> None:
        """Start a background task, unless a task with this name is running."""
        if name in self._at_work:
            work.close()
            return
        task = self._at_work[name] = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._at_work.pop(name, None))

    def named(self, name: str) -> Extension:
        """Return the extension with this name.

        Raises:
            Refusal: The extension does not exist.
        """
        if name not in self.all:
            raise Refusal(f"Extension {name[:100]!r} not found.{nearest(name, list(self.all))}")
        return self.all[name]

    def _pin_store(self) -> PinStore:
        self._store = self._store or PinStore(self._storage())
        return self._store

    async def _read(self) -> None:
        kept = await self._pin_store().all()
        self._follow(kept.installed)
        known, self._pins = self._pins, {name: pins for name, pins in kept.pins.items() if name in self.all}
        for name, pins in self._pins.items():
            if name in known and known[name].version != pins.version:
                # These pins come from another process, so this process inspects the server before the next call.
                self._compared.pop(name, None)

    def _follow(self, installed: Mapping[str, bytes]) -> None:
        """Load newly installed extensions, and remove uninstalled extensions."""
        if self._origins is None:
            return
        before, self._installed = self._installed, installed
        for name in [name for name, content in before.items() if installed.get(name) != content]:
            self._leave(name)
        for name, content in installed.items():
            if name in self.all or not is_installed(name):
                continue
            if record := record_in(content):
                self.all[name] = self._new(record.entry(name, self._origins))
            else:
                logger.warning("The stored format of the installed extension %s is unknown to this version.", name)

    def _leave(self, name: str) -> None:
        if extension := self.all.pop(name, None):
            self._compared.pop(name, None)
            self._problems.pop(name, None)
            leaving = asyncio.create_task(extension.close())
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)

    async def _refresh(self) -> None:
        try:
            await self._read()
            unseen = self._unseen()
            self._looked_at = await self._pin_store().looked_at() if unseen else ()
        except StorageError as failure:
            logger.warning("Pins of extensions could not be read: %s", failure)
            return
        self._offer()
        for extension in unseen:
            if extension.entry.is_personal:
                self._problems[extension.entry.name] = _NOT_SEEN.format(name=extension.entry.name)
            else:
                self._do(extension.entry.name, self._seen_again(extension))

    def _unseen(self) -> list[Extension]:
        """Return extensions without pins. Extensions that a tool installed are excluded, because their tools are pinned
        during the installation.
        """
        return [one for name, one in self.all.items() if name not in self._pins and not one.entry.installed]

    async def _seen_first(self, extension: Extension) -> None:
        name = extension.entry.name
        self._do(name, self._seen_again(extension))
        # Concurrent calls wait for the same inspection.
        await asyncio.shield(self._at_work[name])
        if name not in self._compared:
            raise Refusal(f"Could not list the tools of the extension {name!r}. {self._problems.get(name, '')}")

    async def _seen_again(self, extension: Extension) -> None:
        name = extension.entry.name
        try:
            await self._see(extension)
        except (Refusal, StorageError) as failure:
            self._problems[name] = str(failure)
            self._offer()
            logger.warning("The extension %s could not be inspected: %s", name, failure)

    async def _see(self, extension: Extension) -> None:
        """Inspect the tools that an extension's server offers, and pin them if the extension has no pins."""
        name = extension.entry.name
        if name not in self._pins and name not in self._looked_at:
            await self._pin_store().note_look(name)
        seen = await extension.listed()
        self._problems.pop(name, None)
        if name not in self._pins and not extension.entry.installed:
            await self._pin(name, seen)
        self._compared[name] = self._pins.get(name, Pins()).compared(seen)
        self._offer()

    async def _pin(self, name: str, seen: Sequence[Said]) -> None:
        try:
            await self._pin_store().pin(name, seen)
        except ConflictError:
            logger.info("Another instance pinned the extension %s first.", name)
        await self._read()

    async def _shown(self, extension: Extension, caller: Caller) -> PinChanges:
        """Compare the approved tools with the tools that an extension's server offers to a caller."""
        name = extension.entry.name
        pins = self._pins.get(name)
        if pins is None:
            raise Refusal(_NOT_SEEN.format(name=name))
        return await self._shown_to.compared(extension, pins, caller, self.clock())

    def _offer(self) -> None:
        """Offer the approved tools of all extensions alongside the tools of this server."""
        offers = {
            name: (extension, self._let_in(name)) for name, extension in self.all.items() if self._is_offered(name)
        }
        self._problems |= self._offering.offer(offers, self._starting())

    def _starting(self) -> Mapping[str, str]:
        """Return a notice for each extension that is being inspected for the first time."""
        unseen = [one.entry.name for one in self._unseen() if not one.entry.is_personal]
        return {name: _STARTING.format(name=name) for name in unseen if name not in self._problems}

    def _is_offered(self, name: str) -> bool:
        """Check whether an extension has anything to offer: approved tools, resources or prompts."""
        return bool(self._let_in(name) or (name in self._pins and self.all[name].entry.offers))

    def _let_in(self, name: str) -> tuple[Mapping[str, Any], ...]:
        if name in self._compared:
            return self._compared[name].offered
        return tuple(self._pins[name].tools.values()) if name in self._pins else ()

    def _state_of(self, name: str) -> dict[str, Any]:
        return state_of(self.all[name], len(self._let_in(name)), self._problems.get(name, ""), self._compared.get(name))
