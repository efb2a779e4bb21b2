"""A notification, in a format that does not depend on its subject or destination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from invisible import without_invisible

LONGEST_TEXT: Final = 300


@dataclass(frozen=True, slots=True)
class NotificationItem:
    """An item in a notice that lists several items. The names in `facts` come from this server; all other texts are
    untrusted.
    """

    title: str
    facts: Mapping[str, str] = field(default_factory=dict)
    link: str = ""


@dataclass(frozen=True, slots=True)
class Notification:
    """A notice to one destination.

    - `id` is unique among all notices that a receiver gets.
    - `heading` and the names in `facts` come from this server. The values of `facts` are untrusted.
    - `link` is the URL of a page that requires sign-in.
    - `kind` and `data` are for programs: the event and its raw values.
    """

    id: str
    heading: str
    facts: Mapping[str, str] = field(default_factory=dict)
    link: str = ""
    items: Sequence[NotificationItem] = ()
    kind: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def plain(text: str) -> str:
    """Shorten untrusted text to one line without invisible characters."""
    line = " ".join(without_invisible(text.replace("\n", " "), " ").split())
    return line if len(line) <= LONGEST_TEXT else f"{line[:LONGEST_TEXT]}…"
