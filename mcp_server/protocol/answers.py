"""Validates a client's answer to a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

ELICIT: Final = "elicitation/create"
_PARTS: Final[Mapping[str, Mapping[str, type | tuple[type, ...]]]] = {
    ELICIT: {"action": str},
    "sampling/createMessage": {"role": str, "content": (dict, list), "model": str},
    "roots/list": {"roots": list},
}
_ACTIONS: Final = {"accept", "decline", "cancel"}


def is_answer(response: object, method: str) -> bool:
    """Whether the value is a valid answer to a question that was asked with this method."""
    if not isinstance(response, Mapping):
        return False
    has_parts = all(isinstance(response.get(part), kind) for part, kind in _PARTS.get(method, {}).items())
    return has_parts and (method != ELICIT or _is_decision(response))


def _is_decision(response: Mapping[str, Any]) -> bool:
    return response["action"] in _ACTIONS and isinstance(response.get("content"), Mapping | None)
