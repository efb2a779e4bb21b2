"""A notification, independent of its subject and destination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from invisible import without_invisible

LONGEST_TEXT: Final = 300


@dataclass(frozen=True, slots=True)
class NotificationItem:
    """One of several items in a notice. The names of `facts` are ours; all other texts are untrusted."""

    title: str
    facts: Mapping[str, str] = field(default_factory=dict)
    link: str = ""


@dataclass(frozen=True, slots=True)
class Notification:
    """`id` is unique, also for its receiver. `heading` and the names of `facts` are ours; the facts' values are
    untrusted. The `link` only shows a page, after sign-in. `kind` and `data` are for programs: the event and its raw
    values.
    """

    id: str
    heading: str
    facts: Mapping[str, str] = field(default_factory=dict)
    link: str = ""
    items: Sequence[NotificationItem] = ()
    kind: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def plain(text: str) -> str:
    """Untrusted text as one short line without invisible characters."""
    line = " ".join(without_invisible(text.replace("\n", " "), " ").split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}…"
