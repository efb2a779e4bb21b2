"""How it is said, before anybody is asked, that the caller may not do something, or that nobody can tell."""

from __future__ import annotations

from typing import Final

from refusal import Refusal

UNKNOWN: Final = "Whether you have the permission is unknown: your permissions there could not be read."


def unknown_because(reason: str) -> str:
    return f"Whether you have the permission is unknown: {reason}"


def not_permitted(takes: str, advice: str) -> Refusal:
    """The refusal of what takes more than the caller has; `takes` names what would be sufficient."""
    return Refusal(f"You may not do this: {takes}. Nobody was asked, and nothing was sent. {advice}")
