"""Personal links for programs that cannot sign in, for example calendars.

Nobody can forge or change a link, because it contains an encrypted token. The token contains the owner of the link, and
the owner's roles. The server does not store links. For each person, it stores only the time of the last revocation:
links issued before that time are invalid.
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
    """Issues and verifies personal links. `keys` are shared by all instances; without keys, links are disabled."""

    def __init__(self, keys: Sequence[str], storage: Callable[[], Storage], clock: Callable[[], float] = time) -> None:
        self._keys = keys
        self._open_storage = storage
        self._opened: Storage | None = None
        self._clock = clock

    # The number of days after which a link expires.
    days: Final = DAYS

    @property
    def are_given(self) -> bool:
        return bool(self._keys)

    def token_for(self, caller: Caller) -> str:
        """The token for this caller's links.

        Raises:
            Refusal: The caller is an agent. A link could still work after the agent loses access.
        """
        if caller.agent:
            raise Refusal(
                "Agents cannot get personal URLs, because anyone who has such a URL can use it for a year without"
                " sign-in. The person can request a personal URL in a client that is not an agent."
            )
        named = (caller.kind, caller.tenant, caller.subject, caller.client, caller.issuer)
        return self._seals.seal(_Address(self._clock(), named, sorted(caller.roles), sorted(caller.scopes)))

    async def caller_of(self, token: str) -> Caller:
        """The owner of the link that contains this token.

        The returned caller has the roles that the owner had when the link was issued.

        Raises:
            Denial: The link is invalid, expired or revoked.
            Unavailable: The server cannot currently check whether the link is revoked.
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
        """Revoke all links that the owner of this link has received so far. Anyone with one of these links may do so.

        Raises:
            Denial: The link is invalid or expired.
            Unavailable: The links could not be revoked.
        """
        caller = self._address(token).as_caller()
        try:
            await self._storage.prepare()
            await self._storage.put_row(_VOID, Row(_key(caller), repr(self._clock()).encode()))
        except StorageError:
            raise Unavailable("The links could not be revoked, because the storage is not responding.", 60) from None

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
    """A key that identifies the person. The key is the same in all of the person's clients."""
    person = json.dumps([caller.issuer, caller.tenant, caller.subject])
    return sha256(person.encode()).hexdigest()


def _void() -> Denial:
    return Denial("This URL is invalid or expired. Request a new URL.", error="")
