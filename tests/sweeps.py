"""Sweeps: one test for very many values, such as every tool.

By default, each test takes a share of the values, and each property a share of its examples. With FUZZ_SWEEPS, as in
the nightly pipeline, they take all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import count
from typing import Any, Final, TypeVar

import pytest

ALL: Final = "FUZZ_SWEEPS" in os.environ

Row = TypeVar("Row")
Column = TypeVar("Column")

Test = TypeVar("Test", bound=Callable[..., Any])


def only_with(variable: str) -> pytest.MarkDecorator:
    """Skip a test unless this variable is set, as it is in the nightly pipeline."""
    return pytest.mark.skipif(variable not in os.environ, reason=f"{variable} is not set.")


def examples(number: int) -> int:
    """How many examples a property is tried with: by default, a fifth of them."""
    return number if ALL else number // 5


def share(values: Sequence[Row], *, every: int) -> Sequence[Row]:
    """Every n-th value, for a test that looks at many in one go. The sweeps below are better where each can fail."""
    return values[:: 1 if ALL else every]


def pairs(rows: Collection[Row], columns: Collection[Column]) -> list[tuple[Row, Column]]:
    """All pairs, ordered so that every `len(columns)`-th pair has each row once, and the columns in turn."""
    turns = list(columns)
    return [(row, turns[(at + turn) % len(turns)]) for at, row in enumerate(rows) for turn in range(len(turns))]


class Sweep:
    """Parametrizes tests with every n-th value. Tests of the same sweep start at different values, so that n tests
    together take all of them. Sweeps of different files over the same values do so by their `start`.
    """

    def __init__(
        self,
        names: str | tuple[str, ...],
        values: Collection[Any],
        *,
        every: int,
        ids: Callable[[Any], str] | Iterable[str] | None = None,
        start: int = 0,
    ) -> None:
        self._names = names
        self._values = list(values)
        self._every = 1 if ALL else every
        self._ids = ids if ids is None or callable(ids) else list(ids)
        self._starts = count(start)

    def __call__(self, test: Test) -> Test:
        share = slice(next(self._starts) % self._every, None, self._every)
        ids = self._ids[share] if isinstance(self._ids, list) else self._ids
        mark = pytest.mark.parametrize(self._names, self._values[share], ids=ids)
        return mark(test)  # type: ignore[no-any-return]
