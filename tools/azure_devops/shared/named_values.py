"""Variables and parameters that a caller sets by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Final

from mcp_server.declarations.field import Field
from refusal import Refusal

NamedValues = Annotated[dict[str, str] | None, Field(description="By name")]

_NAME: Final = re.compile(r"[^\W\d][\w .:-]*")


def checked(values: Mapping[str, str] | None) -> dict[str, str] | None:
    """Return the values if they are valid.

    Raises:
        Refusal: At least one name is not a valid variable name.
    """
    if wrong := [name for name in values or () if not _NAME.fullmatch(name)]:
        raise Refusal(
            f"{wrong[0]!r} is not a valid name: start with a letter, then use letters, digits, spaces and . _ : -"
        )
    return dict(values) if values else None


def as_variables(values: Mapping[str, str] | None) -> dict[str, dict[str, str]] | None:
    """Return the values in the format of pipeline and release variables."""
    return {name: {"value": value} for name, value in (checked(values) or {}).items()} or None
