"""The audit records that were written while a test ran."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.all: list[dict[str, Any]] = []
        self.attempts: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        word, _, document = record.getMessage().partition(" ")
        assert word in {"audit", "attempt"}
        (self.all if word == "audit" else self.attempts).append(json.loads(document))

    @classmethod
    @contextmanager
    def kept(cls) -> Iterator[Records]:
        logger, handler = logging.getLogger("audit"), cls()
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        yield handler
        logger.removeHandler(handler)

    @property
    def only(self) -> dict[str, Any]:
        (record,) = self.all
        self.all.clear()
        return record
