"""The audit log: one record for every tool call, whatever its outcome, and one for every other attempt.

The record is logged within the call's invocation, before the answer is sent. The Functions host drops anything that a
worker logs later or elsewhere. So records are not queued before the log; `audit_file.py` queues them before the disk.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypedDict

from mcp_server.protocol.json_text import to_json
from mcp_server.visit import Way
from refusal import Refusal

# Marks log records that must be on disk before the call continues.
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
    """The change that a call or page is about, the decision, how it was made and by whom. `how` is a form, a page, a
    laptop's page or a model's word. Empty if no approval is required, or if nobody has decided yet.
    """

    change: str
    decided: str
    by: str
    decided_by: str


class Omissible(Agreement, total=False):
    """Fields that a record omits when empty."""

    # The agent acting for the subject or for itself, and its blueprint.
    agent: str
    blueprint: str
    # How many records of anonymous callers were skipped before this one.
    omitted: int


class OfCall(Omissible, total=False):
    """Fields that the record of a call omits when empty."""

    # The alias under which the tool was called.
    called_as: str
    # The tenant whose data was used, if not the caller's own.
    crosses_to: str
    # How many questions were sent to the model of the caller's client.
    asked_model: int
    # Whether the answer contains a secret. Secrets are never recorded.
    secret: bool


class Record(OfCall):
    """Records the values of arguments that the tool marks as harmless, and only the names of all others."""

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
    # The caller's network address, if known, and the issuer's ID of the caller's token.
    address: str
    token: str


class OfAttempt(Omissible, total=False):
    """Fields that the record of an attempt omits when empty."""

    # The host that a sign-in grants access to, if this is a step of a sign-in.
    towards: str
    # Who requested the change that a page showed or decided.
    asked_by: str


class Attempt(OfAttempt):
    """An attempt that is not a call of one of this server's tools: a rejected request, or a step of a sign-in.

    `tried` is our own wording and never repeats what was sent.
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
    """Write a line starting with `audit` to the log that the Functions host sends to Application Insights."""
    _write("audit", record, at_once=at_once)


def write_attempt(attempt: Attempt) -> None:
    """Write the attempt next to the records of calls, in a line starting with `attempt`."""
    _write("attempt", attempt, at_once=True)


def _write(word: str, record: Record | Attempt, *, at_once: bool) -> None:
    if not logger.isEnabledFor(logging.INFO):
        return
    # ASCII only: Unicode has characters that end lines or move a terminal's cursor.
    document = to_json(record, inf_nan_mode="null", ensure_ascii=True).decode()
    # Not `logger.info`, which walks the stack to find its caller and takes as long as everything else.
    line = logger.makeRecord(logger.name, logging.INFO, __file__, 0, f"{word} {document}", (), None)
    setattr(line, AT_ONCE, at_once)
    logger.handle(line)


def require_room() -> None:
    """Check that the audit file can take more records.

    Raises:
        Refusal: It cannot be written and the buffer is full.
    """
    for handler in logger.handlers:
        if getattr(handler, "is_full", False):
            problem = getattr(handler, "problem", "")
            raise Refusal(
                f"The audit file cannot be written ({problem}), so nothing was done. Ask an operator to make room for"
                " it, or to make it writable."
            )
