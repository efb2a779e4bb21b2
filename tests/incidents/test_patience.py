"""A source that hangs costs an answer three seconds altogether, whichever step asks it."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.leaping import LEAPING
from tests.tools.incidents.world import SITE, Bakery, asking, told

_LIMIT: Final = 3


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return LEAPING


def hang(azure: FakeAzure, place: str) -> asyncio.Event:
    ended = asyncio.Event()

    async def never(_: Any) -> Any:
        await ended.wait()

    azure.places[place] = never
    return ended


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("/eventtypes/management", "activity_log"),
        ("/Microsoft.AlertsManagement", "alerts"),
        ("/Microsoft.ResourceGraph", "resource_changes"),
    ],
)
async def test_a_source_that_hangs_is_given_up_after_three_seconds(place: str, named: str) -> None:
    bakery = Bakery()
    bakery.deploy(SITE, 10, "one")
    async with asking(bakery) as caller:
        ended = hang(bakery.azure, place)
        clock = asyncio.get_running_loop()
        begun = clock.time()
        answer = await told(caller, SITE)
        passed = clock.time() - begun
        ended.set()
    why = {one["source"]: one["why"] for one in answer["failed"]}[named]
    assert why == "No answer within 3 s. Increase wait_seconds to wait longer."
    assert "app_deployments" in answer["sources"]
    assert round(passed) == _LIMIT


async def test_a_caller_may_wait_longer() -> None:
    bakery = Bakery()
    async with asking(bakery) as caller:
        ended = hang(bakery.azure, "/Microsoft.AlertsManagement")
        clock = asyncio.get_running_loop()
        begun = clock.time()
        answer = await told(caller, SITE, wait_seconds=12)
        assert round(clock.time() - begun) == 12
        ended.set()
    assert [one["source"] for one in answer["failed"]] == ["alerts"]
