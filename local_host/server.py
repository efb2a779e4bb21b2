"""Starts the host for an app folder, serves until it is stopped, and shuts it down."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import sys
import threading
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from aiohttp import web

from local_host import worker
from local_host.cannot_start import CannotStartError
from local_host.log import log_to_stderr
from local_host.process import LISTENING
from local_host.queue_settings import QueueSettings
from local_host.queues import QueueTrigger
from local_host.routes import Route, Routes
from local_host.settings import AppFolder
from local_host.stopping import on_stop_signal
from local_host.summary import print_summary, warn_of_differences
from local_host.timers import Timer, TimerClock
from local_host.trailers import WithoutTrailers
from local_host.web import Front
from local_host.worker import Function

if TYPE_CHECKING:
    from local_host.polling import Polling

# When the host stops, running functions get this number of seconds to end.
GRACE = 3
_SECONDS_BETWEEN_LOOKS = 1

logger = logging.getLogger("local_host")


def serve(app: AppFolder, address: str, port: int, *, log_requests: bool, quiet: bool) -> None:
    """Serve an app until the host is stopped.

    Raises:
        CannotStartError: The app cannot be imported, or the port cannot be used.
    """
    log_to_stderr(worker.current_invocation, quiet=quiet)
    app.apply_settings()
    with _bound_socket(address, port) as listener:
        asyncio.run(_serve(app, listener, log_requests=log_requests, quiet=quiet))


async def _serve(app: AppFolder, listener: socket.socket, *, log_requests: bool, quiet: bool) -> None:
    functions = await worker.index(app)
    routes = _routes(app, functions)
    timers = [_timer(function) for function in functions if function.is_triggered_by("timerTrigger")]
    queues = _queues(app, functions)
    polling = [_polling(queue) for queue in queues if queue.is_connected]
    front = Front(functions, routes, timers, app.keys)
    runner = web.AppRunner(front.application(), access_log=logger if log_requests else None, shutdown_timeout=GRACE)
    await runner.setup()
    listening = await _listening(runner, listener)
    warn_of_differences(functions, routes)
    async with asyncio.TaskGroup() as group:
        schedules = [group.create_task(timer.keep_schedule()) for timer in timers]
        polls = [group.create_task(one.listen()) for one in polling]
        url = "http://{}:{}".format(*listener.getsockname())
        if not quiet:
            print_summary(url, routes, timers, queues)
        print(f"{LISTENING}{url}", flush=True)  # programs that start the host wait for this log line
        await _stop_signal()
        for task in polls:
            task.cancel()
        listening.close()
        await _finish(runner, [*timers, *polling])
        for task in schedules:
            task.cancel()


async def _listening(runner: web.AppRunner, listener: socket.socket) -> asyncio.Server:
    server = runner.server
    if server is None:
        raise RuntimeError("The runner is not set up.")
    return await asyncio.get_running_loop().create_server(lambda: WithoutTrailers(server()), sock=listener)


def _bound_socket(address: str, port: int) -> socket.socket:
    """Bind the port before the app is imported, so that the user learns immediately if the port is in use."""
    listener = socket.socket()
    if os.name == "posix":  # on Windows, this option would let two programs share the port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CannotStartError(
            f"Cannot listen on port {port} of {address} ({reason}). Choose another port with --port."
        ) from None
    return listener


def _routes(app: AppFolder, functions: Sequence[Function]) -> Routes:
    return Routes(
        Route.of(function.name, app.route_prefix, trigger.get("route") or function.name, trigger.get("methods") or ())
        for function in functions
        if function.is_triggered_by("httpTrigger") and (trigger := function.trigger)
    )


def _timer(function: Function) -> Timer:
    return Timer(function.name, function.trigger, partial(worker.invoke_timer, function), TimerClock())


def _queues(app: AppFolder, functions: Sequence[Function]) -> list[QueueTrigger]:
    settings = QueueSettings.of(app.queues)
    return [
        QueueTrigger.of(one.name, one.trigger, partial(worker.invoke_for_message, one), settings)
        for one in functions
        if one.is_triggered_by("queueTrigger")
    ]


def _polling(queue: QueueTrigger) -> Polling:
    # This import loads Azure's SDK, which takes a while and is only needed if a storage account is connected.
    from local_host.polling import Polling  # noqa: PLC0415

    return Polling.of(queue)


async def _stop_signal() -> None:
    signal, loop = asyncio.Event(), asyncio.get_running_loop()

    def stop() -> None:
        # If the host has already stopped, the event loop is closed, so this call fails, and nothing needs to be
        # stopped.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(signal.set)

    on_stop_signal(stop)
    # A signal that arrives just before the event loop waits does not wake it up, so the loop also wakes up regularly.
    while not signal.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(signal.wait(), _SECONDS_BETWEEN_LOOKS)


async def _finish(runner: web.AppRunner, others: Sequence[Timer | Polling]) -> None:
    """Wait for running requests, timers and messages, within the time limit."""
    # Python waits for all threads before it exits, so this timer ends the process if a thread never ends.
    latest_end = threading.Timer(GRACE + 1, _leave)
    latest_end.daemon = True
    latest_end.start()
    under_way = [runner.cleanup(), *(other.settle() for other in others)]
    await asyncio.wait([asyncio.create_task(one) for one in under_way], timeout=GRACE)


def _leave() -> None:
    logger.warning("A function did not end within %d seconds and was abandoned", GRACE)
    sys.stdout.flush()
    os._exit(0)
