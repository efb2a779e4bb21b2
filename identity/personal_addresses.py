"""Addresses that stand for a person, for programs that cannot sign in, such as calendars.

An address carries to whom it was given and which roles they had then, sealed: nobody can make one, or change it.
Nothing is kept of those that are good; what is kept is since when a person's addresses are void.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from time import time
from typing import TYPE_CHECKING, ClassVar, Final

from clients.storage import Row, Storage, StorageError
from identity.caller import Caller, CallerKind
from identity.denial import Denial, Unavailable
from refusal import Refusal

if TYPE_CHECKING:
    from identity.seals import Seals

DAYS: Final = 365
_VOID: Final = "void"
_DAY: Final = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class _Address:
    kind: ClassVar[str] = "personal address"
    seconds: ClassVar[int] = DAYS * _DAY

    given: float
    caller: Sequence[str]
    roles: Sequence[str]
    scopes: Sequence[str]

    def as_caller(self) -> Caller:
        kind, tenant, subject, client, issuer = self.caller
        return Caller(CallerKind(kind), tenant, subject, client, issuer, frozenset(self.roles), frozenset(self.scopes))


class PersonalAddresses:
    """`keys` are what all instances seal with; without any, no addresses are given."""

    def __init__(self, keys: Sequence[str], storage: Callable[[], Storage], clock: Callable[[], float] = time) -> None:
        self._keys = keys
        self._open_storage = storage
        self._opened: Storage | None = None
        self._clock = clock

    # How long an address is good, if nobody ends it.
    days: Final = DAYS

    @property
    def are_given(self) -> bool:
        return bool(self._keys)

    def token_for(self, caller: Caller) -> str:
        """What the addresses of this caller carry.

        Raises:
            Refusal: An agent asks. An address is good without a sign-in, and for longer than the agent may have access.
        """
        if caller.agent:
            raise Refusal(
                "Agents cannot get personal URLs, because anyone who has one can use it for a year without sign-in."
                " The person can request one in a client that is not an agent."
            )
        named = (caller.kind, caller.tenant, caller.subject, caller.client, caller.issuer)
        return self._seals.seal(_Address(self._clock(), named, sorted(caller.roles), sorted(caller.scopes)))

    async def caller_of(self, token: str) -> Caller:
        """To whom the address with this token was given, with the roles of then.

        Raises:
            Denial: It was given to nobody, has ended, or is void.
            Unavailable: Nobody can tell at present whether it is void.
        """
        address = self._address(token)
        caller = address.as_caller()
        try:
            rows = await self._storage.read_rows(_VOID, [_key(caller)])
        except StorageError:
            raise Unavailable("The server cannot check this URL now.", 60) from None
        if rows and float(rows[0].content) >= address.given:
            raise _void()
        return caller

    async def end_all(self, token: str) -> None:
        """End every address that the person was given until now: whoever has one may do so.

        Raises:
            Denial: It was given to nobody, or has ended.
            Unavailable: It could not be done.
        """
        caller = self._address(token).as_caller()
        try:
            await self._storage.prepare()
            await self._storage.put_row(_VOID, Row(_key(caller), repr(self._clock()).encode()))
        except StorageError:
            raise Unavailable("The addresses could not be ended: the storage does not answer.", 60) from None

    async def close(self) -> None:
        if self._opened:
            await self._opened.close()

    def _address(self, token: str) -> _Address:
        address = self._seals.open(_Address, token) if self._keys else None
        if address is None:
            raise _void()
        return address

    @cached_property
    def _seals(self) -> Seals:
        from identity.seals import Seals

        return Seals(self._keys, self._clock, "personal addresses 1")

    @property
    def _storage(self) -> Storage:
        if self._opened is None:
            self._opened = self._open_storage()
        return self._opened


def _key(caller: Caller) -> str:
    """Of the person, by whichever client the address was asked for."""
    person = json.dumps([caller.issuer, caller.tenant, caller.subject])
    return sha256(person.encode()).hexdigest()


def _void() -> Denial:
    return Denial("This address is not good, or not any more. Ask for a new one.", error="")
