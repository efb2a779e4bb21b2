"""Nothing is changed in Azure if it changed since the preview."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import pytest

from tests.attacks.azure_changes.calls import OF_THE_SITE, TITLED, WORD, Json, deploy, sent, words_of, written
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import SHOP
from tests.sweeps import Sweep
from tests.tools.azure.resource_changes.scenes import SITE
from tests.tools.azure.team import Team


def replaced(azure: FakeAzure) -> None:
    found = azure.estate.resources[SITE.lower()]
    found.document = {**found.document, "systemData": {"createdAt": "2026-11-22T10:00:00Z", "createdBy": "eve"}}
    found.created += timedelta(days=30)


def retagged(azure: FakeAzure) -> None:
    azure.estate.resources[SITE.lower()].document["tags"] = {"team": "kitchen"}


def regrouped(azure: FakeAzure) -> None:
    azure.estate.groups[SHOP.lower()]["tags"] = {"team": "kitchen"}


def locked(azure: FakeAzure) -> None:
    azure.tags_and_locks.lock(SHOP, "ReadOnly", "still")


def moved(azure: FakeAzure) -> None:
    del azure.estate.resources[SITE.lower()]


MEANWHILE: Final[dict[str, Callable[[FakeAzure], None]]] = {
    "was made anew": replaced,
    "has other tags": retagged,
    "has a group with other tags": regrouped,
    "is locked": locked,
    "is gone": moved,
}


@pytest.mark.parametrize("call", OF_THE_SITE.values(), ids=OF_THE_SITE)
@Sweep("happens", MEANWHILE.values(), ids=[f"the site {name} meanwhile" for name in MEANWHILE], every=2)
async def test_what_is_another_thing_meanwhile_is_not_changed(
    azure: FakeAzure, house: Team, call: Json, happens: Callable[[FakeAzure], None]
) -> None:
    await house.decides("bea", await words_of(house, "ada", call))
    happens(azure)
    assert (await sent(house, "ada", call))["isError"]
    assert written(azure) == []


async def test_of_two_applies_at_once_one_alone_reaches_azure(azure: FakeAzure, house: Team) -> None:
    call = OF_THE_SITE["delete_azure_resource"]
    await house.decides("bea", await words_of(house, "ada", call))
    await asyncio.gather(*(sent(house, "ada", call) for _ in range(4)))
    assert len(written(azure)) == 1


async def test_a_plan_that_counts_for_a_while_is_of_its_caller_alone(azure: FakeAzure, house: Team) -> None:
    call = deploy(TITLED, parameters={"password": WORD})
    await words_of(house, "ada", call)
    asked = [one for one in azure.asked if one.path.lower().endswith("/whatif")]
    await words_of(house, "bea", call)
    assert len([one for one in azure.asked if one.path.lower().endswith("/whatif")]) == len(asked) + 1
