"""Adds a rule to the text of a rules file."""

from dataclasses import dataclass
from typing import Literal

from firewall.rule import Rule

Action = Literal["created", "updated", "duplicate_detected"]

_BYTE_ORDER_MARK = "\ufeff"
_WHITE_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Change:
    """The text of a rules file after a rule was asked for, and what was done."""

    text: str
    action: Action


def add_rule(text: str, rule: Rule) -> Change:
    """Add a rule after the last one, in the layout of the file, and keep all else as it is.

    A rule that the file already has, in whatever spelling, leaves the text as it is. Blank text becomes a new file.

    Raises:
        Refusal: The text is not a rules file to which the rule can be added without changing what it says.
    """
    # YAML takes 15 ms to import, which a start that adds no rule need not pay.
    from firewall.addition import text_with  # noqa: PLC0415

    body = text.removeprefix(_BYTE_ORDER_MARK)
    mark = text[: len(text) - len(body)]
    old = body if body.strip(_WHITE_SPACE) else ""
    new = text_with(rule, old)
    if new == old:
        return Change(text, "duplicate_detected")
    return Change(mark + new, "updated" if old else "created")
