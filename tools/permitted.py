"""What a caller without the permission is told before anybody is asked to approve, or that it is unknown."""

from __future__ import annotations

from typing import Final

from refusal import Refusal

UNKNOWN: Final = "Whether you have the permission is unknown: your permissions there could not be read."


def unknown_because(reason: str) -> str:
    return f"Whether you have the permission is unknown: {reason}"


def not_permitted(required: str, advice: str) -> Refusal:
    """The refusal of what requires more than the caller has; `required` names what would be sufficient."""
    return Refusal(f"You do not have permission: {required}. Nothing was sent for approval or changed. {advice}")
