"""Finds the layout of the rules in a file, and writes new rules in the same layout."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from yaml.events import ScalarEvent

from firewall.rule import FIELDS, FirewallRule
from firewall.scalar import written
from firewall.yaml_node import YamlNode

INDENT = 2
_QUOTES = ("'", '"')
_DEFAULT_QUOTE = '"'


class FieldLayout(NamedTuple):
    """The layout of a field in a rule: the field's name, the text before its value, and the quotes around
    a text value.
    """

    name: str
    lead: str
    quote: str = _DEFAULT_QUOTE
    plain: bool = True

    def write(self, rule: FirewallRule) -> str:
        # Only text values get the quotes of the last rule, because a port in quotes would be text.
        value = getattr(rule, self.name)
        return self.lead + (written(value, self.quote, plain=self.plain) if isinstance(value, str) else str(value))


DEFAULT_FIELDS = tuple(FieldLayout(name, f"{name}: ") for name in FIELDS)


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of the rules in a file: the columns where dashes and keys begin, the order of the fields, and the text
    around the rules.
    """

    dash: int
    keys: int
    fields: tuple[FieldLayout, ...] = DEFAULT_FIELDS
    blank_line_before: bool = False
    braces: tuple[str, str] | None = None

    @classmethod
    def default(cls, dash: int = INDENT) -> "Layout":
        return cls(dash, dash + INDENT)

    def lines(self, rules: Iterable[FirewallRule]) -> list[str]:
        return [line for rule in rules for line in self._lines(rule)]

    def _lines(self, rule: FirewallRule) -> list[str]:
        first, *others = self._entries(rule)
        dash = " " * self.dash + "-".ljust(self.keys - self.dash)
        blank = [""] if self.blank_line_before else []
        return [*blank, dash + first, *(" " * self.keys + entry for entry in others)]

    def _entries(self, rule: FirewallRule) -> list[str]:
        entries = [field.write(rule) for field in self.fields]
        if self.braces is None:
            return entries
        opening, closing = self.braces
        return [opening + ", ".join(entries) + closing]


def layout_of(text: str, rules: YamlNode) -> Layout:
    """Copy the layout of a list of rules from the last rule that is not an alias."""
    # Aliases and plain values have no layout. If there is no other rule, use the layout of new files.
    dash = rules.column
    model = next((entry for entry in reversed(rules.children) if entry.is_mapping and entry.children), None)
    if model is None:
        return Layout.default(dash)
    return Layout(
        dash=dash,
        keys=max((model.children[0] if model.is_block else model).column, dash + 2),
        fields=_fields_of(text, model),
        blank_line_before=_has_blank_line_before_last(text, rules),
        braces=None if model.is_block else _braces_of(text, model),
    )


def end_of_last(node: YamlNode) -> int:
    """The end position of the last value in a node. A block's own end would also include the comments after it."""
    while node.is_block:
        node = node.children[-1]
    return node.end


def _fields_of(text: str, model: YamlNode) -> tuple[FieldLayout, ...]:
    found = {field.name: field for field in _written_fields(text, model)}
    quote = next((field.quote for field in found.values() if not field.plain), _DEFAULT_QUOTE)
    missing = (field for field in DEFAULT_FIELDS if field.name not in found)
    return tuple(field._replace(quote=quote) if field.plain else field for field in (*found.values(), *missing))


def _written_fields(text: str, model: YamlNode) -> Iterable[FieldLayout]:
    for key, value in model.pairs():
        if not isinstance(key.event, ScalarEvent) or key.event.value not in FIELDS:
            continue
        name = key.event.value
        lead = text[key.start : value.start]
        # A prefix that contains an anchor or a line break is specific to this rule, and is not copied to a new rule.
        usual = re.fullmatch(rf"""(["']?){name}\1 *: +""", lead)
        style = getattr(value.event, "style", None)
        quote = next((quote for quote in _QUOTES if quote == style), None)
        yield FieldLayout(name, lead if usual else f"{name}: ", quote or _DEFAULT_QUOTE, plain=quote is None)


def _has_blank_line_before_last(text: str, rules: YamlNode) -> bool:
    if len(rules.children) == 1:
        return False
    above = text[rules.start : rules.children[-1].start].rstrip()
    lines = above.splitlines()[:-1]
    return next(not line.strip() for line in reversed(lines) if not line.lstrip().startswith("#"))


def _braces_of(text: str, model: YamlNode) -> tuple[str, str]:
    padded = text.startswith("{ ", model.start)
    return ("{ ", " }") if padded else ("{", "}")
