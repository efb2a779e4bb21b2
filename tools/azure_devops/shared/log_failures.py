"""Finds the lines that explain a failure, wherever they are in a log."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from tools.azure_devops.shared.answers import Json, present
from tools.azure_devops.shared.log_lines import Allowance, LogReading, numbered, readable_line, shortened

# The maximum number of bytes to read from the beginning of a log. Longer logs are also read from the end.
_MOST_READ: Final = 8 * 1024 * 1024
_LAST_LINES: Final = 2000
_LAST_READ: Final = 2 * 1024 * 1024
_BEFORE: Final = 2
_AFTER: Final = 4
_MOST_KINDS: Final = 40
_ENDING: Final = 5
_USUAL_LINE: Final = 120
_LONGEST_ENDING: Final = 200
_LONGEST_JUDGED: Final = 2000

_CERTAIN: Final = re.compile(
    r"##\[error\]|##vso\[task\.logissue[^\]]{0,500}type=error|Traceback \(most recent call|\b(?:[A-Z]\w*)?Exception\b"
    r"|\b(?:[A-Z]\w*)?Error\b|\b(?:[Ee]rror|[Ff]atal)(?: [A-Z]+-?\d+)?:|\b(?:FATAL|PANIC|ERR!)|\bpanic:"
)
_LIKELY: Final = re.compile(r"\bFAIL(?:ED|URE)?\b|\bERROR\b|^E {3}")
_POSSIBLE: Final = re.compile(r"\b(?:errors?|fail(?:ed|ing|s|ures?)?|exit(?:ed with)? code)\b", re.IGNORECASE)
# Messages that say only that the step failed. The next pattern matches phrases that mention errors but report none.
_GENERIC: Final = re.compile(r"exit(?:ed with)? code\W{0,3}-?\d|Process completed with", re.IGNORECASE)
_HARMLESS: Final = re.compile(
    r"\b(?:0|no|zero|without) (?:\w+ )?(?:errors?|fail\w*|exceptions?)(?:\(s\))?"
    r"|\b(?:errors?|fail\w*)\W{0,3}[:=]\s{0,3}0\b|[-_./]errors?\b(?!:)|\berrors?[-_./]\w",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r"##\[(?:debug|command|section|group|endgroup|warning)\]")
_WORDS: Final = ("error", "fail", "except", "traceback", "panic", "fatal", "exit", "err!")
_VARYING: Final = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F]{8,}|\d+")


@dataclass(slots=True)
class _Kind:
    """Similar lines about a failure: the first line with its neighbors, and the number of such lines."""

    number: int
    weight: int
    lines: dict[int, str]
    times: int = 1


@dataclass(slots=True)
class FailureLines:
    """Collects the most relevant lines while a log is read."""

    kinds: dict[str, _Kind] = field(default_factory=dict)
    ending: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=_LONGEST_ENDING))
    _open: list[_Kind] = field(default_factory=list)

    def note(self, number: int, line: str) -> None:
        """Add the next line."""
        whole = readable_line(line[:_LONGEST_JUDGED])
        text = shortened(whole)
        if self._open:
            self._follow(number, text)
        if weight := _weight(whole):
            self._keep(number, text, weight)
        self.ending.append((number, text))

    def _follow(self, number: int, text: str) -> None:
        for kind in self._open:
            kind.lines[number] = text
        self._open = [kind for kind in self._open if number < kind.number + _AFTER]

    def _keep(self, number: int, text: str, weight: int) -> None:
        name = _VARYING.sub("#", text)
        if known := self.kinds.get(name):
            known.times += 1
        elif sum(kind.weight == weight for kind in self.kinds.values()) < _MOST_KINDS:
            before = [(near, line) for near, line in list(self.ending)[-_BEFORE:] if near >= number - _BEFORE]
            self.kinds[name] = _Kind(number, weight, dict([*before, (number, text)]))
            self._open.append(self.kinds[name])

    def content(self, most: int) -> str:
        """Return the most relevant lines with their neighbors, and the last lines of the log. The result is not longer
        than `most` lines of usual length.
        """
        ending = min(_ENDING, most // 4) if self.kinds else most
        chosen: dict[int, str] = {}
        for kind in sorted(self.kinds.values(), key=lambda kind: (-kind.weight, kind.number)):
            for around in (kind.lines, {kind.number: kind.lines[kind.number]}):
                if _fits(chosen | around, most - ending):
                    chosen |= around
                    break
        last = self._last(ending, room=most * _USUAL_LINE - sum(map(len, chosen.values())))
        return numbered(self._marked(chosen | last))

    def _last(self, count: int, room: int) -> dict[int, str]:
        last: dict[int, str] = {}
        for number, line in list(self.ending)[::-1][:count]:
            room -= len(line)
            if room < 0 and last:
                break
            last[number] = line
        return last

    def _marked(self, chosen: dict[int, str]) -> Iterator[tuple[int, str, bool]]:
        times = {kind.number: kind.times for kind in self.kinds.values()}
        for number in sorted(chosen):
            alike = f" (and {times[number] - 1} like it)" if times.get(number, 0) > 1 else ""
            yield number, chosen[number] + alike, number in times


async def telling_lines(devops: AzureDevOps, log: DevOpsRequest, count: int, most: int) -> Json:
    """Return the most relevant lines of a log with `count` lines, and the ranges of lines that were not read."""
    telling = FailureLines()
    beginning = LogReading(log, Allowance(_MOST_READ))
    await _noted(telling, beginning, devops)
    if beginning.following is None:
        return present({"content": telling.content(most)})
    end = LogReading(log, Allowance(_LAST_READ), first=max(beginning.following, count - _LAST_LINES + 1))
    await _noted(telling, end, devops)
    gaps = [(beginning.following, end.first - 1), (end.following, count)]
    unread = [f"{first} to {last}" for first, last in gaps if first and last >= first]
    return present({"unread": "Lines " + ", ".join(unread) if unread else None, "content": telling.content(most)})


async def _noted(telling: FailureLines, reading: LogReading, devops: AzureDevOps) -> None:
    async for some in reading.lines(devops):
        for number, line in some:
            telling.note(number, line)


def _fits(lines: Mapping[int, str], most: int) -> bool:
    return len(lines) <= most and (len(lines) == 1 or sum(map(len, lines.values())) <= most * _USUAL_LINE)


def _weight(line: str) -> int:
    """Score how relevant a line is to a failure."""
    lowered = line.lower()
    is_test = line.startswith("E   ")
    if _ASIDE.search(line) or not (is_test or any(word in lowered for word in _WORDS)):
        return 0
    text = _HARMLESS.sub("", line)
    if _GENERIC.search(text):
        return 1
    if _CERTAIN.search(text):
        return 3
    return 2 if _LIKELY.search(text) else int(bool(_POSSIBLE.search(text)))
