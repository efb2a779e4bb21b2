"""What the host says when it has started."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from local_host.process import LISTENING
from local_host.queues import QueueTrigger
from local_host.routes import Routes
from local_host.timers import Timer
from local_host.worker import Function

_SERVED = {"httpTrigger", "timerTrigger", "queueTrigger", "http"}

logger = logging.getLogger("local_host")


def print_summary(url: str, routes: Routes, timers: Sequence[Timer], queues: Sequence[QueueTrigger]) -> None:
    """Print every function and how to reach it; programs wait for the last line."""
    for route in routes:
        print(f"  {route.function}: {url}/{route.template.text} [{','.join(sorted(route.methods)) or 'every method'}]")
    for timer in timers:
        print(f"  {timer.name}: at {timer.expression} (UTC), or now by POST {url}/admin/functions/{timer.name}")
    for queue in queues:
        where = f"for each message of the queue {queue.queue}"
        print(f"  {queue.name}: {where if queue.is_connected else f'not here, because {queue.connection} is not set'}")
    print(f"{LISTENING}{url}", flush=True)


def warn_of_differences(functions: Iterable[Function], routes: Routes) -> None:
    """Tell what will be otherwise on Azure."""
    for specific, general in routes.hidden_on_azure():
        logger.warning(
            "On Azure, %s takes requests from %s: where both routes fit, the first in the alphabet wins; rename one",
            general.function,
            specific.function,
        )
    for function in functions:
        for binding in function.bindings:
            if binding["type"] not in _SERVED:
                logger.warning("%s: this host leaves out the %s %r", function.name, binding["type"], binding["name"])
