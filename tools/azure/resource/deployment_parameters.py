"""Defines the parameters of the tools that plan a deployment, except the template itself."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from mcp_server.declarations.field import Field
from refusal import Refusal

_ANYWHERE: Final = "westeurope"

Parameters = Annotated[dict[str, Any] | None, Field(description="Values by name, or the content of a parameters file")]
Mode = Annotated[
    Literal["incremental", "complete"], Field(description="complete: deletes resources that the template omits")
]
Location = Annotated[str | None, Field(max_length=60, description="For subscription deployments")]


def location_of(group: str | None, location: str | None) -> str:
    """Return the location where Azure stores a subscription deployment.

    A group deployment is stored in the group's location.
    """
    if group and location:
        raise Refusal("Omit `location` for a deployment to a resource group.")
    return "" if group else location or _ANYWHERE
