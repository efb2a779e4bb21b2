"""Handles errors that the caller cannot fix: logs them, and returns messages without details."""

from __future__ import annotations

import logging
import uuid

from identity.denial import Denial
from refusal import Refusal

logger = logging.getLogger(__name__)


def denial_behind(failure: BaseException) -> Denial | None:
    """The denial that caused an error. None if the cause was not a denial."""
    if isinstance(failure, Denial):
        return failure
    behind = failure.exceptions if isinstance(failure, BaseExceptionGroup) else (failure.__cause__,)
    return next((found for cause in behind if cause and (found := denial_behind(cause))), None)


def report_failure(what: str, cause: BaseException) -> str:
    """Log an unexpected error, and return a message for the caller that contains the ID of the log entry.

    If the error is expected, only return its own message.
    """
    if isinstance(cause, Refusal | Denial):
        return str(cause)
    incident = uuid.uuid4().hex[:12]
    logger.error("%s failed: incident %s", what, incident, exc_info=cause)
    return f"{what} failed on the server, not because of your request. Incident {incident}; tell the operator."
