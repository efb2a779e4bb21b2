"""Provides watches: stores them, checks them for news, and sends notices."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tools.jobs import Chore, Every, JobContext
from tools.provider import Provider, Supplies
from tools.watches.access import WATCHES, WatchesAccess

if TYPE_CHECKING:
    from tasks.work import StepOutcome, WorkStep

# The table of watches.
PURPOSE: Final = "watches"
# The name of the task that sends a notice.
SEND: Final = "send-watch-notice"
_SECONDS_HEALTH_IS_KEPT: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchesSettings:
    """Watches of Azure updates have no settings of their own. NOTIFY_HOSTS controls where watches may send notices."""


@asynccontextmanager
async def open_watches(_settings: WatchesSettings, supplies: Supplies) -> AsyncIterator[WatchesAccess]:
    from tools.watches.opening import opened

    async with opened(supplies) as watches:
        yield WatchesAccess(watches)


async def _notify(given: JobContext[WatchesAccess]) -> None:
    await (await given.opened()).watches.rounds.go(given.tasks())


async def _forget(given: JobContext[WatchesAccess]) -> None:
    await (await given.opened()).watches.forget()


async def _send(opened: WatchesAccess, step: WorkStep) -> StepOutcome:
    return await opened.watches.dispatch.step(step)


async def _health(opened: WatchesAccess) -> Mapping[str, object]:
    return await opened.health.get("health", opened.watches.health, at_most=_SECONDS_HEALTH_IS_KEPT)


provider: Final = Provider(
    key=WATCHES,
    settings=WatchesSettings,
    open=open_watches,
    health=_health,
    keeps=(PURPOSE,),
    works={SEND: _send},
    # Watches are checked a few minutes after the hourly sync.
    chores=(Chore("notify_watches", Every.HOUR, _notify), Chore("forget_watches", Every.DAY, _forget)),
)
