"""A process that has something to tell: it counts a few things, and makes a call that calls a service in its turn."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys

from opentelemetry.baggage import set_baggage
from opentelemetry.context import attach

from clients.rest import RestClient
from telemetry import metrics
from telemetry.export import Export, start
from telemetry.tool_call import ToolCall
from telemetry.tracing import ToolCallSpan, parent_of

CALL = ToolCall("updates", "search_updates", "read", "direct")
PARENT = parent_of({"traceparent": f"00-{'a' * 32}-{'b' * 16}-00"})


def count(export: Export) -> None:
    metrics.watch_index_age(lambda: 12.5)
    for outcome in ("done", "done", "failed"):
        metrics.count_call(CALL, outcome, "Visual Studio Code - Insiders", 0.25)
    metrics.record_sync("delta", "done", added=3, withdrawn=1)
    metrics.count_throttled("caller")
    export.ready.wait()
    metrics.count_throttled("address")
    with ToolCallSpan(CALL, PARENT):
        pass


def call(export: Export) -> None:
    export.ready.wait()
    asyncio.run(_call())


def wait(_: Export) -> None:
    """Count, and wait to be told to end."""
    metrics.count_throttled("caller")
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        signal.pause()


def end(_: Export) -> None:
    """End at once."""


async def _call() -> None:
    attach(set_baggage("caller", "marked"))
    async with RestClient(os.environ["SERVICE"]) as client:
        await client.get("/service/beside", {"key": "marked"})
        with ToolCallSpan(CALL, PARENT) as span:
            headers = {"Authorization": "Bearer marked"}
            await client.send("GET /service/within", {}, {"key": "marked"}, headers=headers)
            span.end_as("failed", defect=True)
        with contextlib.suppress(ZeroDivisionError), ToolCallSpan(CALL, PARENT):
            _divide("marked", 0)


def _divide(what: str, number: int) -> None:
    raise ZeroDivisionError(f"{what} cannot be divided by {number}")


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    if "HANDLED" in os.environ:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
    delay = 60 if sys.argv[1] in {"end", "wait"} else 0
    started = start(os.environ["TELEMETRY"], name="site", version="1.2.3", delay=delay)
    {"count": count, "call": call, "end": end, "wait": wait}[sys.argv[1]](started)
    sys.stdout.write("done")
