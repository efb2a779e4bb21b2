"""Finds the day on which costs rose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

_FEWEST_DAYS: Final = 4
# The minimum relative rise.
_RISE: Final = 0.2
# The minimum share of the variance that the rise must explain.
_EXPLAINED: Final = 0.5


@dataclass(frozen=True, slots=True)
class CostStep:
    """A rise in costs: its index in the series, and the average costs before and after the rise."""

    place: int
    before: float
    since: float


def step_in(course: Sequence[float]) -> CostStep | None:
    """The rise that best explains the series; None if costs did not rise, or rose gradually."""
    number = len(course)
    if number < _FEWEST_DAYS:
        return None
    sums = [0.0, *accumulate(course)]
    # The best split has the smallest sum of squared residuals, which depends only on the averages of the two parts.
    scores = [_explained(sums, place) for place in range(1, number)]
    place = max(range(number - 1), key=scores.__getitem__) + 1
    found = CostStep(place, sums[place] / place, (sums[-1] - sums[place]) / (number - place))
    spread = sum(amount * amount for amount in course) - sums[-1] ** 2 / number
    explained = scores[place - 1] - sums[-1] ** 2 / number
    is_up = found.since > found.before * (1 + _RISE)
    return found if is_up and spread > 0 and explained >= _EXPLAINED * spread else None


def _explained(sums: Sequence[float], place: int) -> float:
    before, since = sums[place], sums[-1] - sums[place]
    return before**2 / place + since**2 / (len(sums) - 1 - place)
