"""Parameters that many Azure tools share. Descriptions are short, because every tool repeats them to the model."""

from __future__ import annotations

from typing import Annotated, Final

from mcp_server.declarations.field import Field

MOST_RESULTS: Final = 1000

Subscription = Annotated[str | None, Field(max_length=100, description="Name or id")]
ResourceGroup = Annotated[str, Field(min_length=1, max_length=90, description="Its name")]
AnyResourceGroup = Annotated[str | None, Field(min_length=1, max_length=90, description="Its name")]
ResourceIdText = Annotated[str, Field(min_length=1, max_length=2048, description="Resource id: /subscriptions/...")]
MaxResults = Annotated[int, Field(ge=1, le=MOST_RESULTS, description="Limit")]
Subscriptions = Annotated[
    str | Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)] | None,
    Field(description="Names or ids; default: all"),
]
Since = Annotated[str, Field(max_length=40, description="24h, 7d, or ISO date or time")]
Until = Annotated[str | None, Field(max_length=40, description="Like `since`")]
IdOrName = Annotated[str, Field(min_length=1, max_length=2048, description="Id (/subscriptions/...) or exact name")]
