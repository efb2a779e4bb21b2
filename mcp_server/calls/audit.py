"""The audit: a record of every call of a tool, whatever came of it, and one of what was tried in other ways."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from mcp_server.protocol.json_text import to_json
from mcp_server.visit import Way

_LARGEST_FILE: Final = 10 * 1024 * 1024

logger = logging.getLogger("audit")


class Outcome(StrEnum):
    DONE = "done"
    REFUSED = "refused"  # in words that the caller can act on: wrong arguments, no consent, a service's refusal
    ASKED = "asked"  # for the caller's consent
    DENIED = "denied"  # the caller may not
    LIMITED = "limited"  # too many calls, or too long a one
    FAILED = "failed"  # a defect


@dataclass(frozen=True, slots=True)
class Record:
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
    # The network address that the caller came from, where it is known, and what the issuer calls the caller's token.
    address: str
    token: str
    # The agent that acts, for the subject or for itself, and its blueprint: left out where none does.
    agent: str = ""
    blueprint: str = ""
    # The further name by which the tool was called, if it was by one; else it is left out.
    called_as: str = ""
    # The tenant of data, not the caller's own, in which it was; else it is left out.
    crosses_to: str = ""
    # How many questions of it the model of the caller's client was asked, if it was; else it is left out.
    asked_model: int = 0
    # How many strangers' records were left out before this one, if any were; else it is left out.
    omitted: int = 0
    # Whether the answer was to be a secret, which stands in no record; else it is left out.
    secret: bool = False
    # The change that it is about, what was decided of it, how (by a form, a page, a laptop's page, a model's word) and
    # by whom: left out where nobody had to agree, or did not decide yet.
    change: str = ""
    decided: str = ""
    by: str = ""
    decided_by: str = ""

    def write(self) -> None:
        """Write it where the Functions host sends it to Application Insights: one line, which starts with `audit`."""
        _write(
            "audit",
            self,
            {
                "agent",
                "blueprint",
                "called_as",
                "crosses_to",
                "asked_model",
                "omitted",
                "secret",
                "change",
                "decided",
                "by",
                "decided_by",
            },
        )


@dataclass(frozen=True, slots=True)
class Attempt:
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
    agent: str = ""
    blueprint: str = ""
    # The host to which a sign-in gives its access, if this is a step of one; else it is left out.
    towards: str = ""
    omitted: int = 0
    # The change that a page showed or decided, for whom it was asked, and what was decided how: else left out.
    change: str = ""
    asked_by: str = ""
    decided: str = ""
    by: str = ""
    decided_by: str = ""

    def write(self) -> None:
        """Write it beside the records of calls, in a line that starts with `attempt`: it is none of them."""
        _write(
            "attempt",
            self,
            {
                "agent",
                "blueprint",
                "towards",
                "omitted",
                "change",
                "asked_by",
                "decided",
                "by",
                "decided_by",
            },
        )


def _write(word: str, record: Record | Attempt, optional: Collection[str]) -> None:
    left_out = {name for name in optional if not getattr(record, name)}
    # Beyond ASCII there are letters that end lines, and some that move a terminal.
    document = to_json(record, exclude=left_out, inf_nan_mode="null", ensure_ascii=True)
    logger.info("%s %s", word, document.decode())


def keep_in(file: Path) -> None:
    """Keep the records in a file, too, where nobody else collects them: one JSON document a line."""
    from logging.handlers import RotatingFileHandler

    file.parent.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(file, maxBytes=_LARGEST_FILE, backupCount=1, delay=True, encoding="utf-8")
    handler.setFormatter(_Line())
    logger.addHandler(handler)


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage().partition(" ")[2]
