"""Log lines on the standard error, each with the invocation that it belongs to."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable

_FORMAT = "[%(asctime)s.%(msecs)03d %(levelname)s %(name)s %(invocation)s] %(message)s"


def log_to_stderr(current_invocation: Callable[[], str | None]) -> None:
    def add_invocation(record: logging.LogRecord) -> bool:
        record.invocation = (current_invocation() or "-")[:8]
        return True

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(_FORMAT, "%H:%M:%S"))
    handler.addFilter(add_invocation)
    debug = os.environ.get("PYTHON_ENABLE_DEBUG_LOGGING", "").lower() in {"1", "true"}
    logging.basicConfig(handlers=[handler], level=logging.DEBUG if debug else logging.INFO)
