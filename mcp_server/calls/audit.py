"""The audit log: one record for each tool call, and one for each attempt, such as a rejected request or a step of a
sign-in.

Records are logged immediately, before the response is sent, because the Functions host drops everything that a worker
logs after the invocation. Only `audit_file.py` queues records before it writes them to disk.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypedDict

from mcp_server.protocol.json_text import to_json
from mcp_server.visit import Way
from refusal import Refusal

# The name of an attribute of log records. If this attribute is true, the record must be on disk before the call
# continues.
AT_ONCE: Final = "at_once"

logger = logging.getLogger("audit")


class Outcome(StrEnum):
    DONE = "done"
    REFUSED = "refused"  # rejected with a message for the caller: invalid arguments, no consent, a service's refusal
    ASKED = "asked"  # the caller was asked for consent
    DENIED = "denied"  # permission denied
    LIMITED = "limited"  # rate limit or time limit exceeded
    FAILED = "failed"  # a bug


class Agreement(TypedDict, total=False):
    """The approval of a change: the change, the decision, and how and by whom the decision was made.

    `by` says how the decision was made: in a form, on a page, on a laptop's page without sign-in, or by a model.
    All fields are empty if no approval is required or nobody has decided yet.
    """

    change: str
    decided: str
    by: str
    decided_by: str


class Omissible(Agreement, total=False):
    """The fields that are left out of a record if they are empty."""

    # The agent that acts, either for the subject or on its own behalf, and the agent's blueprint.
    agent: str
    blueprint: str
    # The number of records of anonymous callers that were skipped before this record.
    omitted: int


class OfCall(Omissible, total=False):
    """The fields that are left out of the record of a call if they are empty."""

    # The alias by which the caller called the tool.
    called_as: str
    # The tenant whose data the call used, if it is not the caller's own tenant.
    crosses_to: str
    # The number of questions that the call sent to the model of the caller's client.
    asked_model: int
    # Whether the answer contains a secret. The secret itself is never recorded.
    secret: bool


class Record(OfCall):
    """The record of a call.

    The record contains the values of arguments that the tool marks as harmless, and only the names of all other
    arguments.
    """

    time: str
    kind: str
    tenant: str
    subject: str
    client: str
    toolset: str
    tool: str
    access: str
    way: Way
    arguments: Mapping[str, object]
    outcome: Outcome
    milliseconds: int
    invocation: str
    trace: str
    # The network address of the caller, if known, and the ID of the caller's token.
    address: str
    token: str


class OfAttempt(Omissible, total=False):
    """Optional fields in the record of an attempt. Empty fields are left out."""

    # For a step of a sign-in: the host to which the user gives access.
    towards: str
    # For a page on which a change is shown or decided: the person who requested the change.
    asked_by: str


class Attempt(OfAttempt):
    """The record of an attempt that calls no tool of this server: a rejected request, or a step of a sign-in.

    `tried` is a fixed phrase, and never repeats parts of the request.
    """

    time: str
    kind: str
    tenant: str
    subject: str
    client: str
    tried: str
    outcome: Outcome
    invocation: str
    address: str
    token: str


def write_call(record: Record, *, at_once: bool) -> None:
    """Log the record of a call in a line that starts with `audit`.

    The Functions host sends this line to Application Insights.
    """
    _write("audit", record, at_once=at_once)


def write_attempt(attempt: Attempt) -> None:
    """Log the record of an attempt in a line that starts with `attempt`."""
    _write("attempt", attempt, at_once=True)


def _write(word: str, record: Record | Attempt, *, at_once: bool) -> None:
    if not logger.isEnabledFor(logging.INFO):
        return
    # Escape all characters except ASCII, because some Unicode characters end lines or move the cursor of a terminal.
    document = to_json(record, inf_nan_mode="null", ensure_ascii=True).decode()
    # Do not use `logger.info`: it would search the stack for its caller, and take as long as the rest of this function.
    line = logger.makeRecord(logger.name, logging.INFO, __file__, 0, f"{word} {document}", (), None)
    setattr(line, AT_ONCE, at_once)
    logger.handle(line)


def require_room() -> None:
    """Check that the audit file can accept more records.

    Raises:
        Refusal: The file cannot be written, and the buffer is full.
    """
    for handler in logger.handlers:
        if getattr(handler, "is_full", False):
            problem = getattr(handler, "problem", "")
            raise Refusal(
                f"The audit file cannot be written ({problem}), so nothing was done. Ask an operator to free disk"
                " space, or to make the file writable."
            )
