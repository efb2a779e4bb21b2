"""Logs to standard error. Each line contains the ID of the invocation."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError, InvalidURLError

_FORMAT = "[%(asctime)s.%(msecs)03d %(levelname)s %(name)s %(invocation)s] %(message)s"


def log_to_stderr(current_invocation: Callable[[], str | None], *, quiet: bool) -> None:
    def add_invocation(record: logging.LogRecord) -> bool:
        record.invocation = (current_invocation() or "-")[:8]
        return True

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(_FORMAT, "%H:%M:%S"))
    handler.addFilter(add_invocation)
    # The filter is set on the handler, because some loggers set their own level.
    handler.setLevel(logging.WARNING if quiet else logging.NOTSET)
    debug = os.environ.get("PYTHON_ENABLE_DEBUG_LOGGING", "").lower() in {"1", "true"}
    logging.basicConfig(handlers=[handler], level=logging.DEBUG if debug else logging.INFO)
    logging.getLogger("aiohttp.server").addFilter(_in_a_line)


def _in_a_line(record: logging.LogRecord) -> bool:
    """If a request is not valid HTTP, log it on a single line. A traceback would only help to find bugs in this
    host.
    """
    problem = record.exc_info[1] if record.exc_info else None
    if isinstance(problem, web.RequestPayloadError):
        problem = problem.__cause__
    if isinstance(problem, HttpProcessingError):
        # Leave out the text after the colon, which quotes the request and may contain a secret.
        reason = "Invalid URL" if isinstance(problem, InvalidURLError) else problem.message.partition(":")[0]
        record.msg, record.args = "Rejected a request that is not HTTP: %s", (reason.strip(".\n"),)
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        record.exc_info = None
    return True
