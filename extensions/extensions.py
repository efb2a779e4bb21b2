"""All extensions of one process: which of their tools are offered, and what keeps that up to date."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from clients.storage import ConflictError, Storage, StorageError
from extensions.entry import Entry
from extensions.extension import Extension, SignsIn, no_packages
from extensions.installed import record_in, record_of
from extensions.offering import Offering, Replace
from extensions.personal import ShownToPersons
from extensions.pins import PinChanges, PinCheck, Pins, PinStore
from extensions.upstream.question import Json, ServerRequest
from identity.caller import ANONYMOUS, Caller
from identity.toolset_names import is_installed
from mcp_server.wording import nearest
from refusal import Refusal

if TYPE_CHECKING:
    from extensions.installing.packages import Packages

logger = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS: Final = 60.0
# How long after startup requests wait until each extension was looked at for the first time.
_SECONDS_TO_WAIT: Final = 3.0
_NOT_SEEN: Final = (
    "Nobody has let in yet what the extension {name!r} offers: its server is asked in the name of whoever calls."
    " Somebody who looks after this server calls update_extension, which shows what it offers to them, and lets it in."
)
_STARTING: Final = "The extension {name!r} is starting. Try again in a few seconds."


@dataclass(frozen=True, slots=True)
class HostTraits:
    """What is special of where this server runs."""

    # Those that were installed by a tool are there only where these are, at which they may be private ones.
    origins: Collection[str] | None = None
    # Where processes may be started.
    packages: Packages | None = None
    # Where there is one process only, so that it can hold what waits for an answer of the user.
    holds: bool = False


ANYWHERE: Final = HostTraits()


class Extensions:
    """Toolsets are made of what is pinned; servers are asked only when one of their tools is called, or was never seen.

    Everything here happens in the one thread that serves, so what is looked at together belongs together.
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
        # What came of the last look at a server; at one that is asked in the name of whoever calls, of theirs.
        self._compared: dict[str, PinChanges] = {}
        self._shown_to = ShownToPersons()
        self._problems: dict[str, str] = {}
        self._looked = 0.0
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._first_looks: asyncio.Task[None] | None = None
        # Not waited for: some process has looked at them before, and nothing came of it.
        self._looked_at: Collection[str] = ()

    async def begin(self) -> None:
        """Wait until each extension was looked at for the first time, but only for a moment after startup."""
        self.look_again()
        self._first_looks = self._first_looks or asyncio.create_task(self._looked_first())
        await asyncio.shield(self._first_looks)

    async def _looked_first(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_WAIT):
                while awaited := [work for name, work in self._at_work.items() if name not in self._looked_at]:
                    await asyncio.wait(awaited)

    def look_again(self) -> None:
        """See, once in a minute, whether others have pinned something, or something has never been seen."""
        if not self._looked or self.clock() - self._looked > _SECONDS_BETWEEN_LOOKS:
            self._looked = self.clock()
            self._do("", self._refresh())

    async def settled(self) -> None:
        """Wait until nothing is at work."""
        while self._at_work:
            # `gather` returns at once where all have ended, before the loop has taken them out.
            ended, _ = await asyncio.wait(self._at_work.values())
            for work in ended:
                work.result()

    async def ask(self, extension: Extension, tool: str, question: ServerRequest, caller: Caller) -> Json:
        """Ask the server, after a look at what it offers now, which happens beside the call where there was one before.

        Raises:
            Refusal: It does not answer, or the tool is not the one any more that was let in.
        """
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
        """What the server of an extension says now beside what is pinned; with an entry, the one that this names.

        One that is asked in the name of whoever calls is looked at in that of `caller`.

        Raises:
            Refusal: There is no such extension, or its server does not tell.
        """
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
        """As anybody would look who is not signed in at its server."""
        extension = self._new(entry)
        try:
            seen = await extension.listed()
        finally:
            await extension.close()
        await self._read()
        pins = self._pins.get(entry.name, Pins())
        return PinCheck(entry, {said["name"]: said for said in seen}, pins.tools, pins.compared(seen))

    async def take(self, name: str, digest: str = "", entry: Entry | None = None, caller: Caller = ANONYMOUS) -> None:
        """Pin what the server of an extension says now; with a digest, only if that is what it is of.

        With an entry, have it from now on as the one that is installed under its name.

        Raises:
            Refusal: It says something else by now, or somebody else was faster.
        """
        look = await self.look(name, entry, caller)
        if digest and digest != look.digest:
            raise Refusal(f"The server of {name!r} says something else by now. Nothing was let in; look at it again.")
        installed = record_of(entry).content if entry else None
        try:
            await self._kept().pin(name, list(look.seen.values()), self._kept().version(name), installed)
        except ConflictError:
            raise Refusal(f"Somebody else has just updated {name!r}. Nothing was let in; look at it again.") from None
        self._problems.pop(name, None)
        await self._read()
        await self.look(name, caller=caller)

    async def forget(self, name: str) -> None:
        """Have an extension no more that was installed by a tool."""
        await self._kept().forget(name)
        await self.follow()

    async def follow(self) -> None:
        """See what is pinned and installed by now, before something is decided by it."""
        await self._read()
        self._offer()

    def told(self) -> dict[str, Any]:
        """What an operator wants to know of each."""
        return {name: self._told(name, extension) for name, extension in self.all.items()}

    async def close(self) -> None:
        if self._first_looks:
            self._first_looks.cancel()
        for task in list(self._at_work.values()):
            task.cancel()
        await asyncio.gather(*self._at_work.values(), return_exceptions=True)
        # Whatever runs for them is ended to its end.
        await asyncio.gather(*self._leaving, *(extension.close() for extension in self.all.values()))
        if self.packages:
            await self.packages.close()
        if self._store:
            await self._store.close()

    def _do(self, name: str, work: Any) -> None:
        """Do something beside what is asked, unless it is being done."""
        if name in self._at_work:
            work.close()
            return
        task = self._at_work[name] = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._at_work.pop(name, None))

    def named(self, name: str) -> Extension:
        """Raises:
        Refusal: There is none of this name.
        """
        if name not in self.all:
            raise Refusal(f"There is no extension {name[:100]!r}.{nearest(name, list(self.all))}")
        return self.all[name]

    def _kept(self) -> PinStore:
        self._store = self._store or PinStore(self._storage())
        return self._store

    async def _read(self) -> None:
        kept = await self._kept().all()
        self._follow(kept.installed)
        known, self._pins = self._pins, {name: pins for name, pins in kept.pins.items() if name in self.all}
        for name, pins in self._pins.items():
            if name in known and known[name].version != pins.version:
                # Somebody let in what this process has not seen: it looks before the next call.
                self._compared.pop(name, None)

    def _follow(self, installed: Mapping[str, bytes]) -> None:
        """Have those that are installed by now, and no others."""
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
                logger.warning("What is kept of the installed extension %s is not known to this version.", name)

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
            self._looked_at = await self._kept().looked_at() if unseen else ()
        except StorageError as failure:
            logger.warning("What is pinned of extensions could not be read: %s", failure)
            return
        self._offer()
        for extension in unseen:
            if extension.entry.is_personal:
                self._problems[extension.entry.name] = _NOT_SEEN.format(name=extension.entry.name)
            else:
                self._do(extension.entry.name, self._seen_again(extension))

    def _unseen(self) -> list[Extension]:
        """Those of which nothing is pinned. What is installed was looked at before, and is not pinned unseen."""
        return [one for name, one in self.all.items() if name not in self._pins and not one.entry.installed]

    async def _seen_first(self, extension: Extension) -> None:
        name = extension.entry.name
        self._do(name, self._seen_again(extension))
        # However many calls come at once, they wait for one look.
        await asyncio.shield(self._at_work[name])
        if name not in self._compared:
            raise Refusal(f"What the extension {name!r} offers could not be found out. {self._problems.get(name, '')}")

    async def _seen_again(self, extension: Extension) -> None:
        name = extension.entry.name
        try:
            await self._see(extension)
        except (Refusal, StorageError) as failure:
            self._problems[name] = str(failure)
            self._offer()
            logger.warning("The extension %s could not be looked at: %s", name, failure)

    async def _see(self, extension: Extension) -> None:
        """Look at what its server offers, and pin it if nothing of it is pinned."""
        name = extension.entry.name
        if name not in self._pins and name not in self._looked_at:
            await self._kept().note_look(name)
        seen = await extension.listed()
        self._problems.pop(name, None)
        if name not in self._pins and not extension.entry.installed:
            try:
                await self._kept().pin(name, seen)
            except ConflictError:
                logger.info("Another instance has pinned the extension %s first.", name)
            await self._read()
        self._compared[name] = self._pins.get(name, Pins()).compared(seen)
        self._offer()

    async def _shown(self, extension: Extension, caller: Caller) -> PinChanges:
        """What its server shows to somebody beside what was let in."""
        name = extension.entry.name
        pins = self._pins.get(name)
        if pins is None:
            raise Refusal(_NOT_SEEN.format(name=name))
        return await self._shown_to.compared(extension, pins, caller, self.clock())

    def _offer(self) -> None:
        """Have the toolsets that are let in beside those of this server."""
        offers = {
            name: (extension, self._let_in(name)) for name, extension in self.all.items() if self._is_offered(name)
        }
        self._problems |= self._offering.offer(offers, self._starting())

    def _starting(self) -> Mapping[str, str]:
        """What is told of those that are looked at for the first time."""
        unseen = [one.entry.name for one in self._unseen() if not one.entry.is_personal]
        return {name: _STARTING.format(name=name) for name in unseen if name not in self._problems}

    def _is_offered(self, name: str) -> bool:
        """Whether there is something of it that somebody let in: tools, or what its entry offers beside them."""
        return bool(self._let_in(name) or (name in self._pins and self.all[name].entry.offers))

    def _let_in(self, name: str) -> tuple[Mapping[str, Any], ...]:
        if name in self._compared:
            return self._compared[name].offered
        return tuple(self._pins[name].tools.values()) if name in self._pins else ()

    def _told(self, name: str, extension: Extension) -> dict[str, Any]:
        compared = self._compared.get(name)
        told: dict[str, Any] = {
            "owner": extension.entry.owner,
            "tools": len(self._let_in(name)),
            "lastSeen": extension.upstream.circuit.last_seen if extension.is_used else "",
            "isAway": extension.is_used and extension.upstream.circuit.is_open,
            "problem": self._problems.get(name, ""),
            "changed": list(compared.changed) if compared else [],
            "new": list(compared.new) if compared else [],
            "gone": list(compared.gone) if compared else [],
        }
        return {key: value for key, value in told.items() if value is not False and value not in ("", [])}
