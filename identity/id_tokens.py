"""Determines when a person signed in, according to an ID token."""

from __future__ import annotations

from identity.caller import Caller
from identity.claims import moment, text, texts
from identity.denial import Denial
from identity.unverified_token import read


def signed_in_at(id_token: str, client_id: str, person: Caller) -> float:
    """The claim `auth_time` in an ID token from the token endpoint, or 0 if the token has no such claim for this
    person.

    The endpoint sent the token over TLS, so the token's signature need not be checked (OpenID Connect Core 1.0,
    3.1.3.7).
    """
    try:
        claims = read(id_token).claims
        is_theirs = text(claims, "oid", "sub") == person.subject and text(claims, "tid") == person.tenant
        if client_id not in texts(claims, "aud") or not is_theirs:
            return 0.0
        return moment(claims, "auth_time")
    except Denial:
        return 0.0
