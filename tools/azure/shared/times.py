"""Times as callers write them: a day, a moment, or how long ago."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Since = Annotated[str, Field(max_length=40, description="24h, 7d, or ISO date or time")]
Until = Annotated[str | None, Field(max_length=40, description="Likewise")]
