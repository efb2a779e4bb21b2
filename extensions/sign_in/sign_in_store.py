"""Stores sign-ins in encrypted form: one row per user and extension. Concurrent writes are detected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final, Generic, TypeAlias, TypeVar

from clients.storage import ConflictError, Row, Storage
from extensions.sign_in.methods import Peer
from identity.caller import Caller
from identity.seals import Sealable, Seals, fingerprint

_PARTITION: Final = "sign-ins"
_DAYS: Final = 24 * 3600


@dataclass(frozen=True, slots=True)
class KeptTokens:
    """A user's tokens for an extension, and the endpoint that renews them. `claimed_at` is the time when a renewal
    started.
    """

    row: ClassVar[str] = "kept"
    kind: ClassVar[str] = "tokens of an extension"
    seconds: ClassVar[int] = 90 * _DAYS

    owner: str
    url: str
    resource: str
    token_endpoint: str
    revocation_endpoint: str
    client_id: str
    client_secret: str
    method: str
    access: str
    ends_at: float
    refresh: str
    renewed_at: float
    claimed_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Pending:
    """A sign-in that the user has started. The row is deleted when the user returns, so the sign-in can be completed
    only once.
    """

    row: ClassVar[str] = "pending"
    kind: ClassVar[str] = "sign-in to an extension"
    seconds: ClassVar[int] = 600

    owner: str
    id: str
    url: str
    issuer: str
    tells_issuer: bool
    resource: str
    token_endpoint: str
    revocation_endpoint: str
    client_id: str
    client_secret: str
    method: str
    verifier: str
    redirect: str


@dataclass(frozen=True, slots=True)
class SignInDemand:
    """What an extension's server required when it rejected a sign-in, for example additional scopes."""

    row: ClassVar[str] = "wanted"
    kind: ClassVar[str] = "challenge of an extension"
    seconds: ClassVar[int] = 3600

    owner: str
    url: str
    scope: str
    metadata: str


SignInRow: TypeAlias = KeptTokens | Pending | SignInDemand
V = TypeVar("V", KeptTokens, Pending, SignInDemand)


@dataclass(frozen=True, slots=True)
class VersionedRow(Generic[V]):
    value: V
    version: str


def owner_of(peer: Peer, caller: Caller) -> str:
    """Return an ID for a user's sign-in to an extension. The ID is the same for all MCP clients of the user."""
    return fingerprint("extension", peer.name, *caller.person)


class SignInStore:
    def __init__(self, storage: Callable[[], Storage], seals: Seals) -> None:
        self._storage = storage
        self._seals = seals

    async def find(self, as_a: type[V], owner: str) -> VersionedRow[V] | None:
        for row in await self._storage().read_rows(_PARTITION, [_key(as_a, owner)]):
            value = self._seals.open(as_a, row.content.decode(errors="replace"))
            # Ignore a row that was copied from another owner.
            if value is not None and value.owner == owner and row.version:
                return VersionedRow(value, row.version)
        return None

    async def put(self, value: SignInRow) -> None:
        """Store a value, replacing any earlier value."""
        row = Row(_key(type(value), value.owner), self._sealed(value))
        await self._storage().put_row(_PARTITION, row)

    async def swap(self, held: VersionedRow[V], value: V) -> VersionedRow[V] | None:
        """Replace a value. Return None if the value has changed since it was read."""
        guard = Row(_key(type(value), value.owner), self._sealed(value), held.version)
        try:
            stored = await self._storage().put_rows(_PARTITION, guard, [])
        except ConflictError:
            return None
        return VersionedRow(value, stored.version or "")

    async def forget(self, as_a: type[SignInRow], owner: str) -> None:
        await self._storage().remove_row(_PARTITION, _key(as_a, owner))

    def _sealed(self, value: Sealable) -> bytes:
        return self._seals.seal(value).encode()


def _key(as_a: type[SignInRow], owner: str) -> str:
    # The row name is independent of the class name, so renaming a class does not force users to sign in again.
    return f"{as_a.row}.{owner}"
