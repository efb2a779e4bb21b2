"""The state of an extension, as operators see it."""

from __future__ import annotations

from typing import Any

from extensions.extension import Extension
from extensions.pins import PinChanges


def state_of(extension: Extension, tools: int, problem: str, compared: PinChanges | None) -> dict[str, Any]:
    """Describe the state of an extension, without empty fields. `compared` contains the differences from the pins."""
    told: dict[str, Any] = {
        "owner": extension.entry.owner,
        "tools": tools,
        "lastSeen": extension.upstream.circuit.last_seen if extension.is_used else "",
        "isAway": extension.is_used and extension.upstream.circuit.is_open,
        "problem": problem,
        "changed": list(compared.changed) if compared else [],
        "new": list(compared.new) if compared else [],
        "gone": list(compared.gone) if compared else [],
    }
    return {key: value for key, value in told.items() if value is not False and value not in ("", [])}
