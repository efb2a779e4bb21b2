"""What people do with boards and sprints, on a service that remembers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given


async def titles(caller: Caller, **filters: Any) -> list[str]:
    return [item["title"] for item in (await given(caller, "get_board_items", board="Stories", **filters))["items"]]


@pytest.fixture
def cards(azure_devops: FakeAzureDevOps) -> list[int]:
    """Three cards in the kitchen and one in the hall, and something that is no card."""
    add = azure_devops.work_items.add
    numbers = [add("Web", "Bug", title, AreaPath="Web\\Kitchen\\Oven") for title in ("smoke", "soot", "ash")]
    add("Web", "Task", "sweep", AreaPath="Web\\Kitchen")
    return [*numbers, add("Web", "User Story", "carpet", AreaPath="Web\\Hall")]


async def test_a_card_is_moved_over_a_board_with_a_swimlane(caller: Caller, cards: list[int]) -> None:
    [board] = (await given(caller, "get_boards"))["items"]
    columns = (await given(caller, "get_board_columns", board=board["id"]))["items"]
    assert [(column["name"], column["split"]) for column in columns] == [("New", 0), ("Baking", 1), ("Eaten", 0)]
    lanes = (await given(caller, "get_board_swimlanes", board="Stories"))["items"]
    assert [lane.get("name") for lane in lanes] == [None, "Fast"]

    first = cards[0]
    moved = await given(caller, "move_board_card", id=first, board="stories", column="baking", swimlane="fast")
    assert (moved["column"], moved["swimlane"], moved["state"], moved["done"]) == ("Baking", "Fast", "Active", False)
    assert await titles(caller, column="Baking", swimlane="Fast") == ["smoke"]
    assert await titles(caller, column="Baking", swimlane="") == []

    await given(caller, "move_board_card", id=first, board="Stories", column="Baking", swimlane="", done=True)
    [card] = (await given(caller, "get_board_items", board="Stories", column="Baking"))["items"]
    assert (card["done"], card.get("swimlane", "")) == (True, "")
    await given(caller, "move_board_card", id=first, board="Stories", column="Eaten")
    assert (await given(caller, "get_work_item", id=first))["state"] == "Closed"


async def test_a_board_has_what_its_team_has(caller: Caller, cards: list[int], azure_devops: FakeAzureDevOps) -> None:
    azure_devops.work_items.add("Shop floor", "Bug", "elsewhere")
    azure_devops.work_items.add("Web", "Bug", "next door", AreaPath="Web\\Kitchenette")
    assert sorted(await titles(caller)) == ["ash", "carpet", "next door", "smoke", "soot"]
    assert sorted(await titles(caller, team="Night shift")) == ["ash", "smoke", "soot"]
    cut = await given(caller, "get_board_items", board="Stories", team="Night shift", maxResults=2)
    assert (cut["count"], "more" in cut) == (2, True)


async def test_a_board_is_shown_without_what_is_done(
    caller: Caller, cards: list[int], azure_devops: FakeAzureDevOps
) -> None:
    await given(caller, "move_board_card", id=cards[0], board="Stories", column="Eaten")
    assert sorted(await titles(caller, states=["not done"])) == ["ash", "carpet", "soot"]
    assert await titles(caller, states=["closed"]) == ["smoke"]


async def test_the_boards_of_two_teams_have_their_own_places(caller: Caller, cards: list[int]) -> None:
    arguments = {"id": cards[0], "board": "Stories", "column": "Baking", "swimlane": "Fast"}
    await given(caller, "move_board_card", team="Night shift", **arguments)
    assert await titles(caller, swimlane="Fast") == []
    assert await titles(caller, swimlane="Fast", team="Night shift") == ["smoke"]
    assert await titles(caller, column="Baking") == ["smoke"], "the state is the same on all boards"


@pytest.mark.parametrize(
    ("position", "order"), [(0, "ash smoke soot"), (1, "smoke ash soot"), (2, "smoke soot ash"), (9, "smoke soot ash")]
)
async def test_a_card_gets_to_its_place_in_a_column(
    position: int, order: str, caller: Caller, cards: list[int], azure_devops: FakeAzureDevOps
) -> None:
    where = {"board": "Stories", "column": "Baking", "team": "Night shift"}
    for number in cards[:2]:
        await given(caller, "move_board_card", id=number, position=9, **where)
    await given(caller, "move_board_card", id=cards[2], position=position, **where)
    assert await titles(caller, column="Baking", team="Night shift") == order.split()


async def test_a_card_changes_its_place_within_a_column(caller: Caller, cards: list[int]) -> None:
    where = {"board": "Stories", "column": "New", "team": "Night shift"}
    assert await titles(caller, column="New", team="Night shift") == ["ash", "soot", "smoke"]
    await given(caller, "move_board_card", id=cards[2], position=1, **where)
    assert await titles(caller, column="New", team="Night shift") == ["soot", "ash", "smoke"]


async def test_a_card_that_cannot_be_ranked_stays_where_it_is(
    caller: Caller, cards: list[int], azure_devops: FakeAzureDevOps
) -> None:
    """A card of the hall is on no board of the team whose column it is to be ranked in."""
    where = {"board": "Stories", "column": "Baking", "team": "Night shift"}
    await given(caller, "move_board_card", id=cards[0], **where)
    assert "TF400486" in await caller.told("move_board_card", id=cards[3], position=0, **where)
    assert (await given(caller, "get_work_item", id=cards[3]))["state"] == "New"


async def test_what_a_board_does_not_have_is_refused_with_what_it_has(caller: Caller, cards: list[int]) -> None:
    move = {"id": cards[0], "board": "Stories"}
    assert "New, Baking, Eaten" in await caller.told("move_board_card", column="Doing", **move)
    assert "Fast" in await caller.told("move_board_card", column="New", swimlane="Slow", **move)
    assert "This board does not show the type Task. Its types:" in await caller.told(
        "move_board_card", id=cards[2] + 1, board="Stories", column="New"
    )
    assert "BoardDoesNotExistException" in await caller.told("get_board_items", board="Epics")


async def test_the_fields_of_all_boards_together_cannot_be_written(caller: Caller, cards: list[int]) -> None:
    fields = {"System.BoardColumn": "Baking"}
    assert "TF26194" in await caller.told("update_work_item", id=cards[0], additionalFields=fields)


async def test_a_sprint_is_looked_at(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    sprint = (await given(caller, "get_current_iteration"))["id"]
    story = azure_devops.work_items.add("Web", "User Story", "Bake bread", IterationPath="Web\\Sprint 2")
    task = (await given(caller, "create_work_item", type="Task", title="Knead", parentId=story))["id"]
    await given(caller, "update_work_item", id=task, iterationPath="Web\\Sprint 2")
    items = (await given(caller, "list_iteration_items", iterationId=sprint))["items"]
    assert [(item["title"], item.get("parent")) for item in items] == [("Bake bread", None), ("Knead", story)]
    [backlog] = (await given(caller, "list_backlogs"))["items"]
    assert backlog["types"] == ["User Story", "Bug"]
    listed = await given(caller, "list_backlog_items", backlogId=backlog["id"])
    assert [item["id"] for item in listed["items"]] == [story]
    capacity = await given(caller, "get_team_capacity", iterationId=sprint, team="Night shift")
    assert (capacity["perDay"], len(capacity["daysOff"])) == (6, 1)
    assert capacity["members"][0]["member"] == "Ada Byron <ada.byron@example.com>"
