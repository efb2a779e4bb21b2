"""What is new between two assessments, also where one of them could not ask every source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from retirements.assessment import ALL, Assessment
from retirements.retiring import Affected, RetirementHere
from watching.retirements_here import RetirementsHere
from watching.subject import WatchFailsError
from watching.watch import Watch, WatchDestination, WatchPace

pytestmark = pytest.mark.anyio

WATCH = Watch(
    tenant="home",
    name="ours",
    owner="Ada",
    destination=WatchDestination(to="feed"),
    pace=WatchPace.DAILY,
    scopes=("/subscriptions/1",),
)


def retirement(key: str = "lamps", due: str = "2027-03-31", *resources: str) -> RetirementHere:
    affected = {one.key: one for one in (Affected(f"/subscriptions/1/{name}") for name in resources)}
    return RetirementHere(key, f"The {key} retire", due, "Buy LEDs.", affected=affected)


@dataclass
class Watching:
    """Looks one after the other, each going on from what the last one left."""

    retiring: list[RetirementHere]
    failed: dict[str, str] = field(default_factory=dict)
    memory: bytes = b""

    async def assess(self, _scopes: Sequence[str]) -> Assessment:
        return Assessment([*self.retiring], [], set(ALL - self.failed.keys()), dict(self.failed))

    async def begun(self) -> Watching:
        self.memory = (await RetirementsHere(self.assess).begin(WATCH)).memory
        return self

    async def look(self, *retiring: RetirementHere, **failed: str) -> list[dict[str, Any]]:
        self.retiring, self.failed = list(retiring), failed
        found = await RetirementsHere(self.assess).look(WATCH, self.memory)
        assert found
        self.memory = found.memory
        return [dict(one.item.facts) for one in found.news]


async def test_a_resource_that_a_failed_source_did_not_name_is_neither_gone_nor_new_afterwards() -> None:
    watching = await Watching([retirement("lamps", "2027-03-31", "a", "b")]).begun()
    assert await watching.look(retirement("lamps", "2027-03-31", "a"), Advisor="away") == []
    assert await watching.look(retirement("lamps", "2027-03-31", "a", "b")) == []
    (told,) = await watching.look(retirement("lamps", "2027-03-31", "a"))
    assert told == {"What": "Changed", "No longer affects": "b"}


async def test_a_retirement_that_no_source_could_name_is_neither_gone_nor_new_afterwards() -> None:
    watching = await Watching([retirement("lamps", "2027-03-31", "a")]).begun()
    assert await watching.look(Advisor="away") == []
    assert await watching.look(retirement("lamps", "2027-03-31", "a")) == []
    (told,) = await watching.look()
    assert told["What"] == "No longer affects anything here"


async def test_what_is_new_is_told_also_while_a_source_is_away() -> None:
    watching = await Watching([]).begun()
    (told,) = await watching.look(retirement("lamps", "2027-03-31", *"abcdefghij"), Advisor="away")
    assert told["What"] == "Retires, and affects 10 resources here"
    assert told["Resources"] == "a, b, c, d, e, f, g, h and 2 more"


async def test_a_date_that_nobody_told_before_is_told() -> None:
    watching = await Watching([retirement("lamps", "", "a")]).begun()
    (told,) = await watching.look(retirement("lamps", "2027-03-31", "a"))
    assert told == {"What": "Changed", "Date": "unknown → 2027-03-31"}


async def test_where_no_source_answers_the_watch_fails_and_forgets_nothing() -> None:
    watching = await Watching([retirement("lamps", "2027-03-31", "a")]).begun()
    with pytest.raises(WatchFailsError, match="not permitted"):
        await watching.look(**dict.fromkeys(ALL, "not permitted"))
    assert await watching.look(retirement("lamps", "2027-03-31", "a")) == []
