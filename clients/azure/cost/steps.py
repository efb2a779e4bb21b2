"""On which day something began to cost more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

_FEWEST_DAYS: Final = 4
# By how much more of what it cost before, and how much of the ups and downs the step explains.
_RISE: Final = 0.2
_EXPLAINED: Final = 0.5


@dataclass(frozen=True, slots=True)
class CostStep:
    """From which place of a course on it was higher, and how high it was on average before and since."""

    place: int
    before: float
    since: float


def step_in(course: Sequence[float]) -> CostStep | None:
    """The one step up that tells a course best; None where it has none, or grew little by little."""
    number = len(course)
    if number < _FEWEST_DAYS:
        return None
    sums = [0.0, *accumulate(course)]
    # What is left of the squares decides, and the squares themselves are the same for all: only the means count.
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
