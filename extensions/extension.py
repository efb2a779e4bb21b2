"""One extension in use: its server, contacted on first use, and what it offers."""

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
# How long a list is cached, whatever its server says.
_LEAST_KEPT: Final = 60.0
_MOST_KEPT: Final = 3600.0


class SignsIn(Protocol):
    """Signs callers in at extensions, with headers of this server's making."""

    async def headers(self, peer: Entry, caller: Caller) -> Mapping[str, str]: ...

    async def challenged(self, peer: Entry, caller: Caller, www_authenticate: str, *, again: bool = False) -> None:
        """Fix why the server of an extension rejected a caller, `again` after a first fix; or refuse."""

    async def signed_in_at(self, peer: Entry, caller: Caller) -> float | None:
        """When the caller's own sign-in there was last renewed, if they have one."""

    async def sign_out(self, peer: Entry, caller: Caller) -> bool | None:
        """Delete the caller's sign-in, and return whether its issuer confirmed revocation; nothing if there was
        none.
        """


# The command for a packaged server, after installation.
Start = Callable[[PackagedServer], Awaitable[Command]]


async def no_packages(_wanted: PackagedServer) -> Command:
    raise Refusal("Packages cannot be installed here.")


class Nobody:
    """Signs nobody in."""

    async def headers(self, _peer: Entry, _caller: Caller) -> Mapping[str, str]:
        return {}

    async def challenged(self, _peer: Entry, _caller: Caller, _www_authenticate: str, *, again: bool = False) -> None:
        """There is nothing to fix."""

    async def signed_in_at(self, _peer: Entry, _caller: Caller) -> float | None:
        return None

    async def sign_out(self, _peer: Entry, _caller: Caller) -> bool | None:
        return None


class Extension:
    """It never sends the token with which a caller signed in here."""

    def __init__(
        self, entry: Entry, sign_ins: SignsIn | None = None, start: Start = no_packages, *, holds: bool = False
    ) -> None:
        """`holds` keeps calls that wait for an answer from the user: only with a single process."""
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
        """The end of its process's standard error, for operators."""
        return readable(self._upstream.errors, _LONGEST_ERRORS) if self._upstream else ""

    @property
    def is_listed(self) -> bool:
        """Whether its list was queried recently."""
        return time.monotonic() < self._listed_until

    async def ask(self, question: ServerRequest, caller: Caller = ANONYMOUS) -> Json:
        """Raises:
        Refusal: There is no answer; the message says why.
        """
        try:
            return await self._asked(question, caller)
        except SignInError as turned_away:
            if isinstance(self.entry.sign_in, OpenAccess):
                raise
            await self.sign_ins.challenged(self.entry, caller, turned_away.challenge)
        # A rejected call did nothing there, so repeating it is safe.
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
        """The tools it offers to the caller now, each name once, without invalid ones.

        Raises:
            Refusal: It does not answer.
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
            f"The extension {self.entry.name!r} lists its tools on more than {_MOST_PAGES} pages."
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
    # Limited before the division: any number can be compared, and NaN is never the larger one.
    return min(max(1000 * _LEAST_KEPT, said), 1000 * _MOST_KEPT) / 1000
