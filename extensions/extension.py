"""One extension while it is used: its server, asked when it is first needed, and what that offers."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, Protocol

from extensions.entry import Entry
from extensions.installing.package import PackagedServer
from extensions.pins import Said
from extensions.sanitizing import readable
from extensions.sign_in.methods import OpenAccess
from extensions.upstream.connecting import upstream_at, upstream_of
from extensions.upstream.failures import ServerUnreachableError, SignInError
from extensions.upstream.process import Command
from extensions.upstream.question import Json, ServerRequest
from extensions.upstream.server_questions import ServerQuestions
from extensions.upstream.upstream import UpstreamServer
from identity.caller import ANONYMOUS, Caller
from invisible import is_printable
from refusal import Refusal

MOST_TOOLS: Final = 500
_MOST_PAGES: Final = 20
_LONGEST_NAME: Final = 128
_LONGEST_ERRORS: Final = 4_000
# How long a list counts, whatever its server says: it is asked again no sooner and no later.
_LEAST_KEPT: Final = 60.0
_MOST_KEPT: Final = 3600.0


class SignsIn(Protocol):
    """Signs callers in at extensions, with headers of this server's making."""

    async def headers(self, peer: Entry, caller: Caller) -> Mapping[str, str]: ...

    async def challenged(self, peer: Entry, caller: Caller, www_authenticate: str, *, again: bool = False) -> None:
        """Mend what made the server of an extension turn somebody away, `again` after it was mended; or refuse."""

    async def signed_in_at(self, peer: Entry, caller: Caller) -> float | None:
        """When somebody's own sign-in there was last renewed, if they have one."""

    async def sign_out(self, peer: Entry, caller: Caller) -> bool | None:
        """Forget somebody's sign-in, and tell whether its issuer says it is void; nothing where there was none."""


# How a server in a package is started, once it is there.
Start = Callable[[PackagedServer], Awaitable[Command]]


async def no_packages(_wanted: PackagedServer) -> Command:
    raise Refusal("Nothing is installed here.")


class Nobody:
    """Signs nobody in."""

    async def headers(self, _peer: Entry, _caller: Caller) -> Mapping[str, str]:
        return {}

    async def challenged(self, _peer: Entry, _caller: Caller, _www_authenticate: str, *, again: bool = False) -> None:
        """There is nothing to mend."""

    async def signed_in_at(self, _peer: Entry, _caller: Caller) -> float | None:
        return None

    async def sign_out(self, _peer: Entry, _caller: Caller) -> bool | None:
        return None


class Extension:
    """The token by which a caller came here is in none of what it sends."""

    def __init__(
        self, entry: Entry, sign_ins: SignsIn | None = None, start: Start = no_packages, *, holds: bool = False
    ) -> None:
        """`holds` what waits for an answer of the user: where there is one process only."""
        self.entry = entry
        self._holding = ServerQuestions() if holds else None
        self._start = start
        self.sign_ins = sign_ins or Nobody()
        self._upstream: UpstreamServer | None = None
        self._listed_until = 0.0

    @property
    def upstream(self) -> UpstreamServer:
        if self._upstream is None:
            entry = self.entry
            who = f"The server of the extension {entry.name!r}"
            if entry.package:
                start = partial(self._start, entry.package)
                self._upstream = upstream_of(who, start, entry.era, largest=entry.largest)
            elif entry.command:
                self._upstream = upstream_of(who, entry.command, entry.era, largest=entry.largest)
            else:
                self._upstream = upstream_at(
                    who, entry.url, entry.era, is_private=entry.is_private, largest=entry.largest
                )
            self._upstream.may_ask = self._holding is not None
        return self._upstream

    @property
    def is_used(self) -> bool:
        return self._upstream is not None

    @property
    def errors(self) -> str:
        """The last of what its process wrote to its standard error, for whoever looks after it."""
        return readable(self._upstream.errors, _LONGEST_ERRORS) if self._upstream else ""

    @property
    def is_listed(self) -> bool:
        """Whether what it offers was asked for lately."""
        return time.monotonic() < self._listed_until

    async def ask(self, question: ServerRequest, caller: Caller = ANONYMOUS) -> Json:
        """Raises:
        Refusal: There is no answer; the words say why.
        """
        try:
            return await self._asked(question, caller)
        except SignInError as turned_away:
            if isinstance(self.entry.sign_in, OpenAccess):
                raise
            await self.sign_ins.challenged(self.entry, caller, turned_away.challenge)
        # Who was turned away has done nothing there, so that asking once more does nothing twice.
        try:
            return await self._asked(question, caller)
        except SignInError as again:
            if self.entry.is_consented:
                await self.sign_ins.challenged(self.entry, caller, again.challenge, again=True)
            raise

    async def _asked(self, question: ServerRequest, caller: Caller) -> Json:
        headers = {**question.headers, **await self.sign_ins.headers(self.entry, caller)}
        asked = ServerRequest(
            method=question.method,
            params=question.params,
            headers=headers,
            on_progress=question.on_progress,
            capabilities=question.capabilities,
        )
        ask = partial(self.upstream.ask, seconds=self.entry.seconds)
        return await (self._holding.ask(asked, ask) if self._holding else ask(asked))

    async def listed(self, caller: Caller = ANONYMOUS) -> list[Said]:
        """The tools that it offers to somebody now, each name once, without those that cannot be one.

        Raises:
            Refusal: It does not tell.
        """
        tools: dict[str, Said] = {}
        cursor: object = None
        for _ in range(_MOST_PAGES):
            page = await self.ask(
                ServerRequest(method="tools/list", params={"cursor": cursor} if cursor else {}), caller
            )
            for said in _tools_of(page):
                tools.setdefault(said["name"], said)
            cursor = page.get("nextCursor")
            if len(tools) > MOST_TOOLS:
                raise ServerUnreachableError(f"The extension {self.entry.name!r} offers more than {MOST_TOOLS} tools.")
            if not isinstance(cursor, str) or not cursor:
                self._listed_until = time.monotonic() + _kept(page)
                return list(tools.values())
        raise ServerUnreachableError(
            f"The extension {self.entry.name!r} tells of its tools on more than {_MOST_PAGES} pages."
        )

    async def close(self) -> None:
        if self._holding:
            await self._holding.close()
        if self._upstream:
            await self._upstream.close()


def _tools_of(page: Json) -> list[Json]:
    tools = page.get("tools")
    return [said for said in (tools if isinstance(tools, list) else []) if isinstance(said, dict) and _is_named(said)]


def _is_named(said: Json) -> bool:
    name = said.get("name")
    return isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME and is_printable(name)


def _kept(page: Json) -> float:
    said = page.get("ttlMs")
    if isinstance(said, bool) or not isinstance(said, int | float):
        return _LEAST_KEPT
    # Bounded before it is divided: no number is too large to be compared, and one that is none is not the larger.
    return min(max(1000 * _LEAST_KEPT, said), 1000 * _MOST_KEPT) / 1000
