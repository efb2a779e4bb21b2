"""Reads the lines of a log in chunks. A log can have any size, and only one chunk is in memory at a time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsAnswer, DevOpsRequest
from refusal import Refusal

LARGEST_PIECE: Final = 2 * 1024 * 1024
LONGEST_SHOWN: Final = 400
# After this many lines, the reader lets other requests run.
_AT_ONCE: Final = 200

_STAMP: Final = re.compile(r"\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z ?")
_TERMINAL: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_])?")
_UNREADABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(slots=True)
class Allowance:
    """The number of bytes that may still be read, from one log or from several logs together."""

    left: int


@dataclass(slots=True)
class LogReading:
    """Reads a log and records how far it was read. `following` is the number of the next line if the end was not
    reached.
    """

    request: DevOpsRequest
    allowance: Allowance
    first: int = 1
    last: int | None = None
    following: int | None = None

    async def lines(self, devops: AzureDevOps) -> AsyncIterator[Iterable[tuple[int, str]]]:
        """Yield the lines with their numbers, in batches. A line larger than a chunk is truncated."""
        number = self.first
        while self.allowance.left > 0:
            request = replace(self.request, query=line_range(number, self.last))
            answer = await devops.text(request, LARGEST_PIECE)
            lines = _whole_lines(answer)
            self.allowance.left -= len(answer.content)
            for at in range(0, len(lines), _AT_ONCE):
                await asyncio.sleep(0)
                yield enumerate(lines[at : at + _AT_ONCE], number + at)
            number += len(lines)
            if not answer.is_cut or (self.last and number > self.last):
                return
        self.following = number


def line_range(start: int | None, end: int | None) -> dict[str, int | None]:
    """Return the query parameters for some lines of a log.

    Raises:
        Refusal: The range ends before it begins.
    """
    if start and end and start > end:
        raise Refusal(f"startLine ({start}) must not be greater than endLine ({end}).")
    return {"startLine": start, "endLine": end}


def readable_line(line: str) -> str:
    """Remove the timestamp and the terminal escapes from a line."""
    stamp = _STAMP.match(line)
    return readable_text(line[stamp.end() :] if stamp else line).rstrip()


def readable_text(text: str) -> str:
    """Remove terminal escapes from a text, because colors cost more tokens than words."""
    if text.isprintable():
        return text
    return _UNREADABLE.sub("", _TERMINAL.sub("", text).replace("\r\n", "\n").replace("\r", " "))


def shortened(line: str, start: int = 0) -> str:
    """Return the part of a line to show: the whole line or, if the line is long, an excerpt that begins at `start`."""
    if len(line) <= LONGEST_SHOWN:
        return line
    before, after = "…" if start else "", "…" if start + LONGEST_SHOWN < len(line) else ""
    return f"{before}{line[start : start + LONGEST_SHOWN]}{after}"


def numbered(lines: Iterable[tuple[int, str, bool]]) -> str:
    """Format lines like `grep -n`: matches with a colon, context with a hyphen."""
    return "\n".join(_numbered(lines))


def _numbered(lines: Iterable[tuple[int, str, bool]]) -> Iterator[str]:
    before = None
    for number, line, is_hit in lines:
        if before is not None and number > before + 1:
            yield "--"
        yield f"{number}{':' if is_hit else '-'}{line}"
        before = number


def _whole_lines(answer: DevOpsAnswer) -> list[str]:
    lines = answer.text.split("\n")
    # The text after the last line feed is not a complete line: either it is empty, or the response is truncated.
    is_part = answer.is_cut or not lines[-1]
    return lines[:-1] if is_part and len(lines) > 1 else [line for line in lines if line]
