"""What is said of a failure: to the caller in words, if the caller can act on it, and else to the log."""

from __future__ import annotations

import logging
import uuid

from identity.denial import Denial
from refusal import Refusal

logger = logging.getLogger(__name__)


def denial_behind(failure: BaseException) -> Denial | None:
    """What turned the caller away, if that is what lies behind a failure."""
    if isinstance(failure, Denial):
        return failure
    behind = failure.exceptions if isinstance(failure, BaseExceptionGroup) else (failure.__cause__,)
    return next((found for cause in behind if cause and (found := denial_behind(cause))), None)


def report_failure(what: str, cause: BaseException) -> str:
    """Return the sentence for the caller. A defect is logged, and told by the id under which the log has it."""
    if isinstance(cause, Refusal | Denial):
        return str(cause)
    incident = uuid.uuid4().hex[:12]
    logger.error("%s failed: incident %s", what, incident, exc_info=cause)
    return f"{what} failed on the server, not because of your request. Incident {incident}; tell the operator."
