"""Reports missing or unknown permissions of the caller before a person is asked to approve a change."""

from __future__ import annotations

from typing import Final

from refusal import Refusal

UNKNOWN: Final = "It is unknown whether you have the permission: your permissions could not be read."


def unknown_because(reason: str) -> str:
    return f"It is unknown whether you have the permission: {reason}"


def not_permitted(required: str, advice: str) -> Refusal:
    """Return the refusal for missing permissions. `required` contains the names of sufficient permissions."""
    return Refusal(f"You do not have permission: {required}. Nothing was changed or sent for approval. {advice}")
