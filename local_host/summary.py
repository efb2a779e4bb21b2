"""Prints a summary of the served app after startup."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from local_host.queues import QueueTrigger
from local_host.routes import Routes
from local_host.timers import Timer
from local_host.worker import Function

_SERVED = {"httpTrigger", "timerTrigger", "queueTrigger", "http"}

logger = logging.getLogger("local_host")


def print_summary(url: str, routes: Routes, timers: Sequence[Timer], queues: Sequence[QueueTrigger]) -> None:
    """Print each function, and how to call it."""
    for route in routes:
        print(f"  {route.function}: {url}/{route.template.text} [{','.join(sorted(route.methods)) or 'any method'}]")
    for timer in timers:
        print(
            f"  {timer.name}: at {timer.expression} (UTC), or run it now with POST {url}/admin/functions/{timer.name}"
        )
    for queue in queues:
        where = f"for each message in queue {queue.queue}"
        print(f"  {queue.name}: {where if queue.is_connected else f'disabled, because {queue.connection} is not set'}")


def warn_of_differences(functions: Iterable[Function], routes: Routes) -> None:
    """Log warnings about differences between this host and Azure."""
    _warn_of_hidden_routes(routes)
    _warn_of_unsupported_bindings(functions)


def _warn_of_hidden_routes(routes: Routes) -> None:
    for specific, general in routes.hidden_on_azure():
        logger.warning(
            "On Azure, %s also receives the requests for %s: if both routes match, Azure calls the function that is"
            " first in alphabetical order",
            general.function,
            specific.function,
        )


def _warn_of_unsupported_bindings(functions: Iterable[Function]) -> None:
    for function in functions:
        for binding in function.bindings:
            if binding["type"] not in _SERVED:
                logger.warning(
                    "%s: this host does not support the %s %r", function.name, binding["type"], binding["name"]
                )
