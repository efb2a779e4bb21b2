"""Decodes the values of headers that repeat a part of the body.

If a header cannot contain a value, clients encode the value in base64 and mark the result.
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
    """Decode a header value. None if the value is marked as base64 but is not valid base64."""
    found = _MARKED.fullmatch(value)
    if found is None:
        return value
    try:
        content = b64decode(found[1], validate=True)
        return content.decode() if b64encode(content).decode("ascii") == found[1] else None
    except (Error, UnicodeDecodeError):
        return None
