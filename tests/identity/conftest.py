from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from identity.keys import IssuerKeys
from tests.fakes.issuer import Issuer, issuing
from tests.identity.clock import Clock
from tests.identity.forging import with_elliptic_key
from tests.identity.place import Place, open_place


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def issuer() -> AsyncIterator[Issuer]:
    async with issuing(with_elliptic_key) as running:
        yield running


@pytest.fixture
def keys(issuer: Issuer, clock: Clock) -> IssuerKeys:
    return IssuerKeys(issuer.url, clock=clock)


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with open_place() as opened:
        yield opened


@pytest.fixture
async def on_azure(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    async with open_place(secret="") as opened:
        opened.entra.in_environment(monkeypatch)
        yield opened
