"""Decodes the bytes of a blob, or the text of a message."""

from __future__ import annotations

import codecs
import re
from base64 import b64decode
from dataclasses import dataclass
from email.message import Message
from typing import Final

_LOOKED_AT: Final = 8000
# The byte order mark of UTF-32 begins with the byte order mark of UTF-16, so longer marks come first.
_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
LONGEST_MARK: Final = 4
_CHARSETS: Final = re.compile(r"utf-?(8|16|32)|ascii|iso8859|cp12|koi8|shift_jis|gb|big5|euc")
_WESTERN: Final = "cp1252"
_CONTINUING: Final = bytes(range(0x80, 0xC0))
_MOST_CONTINUED: Final = 3
_UNWRITTEN: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|[A-Za-z0-9+/]{6}==")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Decoded text. Incomplete characters at the start and end are left out.

    `skipped` is the number of bytes before the text, and `used` is the number of bytes up to the end of the text.
    """

    text: str
    charset: str
    skipped: int
    used: int


def text_of(content: bytes, content_type: str, beginning: bytes, *, is_end: bool, is_start: bool) -> DecodedText | None:
    """Decode a part of a blob. `beginning` contains the first bytes of the blob. None if the blob is binary."""
    if charset := _marked(beginning) or _charset_of(content_type):
        return _decoded(content, charset, is_end=is_end, is_start=is_start, errors="replace")
    if b"\0" in content[:_LOOKED_AT]:
        return None
    found = _decoded(content, "utf-8", is_end=is_end, is_start=is_start)
    found = found or _decoded(content, _WESTERN, is_end=is_end, is_start=is_start)
    return None if found is None or (found.charset == _WESTERN and _UNWRITTEN.search(found.text)) else found


def message_text(text: str) -> tuple[str, bool]:
    """The text of a message, and whether the text was encoded in base64, which is common."""
    if not _BASE64.fullmatch(text):
        return text, False
    try:
        found = b64decode(text).decode()
    except ValueError:
        return text, False
    return (
        (found, True) if found.replace("\n", " ").replace("\r", " ").replace("\t", " ").isprintable() else (text, False)
    )


def _marked(beginning: bytes) -> str:
    return next((charset for mark, charset in _MARKS.items() if beginning.startswith(mark)), "")


def _charset_of(content_type: str) -> str:
    """The charset in a Content-Type header; empty if the charset is not a supported text encoding."""
    header = Message()
    header["Content-Type"] = content_type
    named = header.get_param("charset")
    try:
        charset = codecs.lookup(str(named)).name
    except (LookupError, ValueError):
        return ""
    return charset if _CHARSETS.match(charset) else ""


def _decoded(
    content: bytes, charset: str, *, is_end: bool, is_start: bool, errors: str = "strict"
) -> DecodedText | None:
    skipped = 0 if is_start or charset != "utf-8" else _continued(content)
    decoder = codecs.getincrementaldecoder(charset)(errors)
    try:
        text = decoder.decode(content[skipped:], final=is_end)
    except UnicodeDecodeError:
        return None
    used = len(content) - len(decoder.getstate()[0])
    return DecodedText(text.removeprefix("\ufeff") if is_start else text, charset, skipped, used)


def _continued(content: bytes) -> int:
    """The number of bytes at the start that belong to a character which began in the previous part."""
    number = len(content) - len(content.lstrip(_CONTINUING))
    return number if number <= _MOST_CONTINUED else 0
