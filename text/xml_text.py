"""Writes untrusted text into XML elements."""

from __future__ import annotations

import re
from typing import Final
from xml.sax.saxutils import escape, quoteattr

_UNWRITABLE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def element(name: str, content: str, **attributes: str) -> str:
    """An XML element that contains this text."""
    return f"<{name}{_written(attributes)}>{escape(writable(content))}</{name}>"


def empty_element(name: str, **attributes: str) -> str:
    return f"<{name}{_written(attributes)}/>"


def writable(text: str) -> str:
    """The text without the characters that XML forbids."""
    return _UNWRITABLE.sub("", text)


def _written(attributes: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(writable(value))}" for name, value in attributes.items())
