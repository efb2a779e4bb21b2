"""Whoever speaks of the current, the next or the previous iteration needs no list of iterations before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import calling
from tests.tools.azure_devops.given import given

CREW = "Night shift"
WORDS = {"previous": "Web\\Sprint 1", "current": "Web\\Sprint 2", "next": "Web\\Sprint 3"}
MEANT = [(word, path) for name, path in WORDS.items() for word in (name, name.title(), f"@{name}", f" {name} ")]


@pytest.fixture
def crew(azure_devops: FakeAzureDevOps) -> None:
    """A team with iterations of its own: two, one of which is now."""
    azure_devops.iterations.of("Web")
    mine = azure_devops.iterations.by_team("Web", CREW)
    add = azure_devops.iterations.add
    mine[:] = [
        add("Web", ("Crew", "Later"), "2026-05-18", "2026-05-29"),
        add("Web", ("Crew", "Then"), "2026-05-11", "2026-05-15"),
        add("Web", ("Crew", "Now"), "2026-05-04", "2026-05-08"),
        add("Web", ("Crew", "Undated")),
    ]


def stored(azure_devops: FakeAzureDevOps, number: int) -> Any:
    return azure_devops.work_items.latest(number)["fields"]["System.IterationPath"]


@pytest.mark.parametrize(("word", "path"), MEANT)
async def test_a_work_item_is_put_into_the_iteration_that_is_meant(
    word: str, path: str, caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    made = await given(caller, "create_work_item", type="Task", title="Bake", iterationPath=word)
    assert (stored(azure_devops, made["id"]), made["iterationPath"]) == (path, path)
    other = azure_devops.work_items.add("Web", "Task", "Wait")
    told = await given(caller, "update_work_item", id=other, iterationPath=word)
    assert told["changed"] == {"iterationPath": {"from": "Web", "to": path}}
    found = await given(caller, "query_work_items", iterationPath=word)
    assert [item["id"] for item in found["items"]] == [other, made["id"]]


@pytest.mark.usefixtures("crew")
@pytest.mark.parametrize(("word", "path"), [("current", "Web\\Crew\\Now"), ("Next", "Web\\Crew\\Then")])
async def test_each_team_has_iterations_of_its_own(
    word: str, path: str, caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    made = await given(caller, "create_work_item", type="Task", title="Bake", iterationPath=f"{word} of {CREW}")
    assert stored(azure_devops, made["id"]) == path
    listed = await given(caller, "list_tasks", iterationPath=f"{word} of {CREW}")
    assert [item["id"] for item in listed["items"]] == [made["id"]]
    assert (await given(caller, "list_tasks", iterationPath=word))["items"] == []
    told = await caller.told("query_work_items", iterationPath=f"previous of {CREW}")
    assert "no previous iteration" in told
    assert "Web\\Crew\\Now (current)" in told
    assert "list_teams" in await caller.told("query_work_items", iterationPath="next of Nobody")


async def test_work_items_of_several_projects_get_each_the_iteration_of_their_own(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    ids = [azure_devops.work_items.add(project, "Task", "Bake") for project in ("Web", "Shop floor")]
    await given(caller, "update_work_item", id=ids, iterationPath="next")
    assert [stored(azure_devops, number) for number in ids] == ["Web\\Sprint 3", "Shop floor\\Sprint 3"]


async def test_a_path_is_taken_as_it_is(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    for path in ("Web\\Sprint 1", "next of kin\\Sprint 1", "Web\\next"):
        made = await given(caller, "create_work_item", type="Task", title="Bake", iterationPath=path)
        assert stored(azure_devops, made["id"]) == path
    assert not [asked for asked in azure_devops.asked if "teamsettings" in asked.path]


async def test_whose_iteration_is_meant_has_to_be_known(transport: Elsewhere) -> None:
    async with calling(transport) as caller:
        assert "list_projects" in await caller.told("query_work_items", iterationPath="current")
        assert "list_projects" in await caller.told("query_work_items", states=["not done"])


async def test_a_test_plan_is_made_for_the_next_iteration(caller: Caller) -> None:
    plan = await given(caller, "create_test_plan", name="Spring", iterationPath="next")
    assert plan["iteration"] == "Web\\Sprint 3"
