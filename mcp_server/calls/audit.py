"""The audit record: one for every call of a tool, whoever called it, in whichever way, and whatever came of it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from pydantic_core import to_json

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
    # The further name by which the tool was called, if it was by one; else it is left out.
    called_as: str = ""

    def write(self) -> None:
        """Write it where the Functions host sends it to Application Insights: one line, which starts with `audit`."""
        left_out = None if self.called_as else {"called_as"}
        logger.info("audit %s", to_json(self, exclude=left_out, inf_nan_mode="null").decode())


def keep_in(file: Path) -> None:
    """Keep the records in a file, too, where nobody else collects them: one JSON document a line."""
    from logging.handlers import RotatingFileHandler  # noqa: PLC0415 - on a laptop only

    file.parent.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(file, maxBytes=_LARGEST_FILE, backupCount=1, delay=True, encoding="utf-8")
    handler.setFormatter(_Line())
    logger.addHandler(handler)


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage().partition(" ")[2]
