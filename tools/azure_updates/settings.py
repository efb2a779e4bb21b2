"""The settings of Azure updates, and the names of the storage and the task for updates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clients.addresses import checked_base_url
from settings import NO, setting
from settings.forms import percent, truth

# The name of the task that reads all updates. Reading all updates takes too long for a request.
FULL_SYNC: Final = "full-sync"
# The table and the container of the updates.
PURPOSE: Final = "updates"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatesSettings:
    """Azure updates: the feed, and the times when it is read."""

    url: str = setting(
        "UPDATES_API_URL",
        checked_base_url,
        "https://www.microsoft.com/releasecommunications/api/v2/azure",
        "The feed of Azure updates. Plain http is accepted only for a feed on this machine.",
    )
    delta_schedule: str = setting(
        "UPDATES_DELTA_SCHEDULE",
        str,
        "0 7 * * * *",
        "When new updates are read, as an NCRONTAB expression. Default: hourly.",
    )
    reconcile_schedule: str = setting(
        "UPDATES_RECONCILE_SCHEDULE",
        str,
        "0 37 3 * * *",
        "When all updates are compared, to find silent edits and withdrawals. Default: daily.",
    )
    largest_withdrawal: float = setting(
        "UPDATES_LARGEST_WITHDRAWAL",
        percent,
        5.0,
        "The percentage of updates that one sync may remove. A sync that would remove more is rejected as suspicious.",
    )
    sample: bool = setting(
        "UPDATES_SAMPLE",
        truth,
        NO,
        "Whether to serve sample updates until the first sync of the real updates. `scripts/serve` sets this to true.",
        set_by="laptop",
    )
