"""States: which are valid, which mean that something is done, and what is told of one that is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.azure_devops import troubles
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given

TASK = "States of type Task: New, Active, Closed, Removed."


@pytest.fixture
def open_ids(azure_devops: FakeAzureDevOps) -> set[int]:
    """Work items of several types in each of their states; gives those that are not done."""
    add = azure_devops.work_items.add
    done = [
        *(add("Web", "Task", "oven", State=state) for state in ("Closed", "Removed")),
        add("Web", "Request", "oven", State="Resolved"),
        add("Web", "Bug", "oven", State="Closed"),
    ]
    left = {
        add("Web", "Task", "oven", State="Active"),
        add("Web", "Bug", "oven", State="Resolved"),
        add("Web", "Request", "oven", State="Active"),
        add("Web", "User Story", "oven"),
    }
    assert not left & set(done)
    return left


@pytest.mark.parametrize(
    ("tool", "arguments"), [("query_work_items", {}), ("search_work_items", {"searchText": "oven"})]
)
async def test_what_is_not_done_is_found_whatever_its_states_are_called(
    tool: str, arguments: dict[str, Any], caller: Caller, open_ids: set[int]
) -> None:
    found = await given(caller, tool, states=["not done"], **arguments)
    assert {item["id"] for item in found["items"]} == open_ids
    more = await given(caller, tool, states=["Not-Done", " Removed "], **arguments)
    assert len(more["items"]) == len(open_ids) + 1


@pytest.mark.parametrize(("tool", "kind"), [("list_tasks", "Task"), ("list_bugs", "Bug"), ("list_user_stories", None)])
async def test_each_list_leaves_out_what_is_done(
    tool: str, kind: str | None, caller: Caller, open_ids: set[int]
) -> None:
    found = await given(caller, tool, states=["not done"])
    [item] = found["items"]
    assert item["id"] in open_ids
    assert item["type"] == (kind or "User Story")


async def test_the_valid_states_of_a_type_are_told_with_what_follows(caller: Caller) -> None:
    [task] = (await given(caller, "list_work_item_types", type="task"))["items"]
    assert task["states"] == {"New": "Proposed", "Active": "InProgress", "Closed": "Completed", "Removed": "Removed"}
    assert task["transitions"]["Removed"] == ["New"]
    every = await given(caller, "list_work_item_types")
    assert "Test Case" in [kind["name"] for kind in every["items"]]
    assert "Types: Epic, Feature," in await caller.told("list_work_item_types", type="Chore")


async def test_a_wrong_state_is_answered_with_the_valid_ones(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    task = azure_devops.work_items.add("Web", "Task", "Bake")
    told = await caller.told("update_work_item", id=task, state="Done")
    assert "TF401320" in told
    assert f"{TASK} Valid states after New: Active, Closed, Removed." in told
    await given(caller, "update_work_item", id=task, state="removed")
    assert "Valid states after Removed: New." in await caller.told("update_work_item", id=task, state="Closed")
    made = {"type": "Task", "title": "Bake", "additionalFields": {"System.State": "Done"}}
    assert TASK in await caller.told("create_work_item", **made)
    assert "list_work_item_types" in await caller.told("create_work_item", type="Chore", title="Bake")


async def test_a_refusal_of_something_else_says_nothing_of_states(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    task = azure_devops.work_items.add("Web", "Task", "Bake")
    assert "The states of" not in await caller.told("update_work_item", id=task, assignedTo="Nobody Here")
    azure_devops.troubles.append(troubles.forbidden)
    assert "The states of" not in await caller.told("update_work_item", id=task, state="Active")
