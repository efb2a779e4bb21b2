"""The long work of reading documents: done in steps, of which each may be killed anywhere and done again."""

from __future__ import annotations

from typing import Any, Final

from documents.keeping.sync import Outcome, Report
from documents.library import Library
from refusal import Refusal
from tasks.task import Progress
from tasks.work import Done, Next, Step
from tasks.work import Outcome as OutcomeOfStep

SECONDS_OF_A_STEP: Final = 120.0
_SECONDS_UNTIL_ANOTHER_ENDS: Final = 30.0


def told(report: Report) -> dict[str, Any]:
    """What a model is told of a reading."""
    is_done = report.outcome is Outcome.DONE
    return {"done": is_done, "documents": report.documents, "read": report.read, "removed": report.removed}


async def import_documents(library: Library, step: Step) -> OutcomeOfStep:
    """Read what is new. What a killed step has read is kept, so the next one goes on from there."""
    before = {name: int(step.left.get(name, 0)) for name in ("read", "removed")}
    report = await library.refresh(SECONDS_OF_A_STEP, step.tell)
    if report.outcome is Outcome.BUSY:
        return Next(before, _SECONDS_UNTIL_ANOTHER_ENDS)
    if report.outcome is Outcome.FAILED:
        raise Refusal(report.reason)
    counts = {"read": before["read"] + report.read, "removed": before["removed"] + report.removed}
    if report.outcome is Outcome.MORE:
        return Next(counts, progress=Progress(report.documents, words="Reading documents"))
    return Done({**told(report), **counts})
