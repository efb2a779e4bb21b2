"""Measures the responses, the `/health` latency and the memory of a server that anonymous clients attack."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from statistics import median
from threading import Event, Thread
from time import monotonic
from typing import Final, Self
from urllib.parse import urlsplit

from app.storage import storage_for
from scripts.benchmarks.measure import percentile, shown
from settings import StorageSettings
from tests.fakes.updates.api import UpdatesApi
from tools.azure_updates.opening import store_in, sync_of
from tools.azure_updates.settings import PURPOSE, UpdatesSettings
from updates.reading.sample import records
from updates.showing.exports import FORMS

# The number of updates, about as many as in the real feed.
UPDATES: Final = 10_000
LOOKS_A_SECOND: Final = 10
LONGEST_P99: Final = 0.1
MOST_GROWTH: Final = 1.2
MOMENTS: Final = (0.1, 0.5, 1.0)
_SECONDS_TO_ANSWER: Final = 60


def fill(folder: str) -> None:
    """Fill the storage with a realistic number of updates."""
    asyncio.run(_fill(StorageSettings(folder=folder)))


async def _fill(settings: StorageSettings) -> None:
    async with UpdatesApi(records(UPDATES)).serving() as url:
        await sync_of(UpdatesSettings(url=url), store_in(storage_for(PURPOSE, settings))).reconcile()


def settings_for_strangers(folder: str) -> dict[str, str]:
    """Return the settings for an app that has rate limits and does not require sign-in. The app runs as if on Azure,
    because otherwise it would ignore the header that contains the client's address.
    """
    return {
        "AZURE_FUNCTIONS_ENVIRONMENT": "Production",
        "AUTH_MODE": "none",
        "MCP_ALLOWED_HOSTS": "127.0.0.1:*",
        "STORAGE_FOLDER": folder,
        # No server listens on the discard port.
        "UPDATES_API_URL": "http://127.0.0.1:9/updates",
    }


def warm_up(url: str) -> None:
    """Request each file format once. The first request for a format renders all updates, and later requests reuse the
    rendered parts.
    """
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=_SECONDS_TO_ANSWER)) as connection:
        for form in FORMS:
            connection.request("GET", f"/updates.{form}")
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise SystemExit(f"/updates.{form} answered {answer.status}.")


class Observer:
    """Requests `/health` over one connection, and measures the memory of the process each time."""

    def __init__(self, url: str, memory: Callable[[], int]) -> None:
        self._memory = memory
        self._connection = HTTPConnection(urlsplit(url).netloc, timeout=_SECONDS_TO_ANSWER)
        self._ended = Event()
        self._threads = [Thread(target=self._steadily, args=[look]) for look in (self._ask, self._weigh)]
        # The time of each request is measured from the moment when it is due. A long wait therefore also delays
        # the requests that are due during the wait.
        self.seconds: list[float] = []
        self.unanswered = 0
        self._sizes: list[int] = []

    def __enter__(self) -> Self:
        # The load of the machine before the test.
        self.busy_before = os.getloadavg()[0]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()
        self._connection.close()

    def memory(self, share: float) -> float:
        """Return the memory in bytes after this share of the time: the median of the last measurements."""
        until = max(1, round(share * len(self._sizes)))
        return median(self._sizes[max(0, until - max(1, len(self._sizes) // 20)) : until])

    def _steadily(self, look: Callable[[float], None]) -> None:
        due = monotonic()
        while not self._ended.wait(max(0, due - monotonic())):
            look(due)
            due += 1 / LOOKS_A_SECOND

    def _weigh(self, _due: float) -> None:
        self._sizes.append(self._memory())

    def _ask(self, due: float) -> None:
        self.unanswered += not self._is_answered()
        self.seconds.append(monotonic() - due)

    def _is_answered(self) -> bool:
        try:
            self._connection.request("GET", "/health")
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, HTTPException):
            self._connection.close()
            return False
        return answer.status == 200


def figures(warming: Observer, observer: Observer, answered: int, failed: int, peak: int) -> Iterator[str]:
    """Yield a table of measurements and targets."""
    yield "| what | measured | target | result |"
    yield "|---|---:|---:|---|"
    yield f"| answers to attackers | {answered:,} | | |"
    yield f"| failed answers to attackers | {failed} | 0 | {_verdict(is_kept=not failed)} |"
    yield f"| requests to `/health` | {len(observer.seconds):,} | | |"
    answered_all = _verdict(is_kept=not observer.unanswered)
    yield f"| requests to `/health` without an answer | {observer.unanswered} | 0 | {answered_all} |"
    yield from _health(observer.seconds)
    yield f"| longest wait of `/health` during startup | {shown(max(warming.seconds))} | | |"
    yield from _memory([observer.memory(share) for share in MOMENTS])
    yield f"| maximum memory | {_megabytes(peak)} | | |"
    yield f"| load average before the start, on {os.cpu_count()} cores | {observer.busy_before:.1f} | | |"


def _health(seconds: list[float]) -> Iterator[str]:
    for percent in (50, 95):
        yield f"| p{percent} of `/health` | {shown(percentile(seconds, percent))} | | |"
    p99 = percentile(seconds, 99)
    verdict = _verdict(is_kept=p99 < LONGEST_P99)
    yield f"| p99 of `/health` | {shown(p99)} | under {LONGEST_P99 * 1000:.0f} ms | {verdict} |"
    yield f"| longest wait of `/health` | {shown(max(seconds))} | | |"


def _memory(sizes: Sequence[float]) -> Iterator[str]:
    for share, size in zip(MOMENTS[:-1], sizes, strict=False):
        yield f"| memory after {share:.0%} of the time | {_megabytes(size)} | | |"
    first, last = sizes[0], sizes[-1]
    verdict = _verdict(is_kept=0 < last <= first * MOST_GROWTH)
    yield f"| memory at the end | {_megabytes(last)} | at most {_megabytes(first * MOST_GROWTH)} | {verdict} |"


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.0f} MB"


def _verdict(*, is_kept: bool) -> str:
    return "met" if is_kept else "not met"
