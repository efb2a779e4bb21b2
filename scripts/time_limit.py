"""A pytest plugin that skips the remaining tests after a deadline, so that a run ends in time."""

from __future__ import annotations

import time

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    about = "skip tests that have not started by this time, in seconds since 1970"
    parser.addoption("--begin-until", type=float, default=None, help=about)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    limit: float | None = item.config.getoption("--begin-until")
    if limit is not None and time.time() > limit:
        pytest.skip("not run for lack of time; the full run includes this test")
