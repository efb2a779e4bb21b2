"""An extension in use: the connection to its server, and what the server offers."""

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
# The minimum number of seconds to cache a list, even if the extension's server requests a shorter time.
_LEAST_KEPT: Final = 60.0
_MOST_KEPT: Final = 3600.0


class SignsIn(Protocol):
    """Signs callers in to the servers of extensions."""

    async def headers(self, peer: Entry, caller: Caller) -> Mapping[str, str]: ...

    async def challenged(self, peer: Entry, caller: Caller, www_authenticate: str, *, again: bool = False) -> None:
        """Prepare to repeat a call after an extension's server has rejected the sign-in.

        `again` is true if the server also rejected the repeated call.

        Raises:
            Refusal: This server cannot obtain a sign-in that the extension's server accepts.
        """

    async def signed_in_at(self, peer: Entry, caller: Caller) -> float | None:
        """Return when the caller's own sign-in to the extension was last renewed, or None if the caller is not signed
        in.
        """

    async def sign_out(self, peer: Entry, caller: Caller) -> bool | None:
        """Delete the caller's sign-in to an extension.

        Return whether the issuer confirmed the revocation, or None if the caller had no sign-in.
        """


# A function that installs a packaged server, and returns the command that starts it.
Start = Callable[[PackagedServer], Awaitable[Command]]


async def no_packages(_wanted: PackagedServer) -> Command:
    raise Refusal("Packages cannot be installed here.")


class Nobody:
    """Does not sign callers in. Used for servers that require no sign-in."""

    async def headers(self, _peer: Entry, _caller: Caller) -> Mapping[str, str]:
        return {}

    async def challenged(self, _peer: Entry, _caller: Caller, _www_authenticate: str, *, again: bool = False) -> None:
        """Do nothing, because the extension's server requires no sign-in."""

    async def signed_in_at(self, _peer: Entry, _caller: Caller) -> float | None:
        return None

    async def sign_out(self, _peer: Entry, _caller: Caller) -> bool | None:
        return None


class Extension:
    """An extension in use. A caller's token for this server is never sent to the extension's server."""

    def __init__(
        self, entry: Entry, sign_ins: SignsIn | None = None, start: Start = no_packages, *, holds: bool = False
    ) -> None:
        """Create an extension. `holds` allows calls to wait in memory for an answer from the user, which works only
        with a single process.
        """
        self.entry = entry
        self._holding = ServerQuestions() if holds else None
        self._start = start
        self.sign_ins = sign_ins or Nobody()
        self._upstream: UpstreamServer | None = None
        self._listed_until = 0.0

    @property
    def upstream(self) -> UpstreamServer:
        if self._upstream is None:
            self._upstream = self._connection()
            self._upstream.may_ask = self._holding is not None
        return self._upstream

    def _connection(self) -> UpstreamServer:
        entry = self.entry
        who = f"The server of the extension {entry.name!r}"
        if entry.package:
            return upstream_of(who, partial(self._start, entry.package), entry.era, largest=entry.largest)
        if entry.command:
            return upstream_of(who, entry.command, entry.era, largest=entry.largest)
        return upstream_at(who, entry.url, entry.era, is_private=entry.is_private, largest=entry.largest)

    @property
    def is_used(self) -> bool:
        return self._upstream is not None

    @property
    def errors(self) -> str:
        """The most recent text that the extension's process wrote to standard error, for operators."""
        return readable(self._upstream.errors, _LONGEST_ERRORS) if self._upstream else ""

    @property
    def is_listed(self) -> bool:
        """Whether the list of tools was requested recently and is still cached."""
        return time.monotonic() < self._listed_until

    async def ask(self, question: ServerRequest, caller: Caller = ANONYMOUS) -> Json:
        """Send a request to the extension's server. Raises Refusal if the server returns no result."""
        try:
            return await self._send(question, caller)
        except SignInError as turned_away:
            if isinstance(self.entry.sign_in, OpenAccess):
                raise
            await self.sign_ins.challenged(self.entry, caller, turned_away.challenge)
        # The server did not process the rejected call, so repeating the call is safe.
        return await self._send_again(question, caller)

    async def _send_again(self, question: ServerRequest, caller: Caller) -> Json:
        try:
            return await self._send(question, caller)
        except SignInError as again:
            if self.entry.is_consented:
                await self.sign_ins.challenged(self.entry, caller, again.challenge, again=True)
            raise

    async def _send(self, question: ServerRequest, caller: Caller) -> Json:
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
        """List the valid tools that the server currently offers to the caller, without duplicate names.

        Raises:
            Refusal: The server does not respond.
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
                self._listed_until = time.monotonic() + _lifetime(page)
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


def _lifetime(page: Json) -> float:
    said = page.get("ttlMs")
    if isinstance(said, bool) or not isinstance(said, int | float):
        return _LEAST_KEPT
    # Clamp the number first, and then divide it. `max` also replaces NaN, because NaN is never greater than a number.
    return min(max(1000 * _LEAST_KEPT, said), 1000 * _MOST_KEPT) / 1000
