"""All extensions of one process: which tools they offer, and how that stays current."""

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
# How long after startup requests wait for the first inspection of each extension.
_SECONDS_TO_WAIT: Final = 3.0
_NOT_SEEN: Final = (
    "The tools of the extension {name!r} are not approved yet, because its server requires each user's sign-in. Ask"
    " an operator to review and approve them with update_extension."
)
_STARTING: Final = "The extension {name!r} is starting. Try again in a few seconds."


@dataclass(frozen=True, slots=True)
class HostTraits:
    """What depends on where this server runs."""

    # Extensions installed by a tool work only if their origin is listed here; these may be private.
    origins: Collection[str] | None = None
    # Set if processes may be started.
    packages: Packages | None = None
    # Set if there is a single process, which can hold calls that wait for an answer from the user.
    holds: bool = False


ANYWHERE: Final = HostTraits()


class Extensions:
    """Toolsets are built from pins; servers are contacted only when a tool is called or was never seen.

    Everything runs in the serving thread, so state read together is consistent.
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
        # The result of the last inspection of a server; per caller if it requires their sign-in.
        self._compared: dict[str, PinChanges] = {}
        self._shown_to = ShownToPersons()
        self._problems: dict[str, str] = {}
        self._looked = 0.0
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._first_looks: asyncio.Task[None] | None = None
        # Not waited for: another process inspected them without success.
        self._looked_at: Collection[str] = ()

    async def begin(self) -> None:
        """Wait for the first inspection of each extension, but only briefly after startup."""
        self.look_again()
        self._first_looks = self._first_looks or asyncio.create_task(self._looked_first())
        await asyncio.shield(self._first_looks)

    async def _looked_first(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_WAIT):
                while awaited := [work for name, work in self._at_work.items() if name not in self._looked_at]:
                    await asyncio.wait(awaited)

    def look_again(self) -> None:
        """Once a minute, check for pins from other instances, and for extensions never inspected."""
        if not self._looked or self.clock() - self._looked > _SECONDS_BETWEEN_LOOKS:
            self._looked = self.clock()
            self._do("", self._refresh())

    async def settled(self) -> None:
        """Wait until nothing is running."""
        while self._at_work:
            # `gather` returns immediately if all have ended, before the loop has removed them.
            ended, _ = await asyncio.wait(self._at_work.values())
            for work in ended:
                work.result()

    async def ask(self, extension: Extension, tool: str, question: ServerRequest, caller: Caller) -> Json:
        """Call the server after inspecting what it offers now; concurrently if it was inspected before.

        Raises:
            Refusal: It does not answer, or the tool is no longer the approved one.
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
        """What the server of an extension says now, compared with its pins; with an entry, of that entry's server.

        A server that requires the user's sign-in is inspected on behalf of `caller`.

        Raises:
            Refusal: There is no such extension, or its server does not answer.
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
        """As a caller without a sign-in at its server would."""
        extension = self._new(entry)
        try:
            seen = await extension.listed()
        finally:
            await extension.close()
        await self._read()
        pins = self._pins.get(entry.name, Pins())
        return PinCheck(entry, {said["name"]: said for said in seen}, pins.tools, pins.compared(seen))

    async def take(self, name: str, digest: str = "", entry: Entry | None = None, caller: Caller = ANONYMOUS) -> None:
        """Pin what the server of an extension says now; with a digest, only if it matches.

        With an entry, install that entry under its name.

        Raises:
            Refusal: It has changed, or another update was faster.
        """
        look = await self.look(name, entry, caller)
        if digest and digest != look.digest:
            raise Refusal(f"The server of {name!r} has changed its tools since. Nothing was approved; review it again.")
        installed = record_of(entry).content if entry else None
        try:
            await self._kept().pin(name, list(look.seen.values()), self._kept().version(name), installed)
        except ConflictError:
            raise Refusal(
                f"{name!r} was just updated by someone else. Nothing was approved; review it again."
            ) from None
        self._problems.pop(name, None)
        await self._read()
        await self.look(name, caller=caller)

    async def forget(self, name: str) -> None:
        """Uninstall an extension that was installed by a tool."""
        await self._kept().forget(name)
        await self.follow()

    async def follow(self) -> None:
        """Read current pins and installed extensions before a decision."""
        await self._read()
        self._offer()

    def told(self) -> dict[str, Any]:
        """What an operator needs to know about each."""
        return {name: self._told(name, extension) for name, extension in self.all.items()}

    async def close(self) -> None:
        if self._first_looks:
            self._first_looks.cancel()
        for task in list(self._at_work.values()):
            task.cancel()
        await asyncio.gather(*self._at_work.values(), return_exceptions=True)
        # Their processes are ended completely.
        await asyncio.gather(*self._leaving, *(extension.close() for extension in self.all.values()))
        if self.packages:
            await self.packages.close()
        if self._store:
            await self._store.close()

    def _do(self, name: str, work: Any) -> None:
        """Start a background task unless it is already running."""
        if name in self._at_work:
            work.close()
            return
        task = self._at_work[name] = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._at_work.pop(name, None))

    def named(self, name: str) -> Extension:
        """Raises:
        Refusal: There is none with this name.
        """
        if name not in self.all:
            raise Refusal(f"Extension {name[:100]!r} not found.{nearest(name, list(self.all))}")
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
                # Approved elsewhere and not seen by this process: it inspects the server before the next call.
                self._compared.pop(name, None)

    def _follow(self, installed: Mapping[str, bytes]) -> None:
        """Load exactly the extensions installed now."""
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
            self._looked_at = await self._kept().looked_at() if unseen else ()
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
        """Those without pins. Installed ones were reviewed before, so they are never pinned unseen."""
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
        """Inspect what its server offers, and pin it if it has no pins."""
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
        """What its server shows to a caller, compared with what was approved."""
        name = extension.entry.name
        pins = self._pins.get(name)
        if pins is None:
            raise Refusal(_NOT_SEEN.format(name=name))
        return await self._shown_to.compared(extension, pins, caller, self.clock())

    def _offer(self) -> None:
        """Offer the approved toolsets next to those of this server."""
        offers = {
            name: (extension, self._let_in(name)) for name, extension in self.all.items() if self._is_offered(name)
        }
        self._problems |= self._offering.offer(offers, self._starting())

    def _starting(self) -> Mapping[str, str]:
        """The notice for those being inspected for the first time."""
        unseen = [one.entry.name for one in self._unseen() if not one.entry.is_personal]
        return {name: _STARTING.format(name=name) for name in unseen if name not in self._problems}

    def _is_offered(self, name: str) -> bool:
        """Whether anything of it is approved: tools, or the other content its entry offers."""
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
