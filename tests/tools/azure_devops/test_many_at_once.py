"""What people do to many work items in one call: each is changed or refused by itself, and nothing of that is lost."""

from __future__ import annotations

import asyncio
import json
from math import inf
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.azure_devops import troubles
from tests.fakes.azure_devops.routes import TroubleError
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.sweeps import examples
from tests.tools.azure_devops.given import given as done
from tools.azure_devops.work_items.batches import AT_ONCE, Batch, ItemChange

ITEM = {"id": 7, "rev": 1, "fields": {"System.TeamProject": "Web", "System.WorkItemType": "Task"}}
RENAME = [{"op": "add", "path": "/fields/System.Title", "value": "x"}]
LONG = "<p>Whoever comes back after an <b>hour</b> finds the basket empty.</p>" * 60


def states(azure_devops: FakeAzureDevOps) -> list[str]:
    return [revisions[-1]["fields"]["System.State"] for revisions in azure_devops.work_items.revisions.values()]


async def test_several_work_items_are_changed_alike_in_one_call(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    ids = [azure_devops.work_items.add("Web", kind, "Bake", Description=LONG) for kind in ("Task", "Bug", "Epic")]
    told = await done(caller, "update_work_item", id=[*ids, ids[0]], state="closed", tags=["a"])
    assert [item["id"] for item in told["items"]] == ids
    assert all(
        item["changed"] == {"state": {"from": "New", "to": "Closed"}, "tags": {"to": "a"}} and item["rev"] == 2
        for item in told["items"]
    )
    assert (told["count"], "refused" in told) == (3, False)
    assert states(azure_devops) == ["Closed"] * 3


async def test_two_hundred_are_changed_and_more_are_refused(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    ids = [azure_devops.work_items.add("Web", "Task", f"Bake {number}") for number in range(201)]
    assert "200" in await caller.told("update_work_item", id=ids, state="Active")
    assert set(states(azure_devops)) == {"New"}
    told = await done(caller, "update_work_item", id=ids[:200], state="Active")
    assert [item["id"] for item in told["items"]] == ids[:200]
    assert states(azure_devops) == ["Active"] * 200 + ["New"]
    assert sum(asked.method == "POST" for asked in azure_devops.asked) == 1


async def test_those_that_are_missing_or_refused_are_told_with_why(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    add = azure_devops.work_items.add
    task, case = add("Web", "Task", "Bake"), add("Web", "Test Case", "Taste")
    told = await done(caller, "update_work_item", id=[999, task, case, 10**30], state="Active")
    assert [item["id"] for item in told["items"]] == [task]
    assert [group["ids"] for group in told["refused"]] == [[999, 10**30], [case]]
    assert "query_work_items" in told["refused"][0]["why"]
    assert "TF401320" in told["refused"][1]["why"]
    assert told["states"] == ["States of type Test Case: Design, Ready, Closed."]
    assert states(azure_devops) == ["Active", "Design"]


async def test_where_none_is_changed_the_call_is_refused_with_why(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    case = azure_devops.work_items.add("Web", "Test Case", "Taste")
    told = await caller.told("update_work_item", id=[case, 99], state="Active")
    assert "No work item is known to have changed." in told
    assert f"{case}: " in told
    assert "99: Not found" in told
    assert "Design, Ready, Closed" in told


async def test_what_no_work_item_can_have_is_refused_before_any_is_changed(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    ids = [azure_devops.work_items.add("Web", "Task", "Bake") for _ in range(2)]
    assert "Field 'a/b' is not valid" in await caller.told(
        "update_work_item", id=ids, additionalFields={"a/b": 1}, state="Active"
    )
    azure_devops.iterations.by_team("Web", "Night shift").clear()
    wanted = {"state": "Active", "iterationPath": "next of Night shift"}
    assert "no next iteration" in await caller.told("update_work_item", id=ids, **wanted)
    assert "for each work item (2), but has 1." in await caller.told("update_work_item", id=ids, title="x", rev=1)
    assert "Nothing to change" in await caller.told("update_work_item", id=ids)
    assert not [asked for asked in azure_devops.asked if asked.method == "PATCH" and "Active" in str(asked.content)]


async def test_after_a_failure_that_befalls_all_the_rest_is_not_tried(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    ids = [azure_devops.work_items.add("Web", "Task", "Bake") for _ in range(60)]

    def breaks(_: Any, after: Any) -> None:
        if after["id"] >= 20:
            azure_devops.troubles.extend([troubles.stopped] * 60)
            raise TroubleError(503, "ServiceUnavailable", "TF24668: The collection is stopped.")

    azure_devops.work_items.rules.append(breaks)
    told = await done(caller, "update_work_item", id=ids, state="Active")
    changed = [item["id"] for item in told["items"]]
    refused = [number for group in told["refused"] for number in group["ids"]]
    assert sorted(changed + refused) == ids
    assert [number for number, state in zip(ids, states(azure_devops), strict=True) if state == "Active"] == changed
    assert "Not tried, because" in told["refused"][-1]["why"]
    sent = [asked for asked in azure_devops.asked if asked.method == "PATCH"]
    assert len(sent) < 40, "whoever is away is not asked for each of them"


async def test_what_could_not_be_begun_in_time_is_told() -> None:
    nobody: Any = None
    batch = Batch(nobody, [ItemChange(ITEM, RENAME)], -inf)
    await batch.run()
    [group] = batch.refused_among([7])
    assert (batch.changed, group["ids"]) == ({}, [7])
    assert "took too long" in group["why"]


async def test_two_who_change_the_same_work_items_are_told_what_they_did(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    number = azure_devops.work_items.add("Web", "Task", "Bake")

    def meanwhile(before: Any, after: Any) -> None:
        """Somebody else is faster, with another field."""
        azure_devops.work_items.rules.clear()
        after["fields"]["System.Title"] = "Bake more"
        after["rev"] += 1

    azure_devops.work_items.rules.append(meanwhile)
    told = await done(caller, "update_work_item", id=number, state="Active")
    assert told["changed"] == {"title": {"to": "Bake more"}, "state": {"to": "Active"}}, "what it was is not known"


async def test_a_text_of_many_is_edited_at_the_revision_at_which_it_was_read(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    add = azure_devops.work_items.add
    ids = {add("Web", "Task", "Bake", Description="<p>a</p>"), add("Web", "Task", "Bake", Description="<p>b</p>")}

    def meanwhile(before: Any, _: Any) -> None:
        """Somebody changes the other one."""
        azure_devops.work_items.rules.clear()
        [other] = ids - {before["id"]}
        revisions = azure_devops.work_items.revisions[other]
        revisions.append({**revisions[-1], "rev": 2})

    azure_devops.work_items.rules.append(meanwhile)
    told = await done(caller, "update_work_item", id=sorted(ids), description="c")
    [item], [group] = told["items"], told["refused"]
    assert item["changed"] == {"description": "changed"}
    assert ids - {item["id"]} == set(group["ids"])
    assert "VS403351" in group["why"]


async def test_each_text_of_many_stays_in_its_format(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    made = [
        await done(caller, "create_work_item", type="Task", title="Bake", description="*hot*", isMarkdown=kept)
        for kept in (True, False)
    ]
    ids = [item["id"] for item in made]
    await done(caller, "update_work_item", id=ids, description="- **new**")
    texts = [azure_devops.work_items.latest(number)["fields"]["System.Description"] for number in ids]
    assert texts == ["- **new**", "<ul><li><strong>new</strong></li></ul>"]


@pytest.mark.parametrize("several", [False, True])
async def test_no_long_text_comes_back_from_a_change(
    caller: Caller, azure_devops: FakeAzureDevOps, *, several: bool
) -> None:
    number = azure_devops.work_items.add("Web", "User Story", "Bake", Description=LONG)
    assert await size(caller, "get_work_item", id=number) > 700
    which = [number] if several else number
    assert await size(caller, "update_work_item", id=which, state="Active") < 70
    assert await size(caller, "update_work_item", id=which, description=LONG + "<p>More</p>") < 70
    note: dict[str, Any] = {"Custom.Note": "word " * 200, "Custom.Odd": ["x"] * 500}
    assert await size(caller, "update_work_item", id=which, additionalFields=note) < 70
    assert await size(caller, "create_work_item", type="Bug", title="Smoke", description=LONG) < 80
    assert await size(caller, "add_work_item_comment", id=number, text=LONG) < 60


async def size(caller: Caller, tool: str, **arguments: Any) -> float:
    """How many tokens an answer takes, at about four bytes for each."""
    return len(json.dumps(await done(caller, tool, **arguments)).encode()) / 4


@pytest.mark.parametrize("given_id", [[], [0], ["x"], "7,8", 0, -1, [[7]], 1.5, {"id": 7}])
async def test_what_is_no_id_is_refused(caller: Caller, azure_devops: FakeAzureDevOps, given_id: Any) -> None:
    assert "id" in await caller.told("update_work_item", id=given_id, title="x")
    assert not azure_devops.asked


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=st.lists(st.integers(1, 12), min_size=1, max_size=15), locked=st.sets(st.integers(1, 9)))
async def test_each_id_is_told_of_once(
    wanted: list[int], locked: set[int], caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    items = azure_devops.work_items
    items.revisions.clear()
    items.rules.clear()
    kinds = ["Task", "Test Case", "Bug"] * 3
    there = [items.add("Web", kind, "Bake") for kind in kinds]

    def refuse(before: Any, _: Any) -> None:
        if before["id"] in locked:
            raise TroubleError(403, "PermissionDeniedException", "TF237111: You do not have the permission.")

    items.rules.append(refuse)
    result = await caller.call("update_work_item", id=wanted, state="Active")
    changed = {number for number, state in zip(there, states(azure_devops), strict=True) if state == "Active"}
    possible = {number for number in there if kinds[number - 1] != "Test Case"} - locked
    assert changed == possible & set(wanted)
    assert result["isError"] is (not changed)
    if changed:
        told = result["structuredContent"]
        named = [item["id"] for item in told["items"]] + [n for group in told.get("refused", []) for n in group["ids"]]
        assert sorted(named) == sorted(set(wanted))
        assert {item["id"] for item in told["items"]} == changed


async def test_no_more_than_a_few_are_changed_at_once() -> None:
    under_way, most = set(), 0

    class Counting:
        async def json(self, request: Any) -> Any:
            nonlocal most
            under_way.add(request.values["id"])
            most = max(most, len(under_way))
            await asyncio.sleep(0)
            under_way.discard(request.values["id"])
            return {**ITEM, "id": request.values["id"], "rev": 2}

    service: Any = Counting()
    batch = Batch(service, [ItemChange({**ITEM, "id": number}, RENAME) for number in range(1, 101)])
    await batch.run()
    assert (len(batch.changed), most) == (100, AT_ONCE)


async def test_whoever_knows_only_what_is_listed_to_all_changes_many(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    ids = [azure_devops.work_items.add("Web", "Task", "Bake") for _ in range(3)]
    wanted = {"id": [*ids, 99], "state": "Closed", "iterationPath": "current"}
    told = await done(
        Caller(caller.endpoint), "azure_change", tool="devops-work-items", command="update_work_item", parameters=wanted
    )
    assert "99" in json.dumps(told)
    assert states(azure_devops) == ["Closed"] * 3


def tags(azure_devops: FakeAzureDevOps, number: int) -> str:
    found: str = azure_devops.work_items.revisions[number][-1]["fields"].get("System.Tags", "")
    return found


async def test_tags_come_and_go_beside_those_that_each_has(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    add = azure_devops.work_items.add
    ids = [add("Web", "Task", "Bake", Tags=text) for text in ("oven; late", "late", "Sprint; night")]
    told = await done(caller, "update_work_item", id=ids, addTags=["sprint"], removeTags=["LATE"])
    assert [tags(azure_devops, number) for number in ids] == ["oven; sprint", "sprint", "Sprint; night"]
    assert told["items"][2] == {"id": ids[2], "rev": 1, "unchanged": True}


@pytest.mark.parametrize("wrong", [{"tags": ["x"]}, {"removeTags": ["a;b"]}, {"removeTags": [" "]}])
async def test_tags_that_cannot_be_meant_are_refused(
    caller: Caller, azure_devops: FakeAzureDevOps, wrong: dict[str, Any]
) -> None:
    number = azure_devops.work_items.add("Web", "Task", "Bake", Tags="late")
    assert "Nothing was changed" in await caller.told("update_work_item", id=[number], addTags=["y"], **wrong)
    assert tags(azure_devops, number) == "late"


async def test_a_repeat_goes_on_with_what_is_missing(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    ids = [azure_devops.work_items.add("Web", "Task", f"Bake {number}") for number in range(5)]
    await done(caller, "update_work_item", id=ids[:3], state="Active")
    before = len(azure_devops.asked)
    told = await done(caller, "update_work_item", id=ids, state="Active")
    assert [item.get("unchanged") for item in told["items"]] == [True, True, True, None, None]
    assert sum(asked.method == "PATCH" for asked in azure_devops.asked[before:]) == 2


async def test_revisions_are_given_one_for_each(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    ids = [azure_devops.work_items.add("Web", "Task", "Bake") for _ in range(3)]
    assert "for each work item (3), but has 2." in await caller.told(
        "update_work_item", id=ids, state="Active", rev=[1, 1]
    )
    told = await done(caller, "update_work_item", id=ids, state="Active", rev=[1, 7, 1])
    assert [item["id"] for item in told["items"]] == [ids[0], ids[2]]
    assert [group["ids"] for group in told["refused"]] == [[ids[1]]]
    assert states(azure_devops) == ["Active", "New", "Active"]
