"""The long work of reading documents: done in steps, of which each may be killed anywhere and done again."""

from __future__ import annotations

from typing import Any, Final

from documents.keeping.sync import DocumentsOutcome, DocumentsReport
from documents.library import DocumentsLibrary
from refusal import Refusal
from tasks.task import TaskProgress
from tasks.work import Next, StepDone
from tasks.work import StepOutcome as OutcomeOfStep

SECONDS_OF_A_STEP: Final = 120.0
_SECONDS_UNTIL_ANOTHER_ENDS: Final = 30.0


_WORDS: Final = "Reading documents; list_document_sources tells how many there are of what you may see"


def told(report: DocumentsReport) -> dict[str, Any]:
    """What a model is told of a reading: no numbers, which would be of sources that its caller may not see as well."""
    return {"done": report.outcome is DocumentsOutcome.DONE, "outcome": report.outcome.value}


async def import_documents(library: DocumentsLibrary) -> OutcomeOfStep:
    """Read what is new. What a killed step has read is kept, so the next one goes on from there."""
    report = await library.refresh(SECONDS_OF_A_STEP)
    if report.outcome is DocumentsOutcome.BUSY:
        return Next(after=_SECONDS_UNTIL_ANOTHER_ENDS)
    if report.outcome is DocumentsOutcome.FAILED:
        raise Refusal(report.reason)
    if report.outcome is DocumentsOutcome.MORE:
        return Next(progress=TaskProgress(words=_WORDS))
    return StepDone(told(report))
