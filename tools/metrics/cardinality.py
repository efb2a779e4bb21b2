"""Limits the number of metric series, because every new property value creates a series, and each series requires
storage.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from refusal import Refusal
from telemetry.metric_series import MetricSeries

# After a value of a series is sent, Application Insights counts the series as active for this many seconds.
SECONDS_KEPT: Final = 12 * 60 * 60.0

Key = tuple[str, frozenset[tuple[str, str]]]


class Cardinality:
    """Tracks which metric series were sent in the last twelve hours. All series of a call are accepted or rejected
    together.
    """

    def __init__(self, most: int, most_of_a_metric: int, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._most_of_a_metric, self._clock = most, most_of_a_metric, clock
        # The time at which each series was last sent, oldest first.
        self._known: OrderedDict[Key, float] = OrderedDict()
        self._of_metric: Counter[str] = Counter()

    def check(self, many: Sequence[MetricSeries]) -> None:
        """Reject a call with too many series.

        Raises:
            Refusal: The call exceeds the limit. The message contains the counts.
        """
        self._forget()
        new = {key for one in many if (key := _key(one)) not in self._known}
        for name, count in sorted(Counter(name for name, _ in new).items()):
            if self._most_of_a_metric and self._of_metric[name] + count > self._most_of_a_metric:
                raise Refusal(self._too_many(f"{name} has {self._of_metric[name]}", count, self._most_of_a_metric))
        if self._most and len(self._known) + len(new) > self._most:
            raise Refusal(self._too_many(f"There are {len(self._known)}", len(new), self._most))

    def note(self, many: Sequence[MetricSeries]) -> None:
        """Record the current time as the time when the series of a call were last sent."""
        for key in map(_key, many):
            self._of_metric[key[0]] += key not in self._known
            self._known[key] = self._clock()
            self._known.move_to_end(key)

    def left(self, name: str) -> int | None:
        """Return how many more series a metric may have, or None if there is no limit."""
        self._forget()
        rooms = [self._most_of_a_metric - self._of_metric[name]] if self._most_of_a_metric else []
        rooms += [self._most - len(self._known)] if self._most else []
        return min(rooms, default=None)

    def _too_many(self, there_are: str, new: int, most: int) -> str:
        return (
            f"{there_are} series in this instance; this call would add {new}, and the maximum is {most}. Nothing was"
            " sent. Leave out properties whose values are nearly always new, such as ids and times. A series expires"
            " after 12 hours without values."
        )

    def _forget(self) -> None:
        while self._known:
            key, at = next(iter(self._known.items()))
            if self._clock() - at < SECONDS_KEPT:
                return
            del self._known[key]
            self._of_metric[key[0]] -= 1
            if not self._of_metric[key[0]]:
                del self._of_metric[key[0]]


def _key(series: MetricSeries) -> Key:
    return series.name, frozenset(series.dimensions.items())
