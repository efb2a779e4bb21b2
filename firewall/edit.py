"""Inserts lines into YAML text, and checks that the result is the old content plus the new rules."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

import yaml
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from firewall.layout import Layout
from firewall.rule import FirewallRule
from firewall.yaml_events import TEXT_TAG, WHOLE_NUMBER_TAG, Meaning, are_written_alike, events_of, meaning
from refusal import Refusal

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class TextEdit:
    """The lines to insert into a YAML text, and the effect of these lines on the YAML events."""

    before: str
    lines: list[str]
    after: str
    place: int
    meanings: list[Meaning]
    replaced: int = 0

    def applied_to(self, events: Sequence[Event]) -> str:
        """Return the text with the inserted lines. Raises Refusal if other lines would change their meaning."""
        text = self._text()
        # Compares YAML events instead of Python values, because a NaN differs from itself and some keys cannot be
        # compared.
        if not _says(text, chain(events[: self.place], self.meanings, events[self.place + self.replaced :])):
            raise Refusal(
                f"A rule added after line {len(self.before.splitlines())} would change the meaning of lines"
                " that are already in the rules file. Rewrite the end of the file as plain 'key: value' lines, end the"
                " file with a line break, and try again."
            )
        return text

    def _text(self) -> str:
        # If the file contains different line endings, use the one at the end of the previous line.
        line_ends: list[str] = _LINE_END.findall(self.before)
        newline = line_ends[-1] if line_ends else "\n"
        if not self.before or self.before.endswith(("\r", "\n")):
            return self.before + "".join(line + newline for line in self.lines) + self.after
        return self.before + newline + newline.join(self.lines) + self.after


def rules_meaning(rules: Iterable[FirewallRule], layout: Layout) -> list[Meaning]:
    return [part for rule in rules for part in _rule_meaning(rule, layout)]


def _rule_meaning(rule: FirewallRule, layout: Layout) -> list[Meaning]:
    values = [(field.name, getattr(rule, field.name)) for field in layout.fields]
    return mapping_meaning([part for name, value in values for part in (scalar_meaning(name), scalar_meaning(value))])


def list_meaning(parts: Iterable[Meaning]) -> list[Meaning]:
    return [(SequenceStartEvent, None, None), *parts, (SequenceEndEvent,)]


def mapping_meaning(parts: Iterable[Meaning]) -> list[Meaning]:
    return [(MappingStartEvent, None, None), *parts, (MappingEndEvent,)]


def document_meaning(parts: Iterable[Meaning]) -> list[Meaning]:
    return [(DocumentStartEvent,), *parts, (DocumentEndEvent,)]


def scalar_meaning(value: str | int) -> Meaning:
    return ScalarEvent, None, TEXT_TAG if isinstance(value, str) else WHOLE_NUMBER_TAG, str(value)


def _says(text: str, expected: Iterable[Event | Meaning]) -> bool:
    try:
        pairs = zip_longest(events_of(text), expected)
        # Comparing the spelling first is faster, because almost all events have the same spelling.
        return all(are_written_alike(said, wanted) or _mean_the_same(said, wanted) for said, wanted in pairs)
    except yaml.YAMLError:
        return False


def _mean_the_same(said: Event | None, wanted: Event | Meaning | None) -> bool:
    if said is None or wanted is None:  # the two texts have different numbers of events
        return False
    return meaning(said) == (meaning(wanted) if isinstance(wanted, Event) else wanted)
