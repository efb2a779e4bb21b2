"""Parses a token without verifying it."""

from __future__ import annotations

import binascii
import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from identity.denial import Denial

LARGEST: Final = 16 * 1024

# A signed token has three parts, each in base64 without padding. Encrypted tokens have five parts.
_COMPACT: Final = re.compile(r"([\w-]+)\.([\w-]+)\.([\w-]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class UnverifiedToken:
    header: Mapping[str, Any]
    claims: Mapping[str, Any]


def read(token: str) -> UnverifiedToken:
    """Parse the token. Nothing in the token is verified.

    Raises:
        Denial: The token is too large or not a signed JWT.
    """
    if len(token) > LARGEST:
        raise Denial(f"The token is larger than {LARGEST} bytes.")
    parts = _COMPACT.fullmatch(token)
    if not parts:
        raise Denial("The token is not a signed JWT.")
    return UnverifiedToken(_decoded(parts[1]), _decoded(parts[2]))


def strict_json(data: bytes) -> dict[str, Any]:
    """Parse a JSON object. Duplicate names are rejected, because JSON parsers disagree about which value counts.

    Raises:
        ValueError: The data is not a JSON object, or it contains a duplicate name.
    """
    try:
        found = json.loads(data.decode(), object_pairs_hook=_unambiguous, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("The JSON is nested too deeply.") from None
    if not isinstance(found, dict):
        raise ValueError("The JSON is not an object.")  # noqa: TRY004 - invalid data, not an invalid argument
    return found


def _decoded(part: str) -> dict[str, Any]:
    try:
        return strict_json(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, binascii.Error):
        raise Denial("The token is not a signed JWT: a part of it is ambiguous or is not a JSON object.") from None


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("An object contains a name twice.")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON.")
