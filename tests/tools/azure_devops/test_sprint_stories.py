"""What people do to plan a sprint and to see how it goes, on a service that remembers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.azure_devops import troubles
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given

CREW = "Night shift"
POINTS, REMAINING = "Microsoft.VSTS.Scheduling.StoryPoints", "Microsoft.VSTS.Scheduling.RemainingWork"
FOURTH = {"name": "Sprint 4", "startDate": "2026-05-25", "finishDate": "2026-06-05"}


def put(azure_devops: FakeAzureDevOps, kind: str, title: str, **more: Any) -> int:
    number = azure_devops.work_items.add(
        "Web", kind, title, IterationPath="Web\\Sprint 2", State=more.pop("State", "New")
    )
    azure_devops.work_items.latest(number)["fields"] |= more
    return number


def ada(azure_devops: FakeAzureDevOps) -> Any:
    return azure_devops.people.reference("Ada Byron")


async def test_it_is_seen_how_much_of_a_sprint_is_left_and_whose(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    mine = {"System.AssignedTo": ada(azure_devops)}
    put(azure_devops, "User Story", "Bake bread", **{POINTS: 5, **mine}, State="Active")
    put(azure_devops, "User Story", "Bake cake", **{POINTS: 3})
    put(azure_devops, "Task", "Knead", **{REMAINING: 2.5, **mine})
    put(azure_devops, "Task", "Heat", **{REMAINING: 0}, State="Closed")
    seen = await given(caller, "list_iteration_items")
    assert seen["totals"] == {
        "items": 4,
        "points": 8,
        "remainingWork": 2.5,
        "states": {"Active": 1, "New": 2, "Closed": 1},
        "people": [
            {"who": "Ada Byron <ada.byron@example.com>", "items": 2, "points": 5, "remainingWork": 2.5},
            {"who": "nobody", "items": 2, "points": 3, "remainingWork": 0},
        ],
    }
    assert [(item["title"], item.get("points"), item.get("remainingWork")) for item in seen["items"]] == [
        ("Bake bread", 5, None),
        ("Bake cake", 3, None),
        ("Knead", None, 2.5),
        ("Heat", None, 0),
    ]
    left = await given(caller, "list_iteration_items", states=["not done"], maxResults=1)
    assert (left["count"], left["totals"]["items"], "more" in left) == (1, 3, True)
    full = await given(caller, "list_iteration_items", iterationId="sprint 2", detail="full")
    assert full["items"][2]["fields"][REMAINING] == 2.5
    assert (await given(caller, "list_iteration_items", iterationId="next"))["totals"] == {"items": 0}


async def test_the_sprint_of_another_team_is_seen_by_its_own_name_for_it(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    azure_devops.iterations.of("Web")
    add = azure_devops.iterations.add
    azure_devops.iterations.by_team("Web", CREW)[:] = [add("Web", ("Crew", "Now"), "2026-05-04", "2026-05-08")]
    number = azure_devops.work_items.add("Web", "Task", "Knead", IterationPath="Web\\Crew\\Now")
    for whose in ({"iterationId": f"current of {CREW}"}, {"team": CREW}, {"team": CREW, "iterationId": "NOW"}):
        seen = await given(caller, "list_iteration_items", **whose)
        assert [item["id"] for item in seen["items"]] == [number]
        assert (await given(caller, "get_team_capacity", **whose))["perDay"] == 6
    assert (await given(caller, "list_iteration_items"))["items"] == []


async def test_totals_are_of_all_items_and_not_only_of_those_shown(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    for number in range(250):
        put(azure_devops, "Task", f"Knead {number}", **{REMAINING: 0.1})
    seen = await given(caller, "list_iteration_items", maxResults=2)
    assert (seen["count"], seen["totals"]["items"], seen["totals"]["remainingWork"]) == (2, 250, 25.0)


async def test_a_sprint_is_made_and_a_team_works_by_it(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    made = await given(caller, "create_iteration", **FOURTH, team=CREW)
    assert (made["path"], made["team"]) == ("Web\\Sprint 4", CREW)
    listed = await given(caller, "list_iterations", team=CREW, timeframe="future")
    assert [entry["name"] for entry in listed["items"]] == ["Sprint 3", "Sprint 4"]
    assert listed["items"][1]["start"] == "2026-05-25T00:00:00Z"
    own = await given(caller, "list_iterations", timeframe="future")
    assert [entry["name"] for entry in own["items"]] == ["Sprint 3"], "the other team has not asked for it"
    joined = await given(caller, "add_iteration_to_team", iteration=made["path"], team="Web Team")
    assert joined["id"] == made["id"]
    assert (await given(caller, "list_iterations", timeframe="future"))["count"] == 2
    below = await given(caller, "create_iteration", name="Week 1", parent="/web/sprint 4/")
    assert below["path"] == "Web\\Sprint 4\\Week 1"
    task = await given(caller, "create_work_item", type="Task", title="Knead", iterationPath=below["path"])
    assert task["iterationPath"] == below["path"]


async def test_a_sprint_that_is_there_or_cannot_be_is_not_made(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    before = list(azure_devops.iterations.of("Web"))
    told = await caller.told("create_iteration", name="sprint 3 ", startDate="2026-05-11", finishDate="2026-05-22")
    assert "Web\\Sprint 3 already exists, from 2026-05-11 to 2026-05-22. add_iteration_to_team" in told
    assert "Iterations: Web, Web\\Sprint 1" in await caller.told("create_iteration", name="x", parent="Nowhere")
    assert "list_teams" in await caller.told("create_iteration", **FOURTH, team="Nobody")
    assert "TF50309" in await caller.told("create_iteration", name="a/b")
    for wrong in ("soon", "0", "1777852800", "2026-02-30", "2026-05-04T08:00"):
        dates = {"startDate": wrong, "finishDate": "2026-05-22"}
        assert "is not a day" in await caller.told("create_iteration", name="x", **dates)
    assert azure_devops.iterations.of("Web") == before


async def test_a_sprint_that_no_team_got_is_told_of_as_made(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    azure_devops.iterations.afterwards.append(lambda: azure_devops.troubles.append(troubles.forbidden))
    told = await given(caller, "create_iteration", **FOURTH, team=CREW)
    assert told["path"] == "Web\\Sprint 4"
    assert "TF401027" in told["notAdded"]
    assert "add_iteration_to_team" in told["notAdded"]
    await given(caller, "add_iteration_to_team", iteration=told["id"], team=CREW)


async def test_the_hours_and_days_off_of_a_member_are_set(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    me = {"member": "@me", "team": CREW, "iterationId": "next"}
    told = await given(caller, "set_team_capacity", **me, hoursPerDay=4)
    assert told["activities"] == [{"capacityPerDay": 4, "name": "Baking"}]
    await given(caller, "set_team_capacity", **me, hoursPerDay=2.5, activity="Tasting")
    off = ["2026-05-11", "2026-05-14/2026-05-15"]
    told = await given(caller, "set_team_capacity", **me, daysOff=off)
    assert told["activities"] == [{"capacityPerDay": 4, "name": "Baking"}, {"capacityPerDay": 2.5, "name": "Tasting"}]
    assert "Baking, Tasting" in await caller.told("set_team_capacity", **me, hoursPerDay=1)
    other = {"member": "grace.brewster@example.com", "team": CREW, "iterationId": "Web\\Sprint 3"}
    await given(caller, "set_team_capacity", **other, hoursPerDay=8, activity="Baking")
    seen = await given(caller, "get_team_capacity", team=CREW, iterationId="next")
    assert seen["perDay"] == 14.5
    assert [(entry["start"][:10], entry["end"][:10]) for entry in seen["members"][0]["daysOff"]] == [
        ("2026-05-11", "2026-05-11"),
        ("2026-05-14", "2026-05-15"),
    ]
    await given(caller, "set_team_capacity", **me, daysOff=[])
    assert "daysOff" not in (await given(caller, "get_team_capacity", team=CREW, iterationId="next"))["members"][0]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"hoursPerDay": 25}, "hoursPerDay"),
        ({"hoursPerDay": -1}, "hoursPerDay"),
        ({"daysOff": ["tomorrow"]}, "not a day"),
        ({"daysOff": ["2026-05-15/2026-05-14"]}, "ends before it begins"),
        ({"daysOff": ["2026-05-15/"]}, ""),
        ({}, "Nothing to change"),
        ({"hoursPerDay": 1, "member": "Nobody"}, "search_users"),
        ({"hoursPerDay": 1, "iterationId": "Sprint 9"}, "Its iterations: Web\\Sprint 1 (past)"),
    ],
)
async def test_a_capacity_that_cannot_be_is_refused(
    wrong: dict[str, Any], told: str, caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    result = await caller.call("set_team_capacity", **{"member": "Ada Byron", **wrong})
    assert result["isError"] is bool(told)
    assert told in result["content"][0]["text"]
    assert bool(told) is not any(asked.method == "PATCH" for asked in azure_devops.asked)
