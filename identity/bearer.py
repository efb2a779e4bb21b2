"""Verifies the access token that a caller sends."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from jwt import PyJWS
from jwt.exceptions import PyJWTError

from identity.admission import Admission
from identity.caller import Caller
from identity.claims import Claims, caller_of, moment, text, texts
from identity.denial import Denial
from identity.keys import IssuerKey, IssuerKeys
from identity.unverified_token import UnverifiedToken, read
from refusal import Refusal

LEEWAY_SECONDS: Final = 60.0
LONGEST_LIFE_SECONDS: Final = 31 * 86400.0
MOST_REMEMBERED: Final = 1000

_TYPES: Final = {"jwt", "at+jwt", "application/at+jwt"}
# This server does not accept a token with one of these claims as an access token. All of these claims except `cnf`
# belong to ID tokens and logout tokens. A token with `cnf` is valid only together with a proof, which this server does
# not check.
_FOREIGN_CLAIMS: Final = {"nonce", "at_hash", "c_hash", "s_hash", "events", "cnf"}


@dataclass(frozen=True, slots=True)
class _Verified:
    caller: Caller
    key: IssuerKey
    until: float


class BearerTokens:
    """Authenticates bearer tokens. A verified token is cached until it expires, or until its key is withdrawn.

    Raises:
        Refusal: The issuer signs tokens for all tenants, but no allowed tenants are configured.
    """

    def __init__(self, keys: IssuerKeys, admission: Admission, *, clock: Callable[[], float] = time.time) -> None:
        if keys.has_many_tenants and not admission.tenants:
            raise Refusal("This issuer issues tokens for all tenants. Configure the allowed tenants.")
        self._keys = keys
        self._admission = admission
        self._clock = clock
        self._signatures = PyJWS()
        self._remembered: OrderedDict[bytes, _Verified] = OrderedDict()

    async def caller(self, token: str) -> Caller:
        """Verify the token, and return the caller that it identifies.

        Raises:
            Denial: The token is invalid, or does not contain a required scope or role.
            KeysUnavailable: The issuer's keys cannot be read.
        """
        digest = sha256(token.encode()).digest()
        found = self._remembered.get(digest)
        if found is None or self._clock() >= found.until or await self._keys.find(found.key.kid) is not found.key:
            found = await self._verify(token)
        self._remember(digest, found)
        return found.caller

    def _remember(self, digest: bytes, found: _Verified) -> None:
        self._remembered[digest] = found
        self._remembered.move_to_end(digest)
        if len(self._remembered) > MOST_REMEMBERED:
            self._remembered.popitem(last=False)

    async def _verify(self, token: str) -> _Verified:
        unverified = read(token)
        key = await self._key_of(unverified)
        try:
            self._signatures.decode_complete(token, key.material, [*key.algorithms])
        except PyJWTError:
            raise Denial("The token's signature is not valid.") from None
        self._check_origin(unverified.claims, key)
        until = _checked_end(unverified.claims, self._clock())
        caller = self._admission.admit(caller_of(unverified.claims, token))
        return _Verified(caller, key, until)

    async def _key_of(self, unverified: UnverifiedToken) -> IssuerKey:
        """The issuer's key whose ID is in the token's header.

        If the header refers to a key in any other way, the reference is ignored.
        """
        header = unverified.header
        kid, algorithm, kind = header.get("kid"), header.get("alg"), header.get("typ", "JWT")
        if (
            not isinstance(kind, str)
            or kind.lower() not in _TYPES
            or not header.keys().isdisjoint({"crit", "b64", "cty"})
        ):
            raise Denial("The token is not an access token.")
        key = await self._keys.find(kid) if isinstance(kid, str) else None
        if key is None:
            raise Denial("The token is not signed by a key of the trusted issuer.")
        if not isinstance(algorithm, str) or algorithm not in key.algorithms:
            raise Denial("The token is signed with an unsupported algorithm.")
        return key

    def _check_origin(self, claims: Claims, key: IssuerKey) -> None:
        if not key.signs_for(text(claims, "iss"), text(claims, "tid")):
            raise Denial("The token is from an issuer that this server does not trust.")
        if texts(claims, "aud").isdisjoint(self._admission.audiences):
            raise Denial("The token is for another resource, not for this server.")
        if not claims.keys().isdisjoint(_FOREIGN_CLAIMS):
            raise Denial("The token is not a bearer access token.")


def _checked_end(claims: Claims, now: float) -> float:
    issued, expires = moment(claims, "iat"), moment(claims, "exp")
    begins = moment(claims, "nbf") if "nbf" in claims else issued
    if expires <= now - LEEWAY_SECONDS:
        raise Denial("The token has expired.")
    if max(issued, begins) > now + LEEWAY_SECONDS:
        raise Denial("The token is not valid yet.")
    if expires > now + LONGEST_LIFE_SECONDS:
        raise Denial("The token's lifetime is too long.")
    return expires
