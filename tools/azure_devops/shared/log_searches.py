"""Searches a log, and returns the matching lines with the lines around them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from tools.azure_devops.shared.answers import Json, present
from tools.azure_devops.shared.log_lines import Allowance, LogReading, numbered, readable_line, shortened
from tools.azure_devops.shared.log_patterns import LinePattern

_MOST_FOUND: Final = 50
LONGEST_ANSWER: Final = 16_000
# The maximum effort of a search: the number of characters multiplied by the number of parts in the pattern. A search
# with the maximum effort takes a few seconds.
_MOST_WORK: Final = 600_000_000
_MOST_READ: Final = 16 * 1024 * 1024


class Search:
    """A search for a pattern in a range of lines. `context` lines are shown before and after each match."""

    def __init__(self, pattern: str, context: int, start: int | None, end: int | None) -> None:
        self.pattern = LinePattern(pattern)
        self.context = context
        self.start, self.end = start, end
        self.allowance = Allowance(min(_MOST_READ, _MOST_WORK // self.pattern.size))


@dataclass(slots=True)
class Finds:
    """The matches so far. Matches that do not fit into an answer are only counted; `left` is the line number of the
    first match that did not fit.
    """

    context: int
    found: int = 0
    left: int | None = None
    _shown: list[tuple[int, str, bool]] = field(default_factory=list)
    _before: deque[tuple[int, str]] = field(default_factory=deque)
    _wanted: int = 0
    _room: int = LONGEST_ANSWER

    @property
    def content(self) -> str:
        return numbered(self._shown)

    def note(self, number: int, line: str, part: str | None) -> None:
        """Add the next line. `part` is the text to show if the line matches."""
        if part is not None:
            self.found += 1
            if self.found > _MOST_FOUND or self._room <= 0:
                self.left = self.left or number
        if self.left:
            return
        if part is not None:
            self._show_before()
            self._show(number, part, is_find=True)
            self._wanted = self.context
        elif self._wanted:
            self._show(number, shortened(readable_line(line)), is_find=False)
            self._wanted -= 1
        else:
            self._remember(number, line)

    def _remember(self, number: int, line: str) -> None:
        self._before.append((number, line))
        if len(self._before) > self.context:
            self._before.popleft()

    def _show_before(self) -> None:
        while self._before:
            number, line = self._before.popleft()
            self._show(number, shortened(readable_line(line)), is_find=False)

    def _show(self, number: int, text: str, *, is_find: bool) -> None:
        self._shown.append((number, text, is_find))
        self._room -= len(text)


async def searched(devops: AzureDevOps, log: DevOpsRequest, search: Search) -> Json:
    """Return the matching lines of a log, the number of matches, and where to continue the search."""
    reading = LogReading(log, search.allowance, search.start or 1, search.end)
    finds = Finds(search.context)
    async for some in reading.lines(devops):
        for number, line in some:
            finds.note(number, line, search.pattern.find(line))
    return present({"found": finds.found, "more": _more(finds, reading), "content": finds.content})


def _more(finds: Finds, reading: LogReading) -> str | None:
    if finds.left:
        return f"For more matches, pass startLine={finds.left}."
    if reading.following:
        return f"The search is incomplete: continue with startLine={reading.following}."
    return None
