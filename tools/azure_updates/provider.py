"""Provides Azure updates: their source and schedule, and the services for tools that use updates."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from tools.azure_updates.access import UPDATES, UpdatesAccess
from tools.azure_updates.settings import FULL_SYNC, PURPOSE, UpdatesSettings
from tools.jobs import Chore, Every, JobContext, ScheduledJob
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from tasks.work import StepOutcome, WorkStep


@asynccontextmanager
async def access(settings: UpdatesSettings, supplies: Supplies) -> AsyncIterator[UpdatesAccess]:
    from tools.azure_updates.opening import opened

    async with opened(settings, supplies) as found:
        yield found


async def _health(access: UpdatesAccess) -> dict[str, object]:
    from updates.showing.guide import freshness_of

    found = await access.library.health()
    return {"totalUpdates": found.total, **freshness_of(found)}


async def _read_new(given: JobContext[UpdatesAccess]) -> None:
    from updates.report import SyncKind

    await (await given.opened()).library.sync(SyncKind.DELTA)


async def _compare_all(given: JobContext[UpdatesAccess]) -> None:
    await given.begin(FULL_SYNC, "Comparing all Azure updates")


async def _forget_reports(given: JobContext[UpdatesAccess]) -> None:
    await (await given.opened()).reports.forget_expired()


async def _full_sync(opened: UpdatesAccess, step: WorkStep) -> StepOutcome:
    from tools.azure_updates.syncing import full_sync

    return await full_sync(opened, step)


provider: Final = Provider(
    key=UPDATES,
    settings=UpdatesSettings,
    open=access,
    health=_health,
    keeps=(PURPOSE,),
    works={FULL_SYNC: _full_sync},
    jobs=(
        ScheduledJob("sync_updates_delta", lambda settings: settings.delta_schedule, _read_new),
        ScheduledJob("sync_updates_reconcile", lambda settings: settings.reconcile_schedule, _compare_all),
    ),
    chores=(Chore("forget_reports", Every.DAY, _forget_reports),),
    begins_at_once=True,
)
