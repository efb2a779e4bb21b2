"""Sends traces and metrics to Application Insights in the background."""

from __future__ import annotations

import atexit
import logging
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from telemetry import metrics

DELAY: Final = 2.0  # seconds before the exporter is loaded, so that loading does not slow down the first response
BATCH: Final = 1.0  # seconds between two batches
FLUSHING: Final = 5.0  # the maximum number of seconds that sending delays the end of the process
# By default, the exporter reports its own usage to Microsoft and fetches its configuration from a server.
_TO_ITSELF: Final = dict.fromkeys(
    [
        "APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL",
        "APPLICATIONINSIGHTS_SDKSTATS_DISABLED",
        "APPLICATIONINSIGHTS_CONTROLPLANE_DISABLED",
        "APPLICATIONINSIGHTS_OPENTELEMETRY_RESOURCE_METRIC_DISABLED",
    ],
    "true",
)

logger = logging.getLogger(__name__)


def start(connection_string: str, *, name: str, version: str, delay: float = DELAY) -> Export:
    """Start sending telemetry. Earlier metrics are also sent, but spans that ended before the start are not.

    The environment variable APPLICATIONINSIGHTS_AUTHENTICATION_STRING selects the managed identity.
    """
    export = Export(connection_string, name, version, delay)
    keep_to_itself()
    metrics.keep()
    export.thread.start()
    atexit.register(export.stop)
    _stop_when_told_to_end(export)
    return export


def keep_to_itself() -> None:
    """Disable the data that the exporters would send in addition to our telemetry."""
    os.environ.update(_TO_ITSELF)


def _stop_when_told_to_end(export: Export) -> None:
    """Send the remaining telemetry on SIGTERM. The host ends a worker with SIGTERM, which skips Python's `atexit`."""
    if threading.current_thread() is not threading.main_thread():
        return
    before = signal.getsignal(signal.SIGTERM)

    def end(number: int, frame: FrameType | None) -> None:
        export.stop_with_all_it_has()
        if callable(before):
            before(number, frame)
        elif before != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

    signal.signal(signal.SIGTERM, end)


@dataclass
class Export:
    """Sends telemetry in a thread. `ready` is set as soon as the thread can send, or has logged the reason why it
    cannot send.
    """

    connection_string: str = field(repr=False)
    name: str
    version: str
    delay: float
    thread: threading.Thread = field(init=False, repr=False)
    ready: threading.Event = field(default_factory=threading.Event, repr=False)
    _hurry: threading.Event = field(default_factory=threading.Event, repr=False)
    _ending: threading.Event = field(default_factory=threading.Event, repr=False)
    _is_too_late: bool = False

    def __post_init__(self) -> None:
        # Create the thread now, because Python cannot create threads during shutdown.
        self.thread = threading.Thread(target=self._run, name="telemetry", daemon=True)

    def stop(self) -> None:
        """If the exporter is loaded, send the remaining telemetry within the time limit."""
        self._is_too_late = not self._hurry.is_set()
        self._end()

    def stop_with_all_it_has(self) -> None:
        """Send the remaining telemetry. If the exporter is not loaded yet, load it first.

        An instance may be stopped right after its first response, before the exporter is loaded.
        """
        self._hurry.set()
        self._end()

    def _end(self) -> None:
        self._ending.set()
        self._hurry.set()
        self.thread.join(FLUSHING)

    def _run(self) -> None:
        self._hurry.wait(self.delay)
        # If the process is already exiting, the exporter cannot be loaded or started.
        if not self._is_too_late:
            stop_sending = self._load()
            self.ready.set()
            while not self._ending.wait(BATCH):
                metrics.take()
            metrics.take()
            stop_sending(FLUSHING)

    def _load(self) -> Callable[[float], None]:
        try:
            from telemetry.azure_monitor import sending  # noqa: PLC0415 - takes almost a second

            stop_sending = sending(self.connection_string, self.name, self.version)
        except Exception:
            logger.exception("No telemetry is sent, because the exporter cannot be loaded.")
            metrics.drop()
            return lambda _: None
        metrics.take()
        return stop_sending
