"""Parses a service's challenge, which says that the user must sign in again, for example with a second factor."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from typing import Final
from urllib.request import parse_http_list

from identity.denial import Denial

_PARAMETER: Final = re.compile(r'(?:(?P<scheme>[A-Za-z]+) +)?(?P<name>[A-Za-z_]+) *= *"?(?P<value>[^"]*)"?')
_LONGEST: Final = 8192


def claims_challenge(www_authenticate: str) -> Denial | None:
    """Convert a service's challenge to a denial that the client understands. Return None if there is no challenge.

    Only a user can meet the challenge, by signing in again. The app's own identity cannot meet the challenge.
    """
    bearer = _parameters(www_authenticate, "bearer")
    if bearer.get("error") != "insufficient_claims":
        return None
    claims = _decoded(bearer.get("claims", ""))
    return more_claims(claims) if claims else None


def more_claims(claims: str) -> Denial:
    """A denial that requires the user to sign in again with these claims, which are JSON."""
    return Denial(
        "The service requires you to sign in again with stronger authentication.", "insufficient_claims", (), claims
    )


def _parameters(header: str, scheme: str) -> dict[str, str]:
    found: dict[str, str] = {}
    current = ""
    # A header that is too long is ignored as a whole, because the first part of a challenge is of no use.
    for part in parse_http_list(header) if len(header) <= _LONGEST else ():
        parameter = _PARAMETER.fullmatch(part)
        current = ((parameter and parameter["scheme"]) or current).lower()
        if parameter and current == scheme:
            found.setdefault(parameter["name"].lower(), parameter["value"])
    return found


def _decoded(claims: str) -> str:
    try:
        text = urlsafe_b64decode(claims + "=" * (-len(claims) % 4)).decode()
    except ValueError:
        return ""
    return text if text.startswith("{") else ""
