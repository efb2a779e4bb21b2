"""The audit: a record of every call of a tool, whatever came of it, and one of what was tried in other ways.

The record of a call is logged within its invocation, before the answer: of what a worker logs afterwards, or elsewhere,
the Functions host keeps nothing. So there is no queue before the log; `audit_file.py` has one before the disk.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypedDict

from mcp_server.protocol.json_text import to_json
from mcp_server.visit import Way
from refusal import Refusal

# Marks log records that have to be on disk before the call goes on.
AT_ONCE: Final = "at_once"

logger = logging.getLogger("audit")


class Outcome(StrEnum):
    DONE = "done"
    REFUSED = "refused"  # in words that the caller can act on: wrong arguments, no consent, a service's refusal
    ASKED = "asked"  # for the caller's consent
    DENIED = "denied"  # the caller may not
    LIMITED = "limited"  # too many calls, or too long a one
    FAILED = "failed"  # a defect


class Agreement(TypedDict, total=False):
    """The change that a call or a page is about, what was decided of it, how (by a form, a page, a laptop's page, a
    model's word) and by whom. Empty where nobody had to agree, or has decided yet.
    """

    change: str
    decided: str
    by: str
    decided_by: str


class Omissible(Agreement, total=False):
    """What is left out of a record where it would be empty."""

    # The agent that acts, for the subject or for itself, and its blueprint.
    agent: str
    blueprint: str
    # How many records of anonymous callers were left out before this one.
    omitted: int


class OfCall(Omissible, total=False):
    """What is left out of the record of a call where it would be empty."""

    # The further name by which the tool was called.
    called_as: str
    # The tenant whose data was used, if it is not the caller's own.
    crosses_to: str
    # How many questions the model of the caller's client was asked.
    asked_model: int
    # Whether the answer was to be a secret, which is in no record.
    secret: bool


class Record(OfCall):
    """Values of arguments are there where the tool marks them harmless; of the others only the names."""

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
    # The network address of the caller, if it is known, and the issuer's id of the caller's token.
    address: str
    token: str


class OfAttempt(Omissible, total=False):
    """What is left out of the record of an attempt where it would be empty."""

    # The host to which a sign-in gives its access, if this is a step of one.
    towards: str
    # For whom the change was asked that a page showed or decided.
    asked_by: str


class Attempt(OfAttempt):
    """What was tried that is no call of a tool of this server: that was turned away, or belongs to a sign-in.

    `tried` is of our own making, and repeats nothing that was sent.
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
    """Write it where the Functions host sends it to Application Insights: one line, which starts with `audit`."""
    _write("audit", record, at_once=at_once)


def write_attempt(attempt: Attempt) -> None:
    """Write it beside the records of calls, in a line that starts with `attempt`: it is none of them."""
    _write("attempt", attempt, at_once=True)


def _write(word: str, record: Record | Attempt, *, at_once: bool) -> None:
    if not logger.isEnabledFor(logging.INFO):
        return
    # Beyond ASCII there are letters that end lines, and some that move a terminal.
    document = to_json(record, inf_nan_mode="null", ensure_ascii=True).decode()
    # Not by `info`, which looks through the stack for who logs: that takes as long as all the rest.
    line = logger.makeRecord(logger.name, logging.INFO, __file__, 0, f"{word} {document}", (), None)
    setattr(line, AT_ONCE, at_once)
    logger.handle(line)


def require_room() -> None:
    """Raises:
    Refusal: The file of records cannot be written, and as much waits for it as may.
    """
    for handler in logger.handlers:
        if getattr(handler, "is_full", False):
            problem = getattr(handler, "problem", "")
            raise Refusal(
                f"The audit file cannot be written ({problem}), so nothing was done. Ask an operator to make room for"
                " it, or to make it writable."
            )
