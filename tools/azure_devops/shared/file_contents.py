"""Contents of files as text, or not at all where they are none."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from io import StringIO
from typing import Any, Final

from refusal import Refusal

# Git itself looks only so far for a NUL.
_LOOKED_AT: Final = 8000
LONGEST_TEXT: Final = 100_000


def as_text(content: bytes) -> str | None:
    """What a file says, or None if it is binary."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    if b"\0" in content[:_LOOKED_AT]:
        return None
    return content.decode("utf-8-sig", errors="replace")


def lines_of(text: str) -> list[str]:
    """The lines with their ends. Only a line feed ends one, as in Git."""
    return list(StringIO(text, newline="\n"))


def excerpt(text: str, first: int, most: int) -> dict[str, Any]:
    """Some lines of a text, and which they are if they are not all."""
    lines = lines_of(text)
    if first > max(len(lines), 1):
        raise Refusal(f"It has only {len(lines)} lines.")
    chosen = _fitting(lines[first - 1 : first - 1 + most])
    content = "".join(chosen)
    last = first - 1 + len(chosen)
    if first == 1 and last == len(lines) and len(content) <= LONGEST_TEXT:
        return {"content": content}
    more = f"More with firstLine={last + 1}." if last < len(lines) else None
    return {"lines": f"{first}-{last} of {len(lines)}", "more": more, "content": content[:LONGEST_TEXT]}


def _fitting(lines: list[str]) -> list[str]:
    """As many of the lines as may be shown at once, but at least one."""
    size = 0
    for number, line in enumerate(lines):
        size += len(line)
        if size > LONGEST_TEXT:
            return lines[: max(number, 1)]
    return lines
