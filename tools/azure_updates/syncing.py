"""Syncs Azure updates: formats the answer about a sync, and runs full syncs as a task."""

from __future__ import annotations

from typing import Any, Final

from refusal import Refusal
from tasks.work import Next, StepDone, WorkStep
from tasks.work import StepOutcome as OutcomeOfStep
from tools.azure_updates.access import UpdatesAccess
from updates.report import SyncKind, SyncOutcome, SyncReport

_SECONDS_UNTIL_ANOTHER_ENDS: Final = 60.0


def sync_answer(report: SyncReport) -> dict[str, Any]:
    """Return the report of a sync for the model."""
    counts = {name: getattr(report, name) for name in ("received", "added", "edited", "withdrawn", "malformed")}
    done = report.outcome in {SyncOutcome.CHANGED, SyncOutcome.UNCHANGED}
    return {"done": done, "outcome": report.outcome.value, "reason": report.reason, "seconds": report.seconds, **counts}


async def full_sync(access: UpdatesAccess, step: WorkStep) -> OutcomeOfStep:
    """Read all updates. If the process is killed, the updates that were already read are kept."""
    report = await access.library.sync(SyncKind.RECONCILE, step.tell)
    if report.outcome is SyncOutcome.BUSY:
        return Next(after=_SECONDS_UNTIL_ANOTHER_ENDS)
    if report.outcome is SyncOutcome.FAILED:
        raise Refusal(report.reason or "The updates could not be read.")
    return StepDone(sync_answer(report))
