"""The audit records that were written while a test ran."""

from __future__ import annotations

import json
import logging
from typing import Any


class Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.all: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        word, _, document = record.getMessage().partition(" ")
        assert word == "audit"
        self.all.append(json.loads(document))

    @property
    def only(self) -> dict[str, Any]:
        (record,) = self.all
        self.all.clear()
        return record
