"""Removes secrets from answers: values of secret variables, and credentials of connections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.azure_devops.shared.answers import Json, at


def without_secrets(value: Any) -> Any:
    """Remove secrets that the service returned, at any depth of a record."""
    if isinstance(value, Mapping):
        withheld = {"value"} if value.get("isSecret") else set()
        return {name: _entry(name, inner) for name, inner in value.items() if name not in withheld}
    if isinstance(value, list):
        return [without_secrets(entry) for entry in value]
    return value


def _entry(name: str, value: Any) -> Any:
    if name == "authorization" and isinstance(value, Mapping):
        return {"scheme": value.get("scheme")}
    return without_secrets(value)


def variables_of(record: Mapping[str, Any]) -> Json:
    """Return the variables of a record by name, without secret values."""
    variables: Mapping[str, Any] = record.get("variables") or {}
    secrets = [name for name, variable in variables.items() if at(variable, "isSecret")]
    return {
        "variables": {name: at(variable, "value") for name, variable in variables.items() if name not in secrets},
        "secrets": secrets,
    }
