"""Finds and replaces sections of a Markdown text.

A section ends at the next heading of the same or a higher level. Replacing a section changes no byte of the other
sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

_HASHES: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE: Final = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*$")
_FENCE: Final = re.compile(r" {0,3}(?P<mark>(?P<sign>[`~:])(?P=sign){2,})(?P<info>.*)")
# Matches the start of lines that cannot be the text of an underlined heading: lists, quotes, tables, HTML, indented
# code.
_NO_PARAGRAPH: Final = re.compile(r" {0,3}(?:[-+*](?:[ \t]|$)|[>|<]|\d{1,9}[.)](?:[ \t]|$))| {4}|\t")
_RULE: Final = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_RAW: Final = re.compile(r" {0,3}<(?:!--|(?P<tag>pre|script|style|textarea)\b)", re.IGNORECASE)
_MARKUP: Final = re.compile(r"[*_`~\\]")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_COUNTED: Final = re.compile(r"(?P<name>.*\S) \[(?P<which>\d{1,4})\]")
_BLANK: Final = " \t\r\n"
_FRONT_END: Final = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its text and subsections. `body` is the position of the line after the heading."""

    path: tuple[str, ...]
    level: int
    line: int
    start: int
    body: int
    end: int = 0

    @property
    def name(self) -> str:
        return " > ".join(self.path)

    def of(self, text: str) -> str:
        return text[self.start : self.end].rstrip(_BLANK)


def sections_of(text: str) -> list[Section]:
    """All sections of the text, in order. Headings in code or comments are ignored."""
    found = list(_headings(text))
    sections: list[Section] = []
    path: list[Section] = []
    for heading in found:
        path = [above for above in path if above.level < heading.level]
        whole = replace(heading, path=tuple(above.path[-1] for above in path) + heading.path)
        path.append(whole)
        sections.append(whole)
    return _with_ends(sections, len(text))


def named(sections: Sequence[Section], name: str) -> list[Section]:
    """The sections with this name.

    The name is a heading, a path such as `Setup > Windows`, or `Notes [2]` for the second section with the heading
    Notes.
    """
    found = _by_name(sections, name)
    counted = None if found else _COUNTED.fullmatch(name.strip())
    if not counted or not int(counted["which"]):
        return found
    return _by_name(sections, counted["name"])[int(counted["which"]) - 1 : int(counted["which"])]


def replaced(text: str, section: Section, content: str) -> str | None:
    """Replace the content of a section. Return None if the new content would change the headings of other sections."""
    new = _content(text, section, content)
    old = section.of(text)
    others = _outside_headings(text, section, len(old))
    # Try first without an empty line at the end, and then with an empty line. The empty line is needed if the new
    # content ends with a paragraph that would absorb the next heading.
    for gap in ("", _end_of_line(text, section)):
        changed = text[: section.start] + new + gap + text[section.start + len(old) :]
        if _outside_headings(changed, section, len(new)) == others:
            return changed
    return None


def _end_of_line(text: str, section: Section) -> str:
    return "\r\n" if "\r\n" in text[section.start : section.body] else "\n"


def _content(text: str, section: Section, content: str) -> str:
    """Return the section's new text: its heading and the content, or only the content if the content has its own
    heading.
    """
    end_of_line = _end_of_line(text, section)
    body = content.replace("\r\n", "\n").strip("\r\n").rstrip(_BLANK).replace("\n", end_of_line)
    first = next(_headings(body), None)
    if first and first.start == 0 and first.level <= section.level:
        return body
    heading = text[section.start : section.body].rstrip(_BLANK)
    below = text[section.body : section.end]
    gap = below[: len(below) - len(below.lstrip("\r\n"))] if below.strip(_BLANK) else end_of_line
    return heading + end_of_line + gap + body if body else heading


def _outside_headings(text: str, section: Section, length: int) -> list[tuple[str, int]]:
    """The headings outside the section: headings before the section with their position from the start, and headings
    after the section with their distance from the end.
    """
    end = section.start + length
    before = [(heading.path[0], heading.start) for heading in _headings(text) if heading.start < section.start]
    after = [(heading.path[0], heading.start - len(text)) for heading in _headings(text) if heading.start >= end]
    return before + after


def _with_ends(sections: list[Section], length: int) -> list[Section]:
    ended: list[Section] = []
    following: list[Section] = []
    for section in reversed(sections):
        while following and following[-1].level > section.level:
            following.pop()
        ended.append(replace(section, end=following[-1].start if following else length))
        following.append(section)
    return ended[::-1]


def _by_name(sections: Sequence[Section], name: str) -> list[Section]:
    return _by_heading(sections, name) or _by_path(sections, name)


def _by_heading(sections: Sequence[Section], heading: str) -> list[Section]:
    hashes, name = _level_and_name(heading)
    found = [section for section in sections if section.path[-1] == name]
    found = found or [section for section in sections if _plain(section.path[-1]) == _plain(name)]
    return [section for section in found if section.level == hashes] or found


def _by_path(sections: Sequence[Section], path: str) -> list[Section]:
    names = [_plain(_level_and_name(name)[1]) for name in path.split(" > ")]
    return [section for section in sections if [_plain(name) for name in section.path][-len(names) :] == names]


def _level_and_name(heading: str) -> tuple[int, str]:
    name = heading.strip()
    found = _HASHES.match(name)
    return (len(found[1]), name[found.end() :].strip()) if found else (0, name)


def _plain(name: str) -> str:
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", name)).casefold().split())


def _headings(text: str) -> Iterator[Section]:
    """Yield all headings as sections whose end and full path are not set yet."""
    raw: re.Pattern[str] | None = None  # the pattern that ends the current code block or comment
    above: tuple[int, int] | None = None  # line and position of a paragraph that an underline would turn into a heading
    is_other = False  # whether the lines are in a list or a table, which an underline does not change
    for number, (start, following) in enumerate(_lines(text), 1):
        line = text[start:following].rstrip("\r\n")
        if raw:
            raw = None if raw.search(line) else raw
            continue
        if hashes := _HASHES.match(line):
            yield Section((_title(line[hashes.end() :]),), len(hashes[1]), number, start, following)
        elif above and (under := _UNDERLINE.match(line)):
            title = " ".join(text[above[1] : start].split())
            yield Section((title,), 1 if under[1] else 2, above[0], above[1], following)
        elif (raw := _end_pattern(text, start, line)) or _RULE.match(line) or not line.strip(_BLANK):
            pass
        else:
            is_other = is_other or bool(_NO_PARAGRAPH.match(line))
            above = None if is_other else above or (number, start)
            continue
        above, is_other = None, False


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """For each line, yield its start position and the start position of the next line."""
    start = 1 if text.startswith("\ufeff") else 0
    while start < len(text):
        following = text.find("\n", start) + 1 or len(text)
        yield start, following
        start = following


def _end_pattern(text: str, start: int, line: str) -> re.Pattern[str] | None:
    """If this line opens a code block, HTML comment or front matter, return the pattern that ends it."""
    if start == text.startswith("\ufeff") and line == "---" and _FRONT_END.search(text, start + len(line)):
        return _FRONT_END
    if raw := _RAW.match(line):
        end = f"</{raw['tag']}>" if raw["tag"] else "-->"
        return None if end in line.lower() else re.compile(re.escape(end), re.IGNORECASE)
    fence = _FENCE.match(line)
    if not fence or (fence["sign"] in fence["info"] and fence["sign"] == "`"):
        return None
    is_end = fence["sign"] == ":" and not fence["info"].strip()
    return None if is_end else re.compile(rf"^ {{0,3}}{fence['sign']}{{{len(fence['mark'])},}}[ \t]*$")


def _title(rest: str) -> str:
    title = rest.strip(" \t")
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else title
