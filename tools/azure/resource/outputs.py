"""Formats the outputs of a deployment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clients.answers import Json
from tools.azure.shared.answers import at


def outputs_of(deployment: Any) -> Json:
    """Return output values by name. Azure omits secure outputs; other possible secrets have already been removed."""
    outputs = at(deployment, "properties.outputs")
    return {name: _value(one) for name, one in outputs.items()} if isinstance(outputs, Mapping) else {}


def _value(output: Any) -> Any:
    return output.get("value", "(withheld)") if isinstance(output, Mapping) else None
