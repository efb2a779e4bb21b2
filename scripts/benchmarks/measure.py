"""Measures several subjects alternately, so that the ratio of their times is reliable."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

Subject = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Timing:
    """The measured times, in seconds."""

    median: float
    p99: float

    @classmethod
    def of(cls, seconds: list[float]) -> Timing:
        return cls(statistics.median(seconds), percentile(seconds, 99))


def percentile(values: list[float], percent: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


async def side_by_side(subjects: dict[str, Subject], rounds: int) -> dict[str, Timing]:
    """Measure all subjects alternately, so that other load on the machine affects all of them equally."""
    seconds: dict[str, list[float]] = {name: [] for name in subjects}
    for subject in subjects.values():
        await subject()
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for name, subject in subjects.items():
            start = time.perf_counter()
            await subject()
            seconds[name].append(time.perf_counter() - start)
    return {name: Timing.of(values) for name, values in seconds.items()}


def shown(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
