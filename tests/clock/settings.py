"""The settings of the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clients.addresses import checked_base_url
from settings import setting

HINTS: Final = {"unavailable": "Call tell_time again in a minute."}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSettings:
    """The settings of the clock."""

    url: str = setting("CLOCK_URL", checked_base_url, "", "The URL of the clock. Without it, there is no clock.")
