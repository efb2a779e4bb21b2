"""What the tools that plan a deployment of a template take, beside the template."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from refusal import Refusal

_ANYWHERE: Final = "westeurope"

Parameters = Annotated[dict[str, Any] | None, Field(description="By name; or a parameters file")]
Mode = Annotated[Literal["incremental", "complete"], Field(description="complete deletes what it does not name")]
Location = Annotated[str | None, Field(max_length=60, description="Of a deployment to a subscription")]


def location_of(group: str | None, location: str | None) -> str:
    """Where a deployment to a subscription is kept; one to a group is where the group is."""
    if group and location:
        raise Refusal("A deployment to a resource group takes no location: leave it out.")
    return "" if group else location or _ANYWHERE
