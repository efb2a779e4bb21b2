"""The settings of Azure updates, and the names under which they are kept and read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clients.addresses import checked_base_url
from settings import NO, setting
from settings.forms import percent, truth

if TYPE_CHECKING:
    pass


# Reading everything, which takes longer than a request may.
FULL_SYNC: Final = "full-sync"
# The table and the container of the updates.
PURPOSE: Final = "updates"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatesSettings:
    """Azure updates: where and when they are read."""

    url: str = setting(
        "UPDATES_API_URL",
        checked_base_url,
        "https://www.microsoft.com/releasecommunications/api/v2/azure",
        "Where Azure updates are read. Plain http is accepted for this machine only.",
    )
    delta_schedule: str = setting(
        "UPDATES_DELTA_SCHEDULE", str, "0 7 * * * *", "When new updates are read, as an NCRONTAB expression: hourly."
    )
    reconcile_schedule: str = setting(
        "UPDATES_RECONCILE_SCHEDULE",
        str,
        "0 37 3 * * *",
        "When all updates are compared, which finds silent edits and withdrawals: daily.",
    )
    largest_withdrawal: float = setting(
        "UPDATES_LARGEST_WITHDRAWAL",
        percent,
        5.0,
        "How many percent of the updates may vanish at once. A reading that lacks more is refused as suspicious.",
    )
    sample: bool = setting(
        "UPDATES_SAMPLE",
        truth,
        NO,
        "Whether invented updates are served until the real ones have been read once. `scripts/serve` sets it.",
    )
