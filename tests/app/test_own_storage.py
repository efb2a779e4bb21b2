"""In its storage account the app is its managed identity; where that is refused, its storage is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from app.storage import files_for, queue_for, storage_for
from clients.queues import QueueError
from clients.storage import StorageError
from settings import StorageSettings
from tests.fakes.issuer import Issuer, issuing
from tests.fakes.upstream_identity import UpstreamIdentity

pytestmark = pytest.mark.anyio

CLIENT: Final = "1de27171-0000-4000-8000-000000000003"
ACCOUNT: Final = StorageSettings(account="bakery", client_id=CLIENT, connection="UseDevelopmentStorage=true")


@pytest.fixture
async def issuer(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Issuer]:
    identity = UpstreamIdentity()
    async with issuing(identity) as opened:
        identity.in_environment(monkeypatch)
        monkeypatch.setenv("IDENTITY_HEADER", "another")
        yield opened


async def _row() -> None:
    storage = storage_for("changes", ACCOUNT)
    try:
        await storage.read_rows("one", ["two"])
    finally:
        await storage.close()


async def _message() -> None:
    queue: Any = queue_for("tasks", ACCOUNT)
    try:
        await queue.send("one")
    finally:
        await queue.close()


async def _shelf() -> None:
    files = files_for("shelf", ACCOUNT)
    try:
        await files.look("one")
    finally:
        await files.close()


async def test_an_identity_that_is_refused_is_told_as_storage_that_is_away(issuer: Issuer) -> None:
    # By itself, an SDK tries for more than a minute, which nobody who asks waits for.
    async with asyncio.timeout(40):
        told = await asyncio.gather(_row(), _message(), _shelf(), return_exceptions=True)
    assert [type(failure) for failure in told] == [StorageError, QueueError, StorageError]
    (asked,) = {(seen.query["client_id"], seen.query["resource"]) for seen in issuer.requests}
    assert asked == (CLIENT, "https://storage.azure.com")
