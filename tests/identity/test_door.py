"""The door: how often callers may come in, and what it tells those who may not use a tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from identity.access import Access
from identity.caller import ANONYMOUS, Agent, Caller, CallerKind
from identity.door import OPEN_DOOR, Door, Needed
from identity.grants import NO_GRANTS
from identity.limits import AddressLimit, RateLimit, TooManyRequests
from tests.identity.clock import Clock

pytestmark = pytest.mark.anyio

ADA = Caller(CallerKind.USER, "home", "ada", "desk")
GRACE = replace(ADA, subject="grace")
AGENT = Agent("night")


@dataclass
class ByName:
    """Signs in the caller of this name."""

    callers: Mapping[str, Caller]

    async def caller(self, headers: Mapping[str, str], /) -> Caller:
        return self.callers[headers["name"]]


def door_for(callers: Mapping[str, Caller], per_caller: int = 0, **limits: Any) -> Door:
    unlimited = AddressLimit(0)
    own = RateLimit("caller", per_caller, Clock())
    return Door(ByName(callers), lambda _: NO_GRANTS, lambda *_: Needed(), unlimited, own, **limits)


async def test_each_person_is_counted_in_all_of_their_clients_together() -> None:
    phone = replace(ADA, client="phone")
    door = door_for({"desk": ADA, "phone": phone, "grace": GRACE}, per_caller=2)
    assert [await door.enter({"name": name}) for name in ("desk", "phone", "grace")] == [ADA, phone, GRACE]
    with pytest.raises(TooManyRequests, match="this caller"):
        await door.enter({"name": "desk"})
    await door.enter({"name": "grace"})


async def test_an_agent_is_counted_for_each_person_and_for_all_of_them_together() -> None:
    callers = {person.subject: replace(person, agent=AGENT) for person in (ADA, GRACE)}
    door = door_for({**callers, "person": ADA}, per_caller=2, per_agent=RateLimit("agent", 3, Clock()))
    for name in ("ada", "ada", "grace"):
        await door.enter({"name": name})
    with pytest.raises(TooManyRequests, match="this agent"):
        await door.enter({"name": "grace"})
    with pytest.raises(TooManyRequests, match="this caller"):
        await door.enter({"name": "ada"})
    await door.enter({"name": "person"})


def test_the_changes_of_an_agent_are_counted_and_those_of_people_are_not() -> None:
    door = door_for({}, changes_per_agent=RateLimit("agent", 2, Clock(), daily="changes"))
    for person in (ADA, GRACE):
        door.count_change(replace(person, agent=AGENT))
    with pytest.raises(TooManyRequests, match="Too many changes from this agent"):
        door.count_change(replace(ADA, agent=AGENT))
    door.count_change(replace(ADA, agent=Agent("day")))
    for _ in range(3):
        door.count_change(ADA)


def test_addresses_are_counted() -> None:
    door = replace(door_for({}), per_address=AddressLimit(1, Clock()))
    door.count("192.0.2.1")
    door.count("192.0.2.2")
    with pytest.raises(TooManyRequests, match="this address"):
        door.count("192.0.2.1")


@pytest.mark.parametrize("caller", [ANONYMOUS, ADA, replace(ADA, agent=AGENT)])
def test_without_numbers_nobody_is_limited(caller: Caller) -> None:
    assert OPEN_DOOR.limits_of(caller) == {}
    for _ in range(3):
        OPEN_DOOR.count("192.0.2.1")
        OPEN_DOOR.count_caller(caller)
        OPEN_DOOR.count_change(caller)


def test_the_limits_of_a_caller_are_those_that_have_a_number() -> None:
    door = door_for({}, per_caller=60, per_agent=RateLimit("agent", 7))
    assert door.limits_of(ADA) == {"requests_a_minute": 60}
    both = {"requests_a_minute": 60, "requests_a_minute_of_the_agent": 7}
    assert door.limits_of(replace(ADA, agent=AGENT)) == both
    daily = replace(door, changes_per_agent=RateLimit("agent", 5, daily="changes"))
    assert daily.limits_of(replace(ADA, agent=AGENT)) == {**both, "changes_a_day_of_the_agent": 5}


@pytest.mark.parametrize(
    ("needed", "required", "scope"),
    [
        (Needed(), "", ()),
        (Needed(roles=("Dev",)), " Required: the role Dev.", ()),
        (
            Needed(("api://app/notes", "api://app/all"), ("Dev", "Admin")),
            " Required: the scope api://app/notes or the scope api://app/all or the role Dev or the role Admin.",
            ("api://app/notes",),
        ),
    ],
)
def test_a_denial_names_all_that_would_do_and_asks_for_the_least_scope(
    needed: Needed, required: str, scope: tuple[str, ...]
) -> None:
    door = replace(door_for({}), needed=lambda *tool: {("notes", "write_note", Access.WRITE): needed}[tool])
    denial = door.denial_of("notes", "write_note", Access.WRITE)
    assert denial.description == f"You do not have write access to notes.{required}"
    assert (denial.status, denial.error, denial.scopes) == (403, "insufficient_scope", scope)


@pytest.mark.parametrize(
    ("caller", "scopes", "is_asked"),
    [
        (ADA, ("api://app/notes",), True),
        (ADA, (), False),
        (replace(ADA, agent=AGENT), ("api://app/notes",), False),
        (replace(ADA, kind=CallerKind.APP), ("api://app/notes",), False),
        (ANONYMOUS, ("api://app/notes",), False),
    ],
)
def test_only_people_are_asked_for_a_scope(caller: Caller, scopes: tuple[str, ...], *, is_asked: bool) -> None:
    door = replace(door_for({}), needed=lambda *_: Needed(scopes))
    denial = door.askable(caller, "notes", "write_note", Access.WRITE)
    assert (denial.scopes if denial else None) == (scopes if is_asked else None)
