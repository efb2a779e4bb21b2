"""Finds an issuer's signing keys through its discovery document, and caches the keys in the process."""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from azure.core.exceptions import AzureError
from jwt import PyJWK
from jwt.algorithms import AllowedPublicKeys
from jwt.exceptions import PyJWTError

from clients.addresses import Query, checked_base_url
from clients.rest import RestClient
from identity.denial import Unavailable
from refusal import Refusal

LARGEST_DOCUMENT: Final = 256 * 1024
# After this many seconds, keys are refreshed in the background. After twice this time, requests wait until the keys are
# refreshed. Therefore, while the issuer is reachable, a withdrawn key is trusted for at most twice this time.
FRESH_SECONDS: Final = 600.0
# While the issuer is unreachable, cached keys are used for at most this many seconds, which cover a weekend. After a
# longer outage, requests fail, so that an operator notices.
OLDEST_SECONDS: Final = 3 * 86400.0
# Unknown key IDs cause at most one download of the keys in this many seconds, because anyone can send an unknown ID.
PAUSE_SECONDS: Final = 10.0
PAUSE_WITHOUT_KEYS_SECONDS: Final = 5.0

_TENANT: Final = "{tenantid}"
_MANY_TENANTS: Final = re.compile(r"(https?://[^/]+)/(?:common|organizations)(/.*)?\Z")
_RSA: Final = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
_ALGORITHMS: Final[Mapping[str, frozenset[str]]] = {
    "RSA": _RSA,
    "EC P-256": frozenset({"ES256"}),
    "EC P-384": frozenset({"ES384"}),
    "EC P-521": frozenset({"ES512"}),
    "OKP Ed25519": frozenset({"EdDSA"}),
}
_PUBLIC_MEMBERS: Final = ("kty", "crv", "n", "e", "x", "y")

logger = logging.getLogger(__name__)


class KeysUnavailable(Unavailable):
    """The issuer's keys cannot be read, so the server cannot check a token now."""


class _DocumentError(Exception):
    """A document of the issuer does not lead to usable keys. The message is logged."""


@dataclass(frozen=True, slots=True, eq=False)
class IssuerKey:
    """A public key of the issuer.

    In `issuers`, `{tenantid}` stands for the token's tenant. All entries must match the token's issuer.
    """

    kid: str
    material: AllowedPublicKeys
    algorithms: frozenset[str]
    issuers: tuple[str, ...]

    def signs_for(self, issuer: str, tenant: str) -> bool:
        return all(expected.replace(_TENANT, tenant) == issuer for expected in self.issuers)


class IssuerKeys:
    """The keys of one issuer.

    Requests that need an unknown key share a single download of the keys, and wait for it up to `patience` seconds. Old
    keys are refreshed in the background, and stay in use during the refresh unless they are too old.
    """

    def __init__(self, issuer: str, *, patience: float = 5.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._address = checked_base_url(issuer)
        self._patience = patience
        self._clock = clock
        self._known: Mapping[str, IssuerKey] = {}
        self._read_at = -math.inf
        self._next_reading = -math.inf
        self._is_reachable = True
        self._reading: asyncio.Task[None] | None = None

    @property
    def has_many_tenants(self) -> bool:
        return bool(_MANY_TENANTS.fullmatch(self._address))

    async def find(self, kid: str) -> IssuerKey | None:
        """Find the key with this ID. Return None if the issuer has no such key.

        Raises:
            KeysUnavailable: The key is unknown, and the issuer is unreachable.
        """
        age = self._clock() - self._read_at
        if kid not in self._known or age > OLDEST_SECONDS:
            await self._refresh()
        elif age > FRESH_SECONDS:
            self._begin_reading()
            if age > 2 * FRESH_SECONDS and self._is_reachable:
                await self._end_of_reading()
        return self._known.get(kid)

    async def close(self) -> None:
        if self._reading:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    async def _refresh(self) -> None:
        self._begin_reading()
        await self._end_of_reading()
        if not self._is_reachable:
            seconds = max(1, math.ceil(self._next_reading - self._clock()))
            raise KeysUnavailable("The keys of the sign-in service cannot be read now.", seconds)

    async def _end_of_reading(self) -> None:
        if self._reading:
            # Shield the download, because other requests may wait for it when this request is cancelled.
            await asyncio.shield(self._reading)

    def _begin_reading(self) -> None:
        if self._reading is None and self._clock() >= self._next_reading:
            self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async with asyncio.timeout(self._patience):
                self._known = await self._published()
        except (AzureError, _DocumentError, Refusal, TimeoutError) as problem:
            logger.warning("Cannot read the keys of %s: %s", self._address, str(problem) or type(problem).__name__)
            self._is_reachable = False
        else:
            self._is_reachable = True
            self._read_at = self._clock()
        finally:
            self._reading = None
            self._next_reading = self._clock() + (PAUSE_SECONDS if self._known else PAUSE_WITHOUT_KEYS_SECONDS)

    async def _published(self) -> Mapping[str, IssuerKey]:
        discovered = await self._document(self._address, "/.well-known/openid-configuration")
        issuer = self._checked_issuer(discovered.get("issuer"))
        address, query = _split(discovered.get("jwks_uri"))
        published = (await self._document(address, "", query)).get("keys")
        keys = {key.kid: key for key in _usable(published if isinstance(published, list) else [], issuer)}
        if not keys:
            raise _DocumentError("The issuer publishes no usable keys.")
        return keys

    async def _document(self, address: str, path: str, query: Query | None = None) -> Mapping[str, Any]:
        async with RestClient(address, patience=self._patience) as client:
            response = await client.send(f"GET {path}", {}, query)
        if len(response.content) > LARGEST_DOCUMENT:
            raise _DocumentError(f"The issuer's document is larger than {LARGEST_DOCUMENT} bytes.")
        document = response.document
        if not isinstance(document, dict):
            raise _DocumentError("The issuer's document is not a JSON object.")
        return document

    def _checked_issuer(self, issuer: object) -> str:
        """Check the issuer in the discovery document, and return this issuer.

        The issuer may differ from the configured issuer by a trailing slash.
        """
        if not isinstance(issuer, str) or issuer.rstrip("/") != self._expected_issuer:
            raise _DocumentError("The discovery document names a different issuer. Configure that issuer.")
        return issuer

    @property
    def _expected_issuer(self) -> str:
        return _MANY_TENANTS.sub(rf"\1/{_TENANT}\2", self._address)


def _split(address: object) -> tuple[str, Query]:
    if not isinstance(address, str):
        raise _DocumentError("The discovery document does not contain the location of the keys.")
    try:
        parts = urlsplit(address)
    except ValueError:
        raise _DocumentError("The discovery document does not contain the location of the keys.") from None
    return urlunsplit(parts._replace(query="")), dict(parse_qsl(parts.query))


def _usable(published: Iterable[object], issuer: str) -> Iterable[IssuerKey]:
    for entry in published:
        if isinstance(entry, dict) and (key := _key(entry, issuer)):
            yield key


def _key(entry: Mapping[str, Any], issuer: str) -> IssuerKey | None:
    """Read a public key. Return None if the key is symmetric, or is not for signatures."""
    fitting = _ALGORITHMS.get(f"{entry.get('kty')} {entry.get('crv', '')}".strip(), frozenset())
    algorithms = frozenset(name for name in fitting if entry.get("alg", name) == name)
    kid = entry.get("kid")
    if not algorithms or not isinstance(kid, str) or entry.get("use", "sig") != "sig":
        return None
    try:
        made = PyJWK({name: entry[name] for name in _PUBLIC_MEMBERS if name in entry}, min(algorithms))
    except PyJWTError:
        return None
    too_short = made.Algorithm.check_key_length(made.key)
    return None if too_short else IssuerKey(kid, made.key, algorithms, _issuers(entry, issuer))


def _issuers(entry: Mapping[str, Any], issuer: str) -> tuple[str, ...]:
    """The issuers whose tokens a key may sign.

    A key document for many tenants may also contain keys that are only for one tenant.
    """
    return (issuer, str(entry["issuer"])) if _TENANT in issuer and "issuer" in entry else (issuer,)
