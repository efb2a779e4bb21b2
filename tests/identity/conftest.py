from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from tests.fakes.issuer import Issuer, issuing
from tests.identity.forging import with_elliptic_key
from tests.identity.place import Place, open_place


@dataclass
class Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    async with issuing(with_elliptic_key) as running:
        yield running


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with open_place() as opened:
        yield opened


@pytest.fixture
async def on_azure(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    async with open_place(secret="") as opened:
        opened.entra.in_environment(monkeypatch)
        yield opened
