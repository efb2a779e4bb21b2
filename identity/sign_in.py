"""Authenticates callers with a token, or with a key of the Functions host."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Protocol

from identity.caller import Caller, CallerKind
from identity.denial import Denial

Headers = Mapping[str, str]

_BEARER: Final = re.compile(r"bearer +([\w.~+/-]+=*)", re.ASCII | re.IGNORECASE)


class TokenVerifier(Protocol):
    async def caller(self, token: str) -> Caller: ...


class KeySignIn:
    """Authenticates callers with a key that the Functions host has already checked."""

    def __init__(self, role: str) -> None:
        self._caller = Caller(CallerKind.KEY, roles=frozenset({role}))

    async def caller(self, headers: Headers) -> Caller:  # noqa: ARG002 - the key is not passed on
        return self._caller


class BearerSignIn:
    """Authenticates callers with a token in the header `Authorization`. Tokens elsewhere in the request are ignored."""

    def __init__(self, tokens: TokenVerifier) -> None:
        self._tokens = tokens

    async def caller(self, headers: Headers) -> Caller:
        token = bearer_token(headers)
        if not token:
            raise Denial("Sign in first: send a bearer token.", error="")
        return await self._tokens.caller(token)


def bearer_token(headers: Headers) -> str:
    """The only token in the header; an empty string if the header contains no bearer token."""
    value = headers.get("authorization", "").strip(" \t")
    if value.partition(" ")[0].lower() != "bearer":
        return ""  # the header uses another scheme, so it contains no bearer token
    # The Functions host joins repeated headers with commas. A token cannot contain a comma.
    presented = _BEARER.fullmatch(value)
    if not presented:
        raise Denial("Send exactly one token, as `Authorization: Bearer <token>`.", "invalid_request")
    return presented[1]
