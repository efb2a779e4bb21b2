"""Seals that cost next to nothing. A real one takes tens of milliseconds by design, and tests make hundreds of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def cheap_seals() -> Iterator[None]:
    """For the `conftest.py` of folders whose tests change something. What a real seal costs, test_seals.py knows."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("changes.seal.COST", 2)
        yield
