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
    """The text of a rules file after rules were asked for, what was done, and how many rules are new in it.

    `others` are the rules that let the same through for another team, or for none.
    """

    text: str
    action: Action
    added: int
    others: tuple[PlacedRule, ...]


def add_rules(text: str, *rules: FirewallRule) -> RulesChange:
    """Add rules after the last one, in the layout of the file, and keep all else as it is.

    A rule that the file already has, in whatever spelling, is left out. Blank text becomes a new file.

    Raises:
        Refusal: The text is not a rules file to which the rules can be added without changing what it says.
    """
    # YAML takes 15 ms to import, which a start that adds no rule need not pay.
    from firewall.addition import text_with  # noqa: PLC0415

    body = text.removeprefix(_BYTE_ORDER_MARK)
    mark = text[: len(text) - len(body)]
    old = body if body.strip(_WHITE_SPACE) else ""
    addition = text_with(rules, old)
    if not addition.added:
        return RulesChange(text, "duplicate_detected", 0, addition.others)
    return RulesChange(mark + addition.text, "updated" if old else "created", addition.added, addition.others)
