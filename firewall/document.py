"""Adds rules to the text of a rules file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from firewall.rule import FirewallRule

if TYPE_CHECKING:
    from firewall.rules_file import PlacedRule

Action = Literal["created", "updated", "duplicate_detected"]

_BYTE_ORDER_MARK = "\ufeff"
_WHITE_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True)
class RulesChange:
    """The result of adding rules: the new text, a sentence about the change, and the number of new rules.

    `others` contains existing rules that allow the same flow for another team, or without a team.
    """

    text: str
    action: Action
    added: int
    others: tuple[PlacedRule, ...]


def add_rules(text: str, *rules: FirewallRule) -> RulesChange:
    """Add rules after the last rule, in the layout of the file. Skip existing rules. If the text
    is empty, begin a new file.
    """
    # Imported here because importing YAML takes 15 ms, and only this function needs it.
    from firewall.addition import text_with  # noqa: PLC0415

    body = text.removeprefix(_BYTE_ORDER_MARK)
    mark = text[: len(text) - len(body)]
    old = body if body.strip(_WHITE_SPACE) else ""
    addition = text_with(rules, old)
    if not addition.added:
        return RulesChange(text, "duplicate_detected", 0, addition.others)
    return RulesChange(mark + addition.text, "updated" if old else "created", addition.added, addition.others)
