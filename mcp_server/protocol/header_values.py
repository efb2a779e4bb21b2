"""Decodes header values that repeat a part of the body.

Values that a header cannot contain are marked and encoded in base64.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from typing import Final

_MARKED: Final = re.compile(r"=\?base64\?(.*)\?=")
_PRINTABLE: Final = re.compile(r"[\x20-\x7e]*")


def encoded(value: str) -> str:
    is_plain = _PRINTABLE.fullmatch(value) and value == value.strip() and not _MARKED.fullmatch(value)
    return value if is_plain else f"=?base64?{b64encode(value.encode()).decode('ascii')}?="


def decoded(value: str) -> str | None:
    """Decode a header value. None if the value is marked as base64 but is invalid."""
    found = _MARKED.fullmatch(value)
    if found is None:
        return value
    try:
        content = b64decode(found[1], validate=True)
        return content.decode() if b64encode(content).decode("ascii") == found[1] else None
    except (Error, UnicodeDecodeError):
        return None
