"""Sends traces and metrics to Application Insights, without holding up anything else."""

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

DELAY: Final = 2.0  # seconds, in which the first answer is given: loading takes the time of a whole one
BATCH: Final = 1.0  # seconds between two batches of what was counted
FLUSHING: Final = 5.0  # seconds at most that the end of the process waits for what is still to be sent
# The exporter would also tell its maker how it is used, and ask another server how to behave.
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
    """Begin to send. What is counted until then is sent too; spans that end before are not.

    The environment variable APPLICATIONINSIGHTS_AUTHENTICATION_STRING says which managed identity signs in.
    """
    export = Export(connection_string, name, version, delay)
    keep_to_itself()
    metrics.keep()
    export.thread.start()
    atexit.register(export.stop)
    _stop_when_told_to_end(export)
    return export


def keep_to_itself() -> None:
    """Have exporters send what they are given, and nothing else to anybody."""
    os.environ.update(_TO_ITSELF)


def _stop_when_told_to_end(export: Export) -> None:
    """The host ends a worker by SIGTERM, of which Python dies without a word to `atexit`."""
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
    """It is `ready` once it sends, or has told the log why it never will."""

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
        # Threads cannot be started any more when the process ends, so this one stays for that.
        self.thread = threading.Thread(target=self._run, name="telemetry", daemon=True)

    def stop(self) -> None:
        """Send what is left, if that takes no longer than it may, and if what sends is loaded."""
        self._is_too_late = not self._hurry.is_set()
        self._end()

    def stop_with_all_it_has(self) -> None:
        """Likewise, and load what sends if it is not: an instance may be told to end as soon as it has answered."""
        self._hurry.set()
        self._end()

    def _end(self) -> None:
        self._ending.set()
        self._hurry.set()
        self.thread.join(FLUSHING)

    def _run(self) -> None:
        self._hurry.wait(self.delay)
        # A process that ends already, and was not told to, can neither load nor start what sends.
        if not self._is_too_late:
            stop_sending = self._load()
            self.ready.set()
            while not self._ending.wait(BATCH):
                metrics.take()
            metrics.take()
            stop_sending(FLUSHING)

    def _load(self) -> Callable[[float], None]:
        try:
            from telemetry.azure_monitor import sending  # noqa: PLC0415 - takes most of a second

            stop_sending = sending(self.connection_string, self.name, self.version)
        except Exception:
            logger.exception("No telemetry is sent, because what sends it cannot be loaded.")
            metrics.drop()
            return lambda _: None
        metrics.take()
        return stop_sending
