"""Summarizes a preview. Models, forms and pages show the lines of a summary in the same order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Final

from changes.importance import Importance
from changes.plain_names import in_brief, is_resource, name_in_words
from changes.preview import Edit, Fact, Preview, names_of

# The maximum number of characters in all optional lines together.
_LONGEST_TEXT: Final = 1200
_LONGEST_VALUE, _LONGEST_REMOVED, _LONGEST_NAME = 120, 60, 200
# A summary with more than this number of mandatory lines omits the values in these lines.
_MOST_WITH_VALUES: Final = 40
_NOTHING: Final[tuple[object, ...]] = (None, "", [], ())


class SummaryHeading(StrEnum):
    """The headings of a summary, in display order."""

    NEW = "New since the last preview"
    CAUTION = "Look closely"
    DELETIONS = "Deleted or removed"
    SECURITY = "Security"
    LOSS = "Data loss and interruptions"
    TAGS_AND_SIZES = "Tags, sizes and cost"
    OTHER = "Other settings"
    FACTS = "Details"
    AFFECTED = "Affected people"
    DEFAULTS = "Defaults of the service"
    UNDO = "How to undo it"

    @property
    def is_vital(self) -> bool:
        """Whether the lines below this heading are always shown."""
        return self not in _MAY_BE_OMITTED


_MAY_BE_OMITTED: Final = {SummaryHeading.FACTS, SummaryHeading.OTHER, SummaryHeading.AFFECTED}
_OF_EDITS: Final = {
    Importance.DELETION: SummaryHeading.DELETIONS,
    Importance.SECURITY: SummaryHeading.SECURITY,
    Importance.LOSS: SummaryHeading.LOSS,
    Importance.TAG_OR_SIZE: SummaryHeading.TAGS_AND_SIZES,
    Importance.OTHER: SummaryHeading.OTHER,
    Importance.DEFAULT: SummaryHeading.DEFAULTS,
}


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A line of a summary: its short text, its full text, and the edit or fact that the line describes."""

    text: str
    full: str = ""
    edit: Edit | None = None
    fact: str = ""

    @property
    def without_values(self) -> str:
        if self.edit is None or _meaning(self.edit):
            return self.text
        return f"{_name_of(self.edit)} {_verb(self.edit)}"


@dataclass(frozen=True, slots=True)
class SummarySection:
    heading: SummaryHeading
    lines: Sequence[SummaryLine]


@dataclass(frozen=True, slots=True)
class Summary:
    """Shows a preview as text: lines grouped under headings.

    `earlier` is the previous preview of the same call, if the preview has changed.
    """

    preview: Preview
    earlier: Preview | None = None

    @property
    def sections(self) -> list[SummarySection]:
        news = [SummaryLine(text) for text in self.news]
        return [*([SummarySection(SummaryHeading.NEW, news)] if news else []), *_sections(self.preview)]

    @property
    def news(self) -> list[str]:
        """The texts of lines that are new since the earlier preview, and of lines that no longer apply."""
        if self.earlier is None:
            return []
        before, now = list(_texts(self.earlier)), list(_texts(self.preview))
        gone = [f"no longer: {text}" for text in _without(before, now)]
        places = list(_news_of_places(self.earlier, self.preview))
        return [*_without(now, before), *gone, *places] or ["details that are too long to show"]

    @property
    def text(self) -> str:
        """The summary as text, shortened to its most important lines.

        The text always contains all deletions, security edits and tags.
        """
        sections = self.sections
        vital = [line for section in sections if section.heading.is_vital for line in section.lines]
        has_values = len(vital) <= _MOST_WITH_VALUES
        rows: list[str] = []
        omitted: list[str] = []
        left = _LONGEST_TEXT
        for section in sections:
            if section.heading.is_vital:
                lines = [line.text if has_values else line.without_values for line in section.lines]
                fitting: Sequence[str] = lines
            else:
                lines = [line.text for line in section.lines]
                fitting = _fitting(lines, left)
                left -= sum(map(len, fitting))
            rows += _rows(section.heading, fitting)
            if more := len(lines) - len(fitting):
                omitted.append(f'{more} of "{section.heading}"')
        return "\n".join([*rows, *([f"- not shown here: {', '.join(omitted)}"] if omitted else [])])


def _rows(heading: SummaryHeading, lines: Sequence[str]) -> list[str]:
    if heading is SummaryHeading.DEFAULTS:
        return [f"- {len(lines)} defaults that the service sets"] if lines else []
    if heading is SummaryHeading.NEW:
        return [f"{heading}:", *(f"- {text}" for text in lines), "All of it:"]
    return [f"- {text}" for text in lines]


def _fitting(lines: Sequence[str], left: int) -> Sequence[str]:
    sizes = accumulate(map(len, lines))
    return lines[: sum(size <= left for size in sizes)]


def _sections(preview: Preview) -> list[SummarySection]:
    edits = {
        heading: [_edited(edit) for edit in preview.edits if _OF_EDITS[edit.importance] is heading]
        for heading in SummaryHeading
    }
    parts = {
        **edits,
        SummaryHeading.CAUTION: list(_cautions(preview)),
        SummaryHeading.FACTS: [
            SummaryLine(f"{_short(name)}: {_short(value)}", fact=name)
            for name, value in preview.facts.items()
            if value not in _NOTHING
        ],
        SummaryHeading.LOSS: [
            *(SummaryLine(_short(effect), effect) for effect in preview.effects),
            *edits[SummaryHeading.LOSS],
        ],
        SummaryHeading.TAGS_AND_SIZES: [
            *edits[SummaryHeading.TAGS_AND_SIZES],
            *([SummaryLine(preview.cost, preview.cost)] if preview.cost else []),
        ],
        SummaryHeading.AFFECTED: [SummaryLine(f"concerns {_short(one)}", one) for one in preview.affected],
        SummaryHeading.UNDO: [SummaryLine(line, f"{line[0].upper()}{line[1:]}")] if (line := preview.undo.line) else [],
    }
    return [SummarySection(heading, parts[heading]) for heading in SummaryHeading if parts[heading]]


def _cautions(preview: Preview) -> Iterator[SummaryLine]:
    if preview.grave:
        yield SummaryLine(_short(preview.grave.removesuffix(".")), preview.grave)
    if preview.doubt:
        yield SummaryLine(_short(preview.doubt.removesuffix(".")), preview.doubt)
    for lacking in preview.missing:
        yield SummaryLine(f"unknown: {_short(lacking)}", f"Unknown: {lacking}")


def _edited(edit: Edit) -> SummaryLine:
    name = _name_of(edit)
    if is_resource(edit.path) and (edit.before is None or edit.after is None):
        return SummaryLine(_of_resource(name, edit), edit=edit)
    if edit.after is None:
        was = _short(edit.before, _LONGEST_REMOVED)
        return SummaryLine(f"{name} removed (was {was})" if edit.before is not None else f"{name} removed", edit=edit)
    if edit.after in _NOTHING:
        return SummaryLine(f"{name} emptied (was {_short(edit.before, _LONGEST_REMOVED)})", edit=edit)
    if edit.before in _NOTHING:
        return SummaryLine(f"{name} added: {_short(_words_of(edit.after) or edit.after)}", edit=edit)
    return SummaryLine(f"{name}: {_short(edit.before)} → {_short(edit.after)}", edit=edit)


def _of_resource(name: str, edit: Edit) -> str:
    words = _meaning(edit)
    value = edit.after if edit.before is None else edit.before
    text = _short(words or value, _LONGEST_VALUE if words or edit.before is None else _LONGEST_REMOVED)
    return f"{name} created: {text}" if edit.before is None else f"{name} deleted (was {text})"


def _meaning(edit: Edit) -> str:
    """The description that precedes the JSON document of a created or deleted resource."""
    value = edit.after if edit.before is None else edit.before
    is_whole = is_resource(edit.path) and (edit.before is None or edit.after is None)
    return in_brief(value) if is_whole and isinstance(value, str) else ""


def _words_of(value: Fact) -> str:
    """The words that precede the JSON document in an edit's value. Empty if the value contains no document."""
    words, _, document = value.partition(": {") if isinstance(value, str) else ("", "", "")
    try:
        return f"{words} …" if words and isinstance(json.loads(f"{{{document}"), dict) else ""
    except ValueError:
        return ""


def _verb(edit: Edit) -> str:
    if edit.after is None:
        return "removed"
    return "added" if edit.before is None else "changed"


def _name_of(edit: Edit) -> str:
    return _short(name_in_words(edit.path), _LONGEST_NAME)


def _texts(preview: Preview) -> Iterator[str]:
    yield _short(preview.sentence or preview.what)
    for section in _sections(preview):
        yield from (line.text for line in section.lines)


def _news_of_places(before: Preview, now: Preview) -> Iterator[str]:
    """Say which places the change affects now, and which places it no longer affects."""
    for kind in sorted({*before.places, *now.places}):
        old, new = before.places.get(kind, ()), now.places.get(kind, ())
        if old is None or new is None:
            if old is not new:
                yield f"{kind}: {'now' if new is None else 'no longer'} unknown"
            continue
        names, others = ([name for names in names_of(place) for name in names] for place in (new, old))
        if added := _without(names, others):
            yield f"also affects {kind} {_short(sorted(added))}"
        if gone := _without(others, names):
            yield f"no longer affects {kind} {_short(sorted(gone))}"


def _without(texts: Sequence[str], others: Sequence[str]) -> list[str]:
    known = set(others)
    return [text for text in texts if text not in known]


def _short(value: Fact, longest: int = _LONGEST_VALUE) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    # Put the text on one line, so that untrusted text cannot imitate another line of the summary.
    text = " ".join((", ".join(value) if isinstance(value, list | tuple) else str(value)).split())
    return text if len(text) <= longest else f"{text[:longest]}…"
