"""The task that reads documents. Each step can be killed at any point and repeated."""

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


_WORDS: Final = "Reading documents. list_document_sources counts the documents that you can read"


def import_answer(report: DocumentsReport) -> dict[str, Any]:
    """Return the report for the model, without counts, because counts would include sources the caller cannot read."""
    return {"done": report.outcome is DocumentsOutcome.DONE, "outcome": report.outcome.value}


async def import_documents(library: DocumentsLibrary) -> OutcomeOfStep:
    """Read new documents. If a step is killed, the next step continues with the documents that were already read."""
    report = await library.refresh(SECONDS_OF_A_STEP)
    if report.outcome is DocumentsOutcome.BUSY:
        return Next(after=_SECONDS_UNTIL_ANOTHER_ENDS)
    if report.outcome is DocumentsOutcome.FAILED:
        raise Refusal(report.reason)
    if report.outcome is DocumentsOutcome.MORE:
        return Next(progress=TaskProgress(words=_WORDS))
    return StepDone(import_answer(report))
