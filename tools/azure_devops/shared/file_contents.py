"""Decodes and encodes text files, and detects binary files."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from io import StringIO
from typing import Any, Final, Literal

from refusal import Refusal

# A file is binary if one of its first bytes is NUL. The number of bytes to check is the same as in Git.
_LOOKED_AT: Final = 8000
LONGEST_TEXT: Final = 100_000

Encoding = Literal["utf-8", "utf-8-bom", "utf-16le", "utf-16be", "cp1252"]
# Encodings with their byte order marks. UTF-16 without a byte order mark counts as binary, as in Git.
_MARKED: Final[dict[Encoding, tuple[bytes, str]]] = {
    "utf-8-bom": (BOM_UTF8, "utf-8"),
    "utf-16le": (BOM_UTF16_LE, "utf-16-le"),
    "utf-16be": (BOM_UTF16_BE, "utf-16-be"),
}


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file, with its encoding."""

    text: str
    encoding: Encoding


def file_text(content: bytes) -> FileText | None:
    """Return the text of a file, or None if the file is binary."""
    for encoding, (mark, codec) in _MARKED.items():
        if content.startswith(mark):
            return _decoded(content.removeprefix(mark), encoding, codec)
    if b"\0" in content[:_LOOKED_AT]:
        return None
    return _decoded(content, "utf-8", "utf-8") or _decoded(content, "cp1252", "cp1252")


def as_text(content: bytes) -> str | None:
    """Return the text of a file, or None if the file is binary. Bytes that cannot be decoded become U+FFFD."""
    if found := file_text(content):
        return found.text
    return None if b"\0" in content[:_LOOKED_AT] else content.decode("utf-8-sig", errors="replace")


def encoded(text: str, encoding: Encoding) -> bytes:
    """Encode a text.

    Raises:
        Refusal: The text has characters that the encoding does not support.
    """
    mark, codec = _MARKED.get(encoding, (b"", encoding))
    try:
        return mark + text.encode(codec)
    except UnicodeEncodeError as error:
        lacking = text[error.start]
        raise Refusal(f"{encoding} does not support {lacking!r}. Use another encoding, for example utf-8.") from None


def _decoded(content: bytes, encoding: Encoding, codec: str) -> FileText | None:
    try:
        return FileText(content.decode(codec), encoding)
    except UnicodeDecodeError:
        return None


def lines_of(text: str) -> list[str]:
    """Split a text into lines. Each line keeps its line end. As in Git, only a line feed ends a line."""
    return list(StringIO(text, newline="\n"))


def excerpt(text: str, first: int, most: int) -> dict[str, Any]:
    """Return a range of lines of a text. Line numbers are added unless the range contains all lines."""
    lines = lines_of(text)
    if first > max(len(lines), 1):
        raise Refusal(f"The file has only {len(lines)} lines.")
    chosen = _fitting(lines[first - 1 : first - 1 + most])
    content = "".join(chosen)
    last = first - 1 + len(chosen)
    if first == 1 and last == len(lines) and len(content) <= LONGEST_TEXT:
        return {"content": content}
    more = f"For more, pass firstLine={last + 1}." if last < len(lines) else None
    return {"lines": f"{first}-{last} of {len(lines)}", "more": more, "content": content[:LONGEST_TEXT]}


def _fitting(lines: list[str]) -> list[str]:
    """Return as many lines as fit into an answer, but at least one line."""
    size = 0
    for number, line in enumerate(lines):
        size += len(line)
        if size > LONGEST_TEXT:
            return lines[: max(number, 1)]
    return lines
