"""What a token says of itself, before any of it is believed."""

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

# Three parts, each in exactly one spelling: padding is left out, and what is encrypted has five.
_COMPACT: Final = re.compile(r"([\w-]+)\.([\w-]+)\.([\w-]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class UnverifiedToken:
    header: Mapping[str, Any]
    claims: Mapping[str, Any]


def read(token: str) -> UnverifiedToken:
    """Take the token apart, without verifying anything.

    Raises:
        Denial: It is no signed JWT, or too large to be one.
    """
    if len(token) > LARGEST:
        raise Denial(f"The token is larger than {LARGEST} bytes.")
    parts = _COMPACT.fullmatch(token)
    if not parts:
        raise Denial("The token is not a signed JWT.")
    return UnverifiedToken(_decoded(parts[1]), _decoded(parts[2]))


def strict_json(data: bytes) -> dict[str, Any]:
    """Read one object in which no name occurs twice: readers differ in which of two they take.

    Raises:
        ValueError: It is not one.
    """
    try:
        found = json.loads(data.decode(), object_pairs_hook=_unambiguous, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("Too deeply nested.") from None
    if not isinstance(found, dict):
        raise ValueError("Not an object.")  # noqa: TRY004 - a value of the wrong kind, not an argument
    return found


def _decoded(part: str) -> dict[str, Any]:
    try:
        return strict_json(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, binascii.Error):
        raise Denial("The token is not a signed JWT: a part of it is not an unambiguous JSON object.") from None


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("A name occurs twice.")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON.")
