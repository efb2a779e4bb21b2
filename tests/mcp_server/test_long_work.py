"""Long work is a task to clients that declare the extension, and an id with the next call to all others."""

from __future__ import annotations

import json

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY

from mcp_server.calls.long_work import EXTENSION
from mcp_server.http import rest
from mcp_server.http.requested_tool import method_of
from mcp_server.protocol.extensions import APPS
from tests.mcp_server.caller import LEGACY, Caller, Json, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.long_work import QUESTION, Site, begun, elsewhere, text_of
from tests.mcp_server.records import Records


async def test_a_client_that_declares_tasks_is_given_one_with_all_its_fields(site: Site) -> None:
    told = await site.client().call("copy_archive", pages=7)
    assert told.pop("_meta")
    assert told.pop("taskId")
    at = "2027-01-15T08:00:00.000Z"
    assert told == {
        "resultType": "task",
        "status": "working",
        "createdAt": at,
        "lastUpdatedAt": at,
        "ttlMs": None,
        "pollIntervalMs": 2000,
    }


async def test_any_other_client_is_given_the_id_and_the_next_call(site: Site) -> None:
    for client in (site.client().undeclared().caller, Caller(site.endpoint, "all", era=LEGACY)):
        told = (await client.call("copy_archive", pages=7))["structuredContent"]
        assert told["next"] == {"call": "get_task", "arguments": {"id": told["task"]}}
        assert (told["state"], told["look_again_in_seconds"]) == ("working", 2)


async def test_an_older_version_cannot_declare_tasks(site: Site) -> None:
    caller = Caller(site.endpoint, "all", era=LEGACY)
    meta: Json = {CLIENT_CAPABILITIES_META_KEY: {"extensions": {EXTENSION: {}}}}
    called = {"name": "copy_archive", "arguments": {"pages": 7}, "_meta": meta}
    told = await caller.result("tools/call", called)
    assert "taskId" not in told
    assert (await caller.error("tasks/get", {"taskId": told["structuredContent"]["task"]}))["code"] == -32021


async def test_through_azure_the_next_call_goes_through_azure_and_select_leaves_it_whole(site: Site) -> None:
    client = Caller(site.endpoint)
    wanted = {"tool": "archive", "command": "copy_archive", "parameters": {"pages": 7}, "select": "copied"}
    told = (await client.call("azure", **wanted))["structuredContent"]
    assert told["next"]["call"] == "azure"
    assert told["next"]["arguments"]["parameters"] == {"id": told["task"]}
    meta: Json = {CLIENT_CAPABILITIES_META_KEY: {"extensions": {EXTENSION: {}}}}
    declared = await client.result("tools/call", {"name": "azure", "arguments": wanted, "_meta": meta})
    assert declared["resultType"] == "task"


async def test_over_rest_it_is_an_id_whose_task_can_be_got(site: Site) -> None:
    async def given(tool: str, **arguments: Json) -> Json:
        body = json.dumps({"tool": tool, "arguments": arguments}).encode()
        return json.loads((await rest.execute(site.endpoint, post(body))).body)["result"]

    told = await given("copy_archive", pages=7)
    assert told["next"]["arguments"] == {"id": told["task"]}
    await site.queue.settled()
    assert (await given("get_task", id=told["task"]))["result"] == {"copied": 7}


async def test_both_kinds_of_clients_are_told_the_same_end(site: Site) -> None:
    client = site.client()
    task = await begun(client)
    await site.queue.settled()
    got = await client.get(task)
    assert (got["status"], got["resultType"]) == ("completed", "complete")
    assert got["result"]["structuredContent"] == {"copied": 7} == json.loads(text_of(got["result"]))
    assert got["ttlMs"] == 86_400_000
    told = (await client.undeclared().call("get_task", id=task))["structuredContent"]
    assert (told["state"], told["result"]) == ("completed", {"copied": 7})


async def test_what_is_under_way_says_when_to_look_again(site: Site) -> None:
    client = site.client()
    task = await begun(client)
    told = (await client.undeclared().call("get_task", id=task))["structuredContent"]
    assert told["state"] == "working"
    assert "ten minutes" in told["note"]
    assert told["next"] == {"call": "get_task", "arguments": {"id": task}}


async def test_work_that_cannot_be_done_ends_as_a_call_that_is_refused(site: Site) -> None:
    client = site.client()
    task = await begun(client, "copy_torn_page")
    await site.queue.settled()
    got = await client.get(task)
    assert (got["status"], got["result"]["isError"]) == ("completed", True)
    assert text_of(got["result"]) == "The page is torn. Mend it first."
    told = (await client.call("get_task", id=task))["structuredContent"]
    assert (told["state"], told["progress"]) == ("failed", "The page is torn. Mend it first.")


async def test_what_is_asked_later_is_only_begun_for_clients_that_can_answer(site: Site, records: Records) -> None:
    error = await site.client().undeclared().error("tools/call", {"name": "sort_archive", "arguments": {}})
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
    assert [record["outcome"] for record in records.all] == ["refused"]
    assert not await site.tasks.store.open_ones(10)


async def test_answers_may_come_one_by_one(site: Site) -> None:
    client = site.client()
    task = await begun(client, "sort_archive")
    await site.queue.settled()
    got = await client.get(task)
    assert (got["status"], got["inputRequests"]) == ("input_required", {"order": QUESTION, "color": QUESTION})
    answer = {"action": "accept", "content": {"by": "date"}}
    update = {"taskId": task, "inputResponses": {"order": answer, "unasked": {"x": 1}}}
    acknowledged = await client.result("tasks/update", update)
    assert set(acknowledged) == {"resultType", "_meta"}
    assert list((await client.get(task))["inputRequests"]) == ["color"]
    await client.result("tasks/update", {"taskId": task, "inputResponses": {"color": answer, "order": None}})
    await site.queue.settled()
    assert (await client.get(task))["result"]["structuredContent"] == {"order": {"by": "date"}, "color": {"by": "date"}}


@pytest.mark.parametrize(
    "responses",
    [
        {"order": "yes"},
        {"order": {"action": "perhaps"}},
        {"order": None},
        {f"name {number}": {} for number in range(501)},
        {"order": {"action": "accept", "content": {"by": [[0] * 11_000]}}},
        {"order": {"action": "accept", "content": {"by": "x" * 200_000}}},
    ],
)
async def test_answers_that_are_none_are_refused_and_lose_nothing(site: Site, responses: Json) -> None:
    client = site.client()
    task = await begun(client, "sort_archive")
    await site.queue.settled()
    error = await client.error("tasks/update", {"taskId": task, "inputResponses": responses})
    assert error["code"] == -32602
    assert "xxxx" not in json.dumps(error)
    assert list((await client.get(task))["inputRequests"]) == ["order", "color"]


async def test_a_task_that_ended_stays_as_it_is(site: Site) -> None:
    client = site.client()
    task = await begun(client)
    await site.queue.settled()
    for method, more in (("tasks/cancel", {}), ("tasks/update", {"inputResponses": {"order": {"action": "cancel"}}})):
        assert (await client.result(method, {"taskId": task, **more}))["resultType"] == "complete"
    assert (await client.get(task))["status"] == "completed"


async def test_a_task_is_cancelled_by_either_way(site: Site) -> None:
    client = site.client()
    first, second = await begun(client), await begun(client)
    acknowledged = await client.result("tasks/cancel", {"taskId": first})
    assert set(acknowledged) == {"resultType", "_meta"}
    assert (await client.undeclared().call("cancel_task", id=second))["structuredContent"]["state"] == "cancelled"
    await site.queue.settled()
    assert [(await client.get(task))["status"] for task in (first, second)] == ["cancelled", "cancelled"]


async def test_what_is_not_yours_is_not_there(signed: Site) -> None:
    ada, eve = signed.client("ada"), signed.client("eve")
    task = await begun(ada)
    for method in ("tasks/get", "tasks/cancel", "tasks/update"):
        errors = [
            await eve.error(method, {"taskId": name, "inputResponses": {}})
            for name in (task, f"{task[:-1]}_", "task-of-nobody", "", "../../rows", task.upper())
        ]
        assert {error["code"] for error in errors} == {-32602}
        assert len({error["message"] for error in errors}) == 1
    assert "You have no such task" in await eve.caller.told("get_task", id=task)
    assert "You have no such task" in await eve.caller.told("cancel_task", id=task)
    assert (await eve.call("list_my_tasks"))["structuredContent"] == {"tasks": []}
    assert (await ada.get(task))["status"] == "working"


async def test_the_same_person_at_another_client_has_the_same_tasks(signed: Site) -> None:
    task = await begun(signed.client("ada"))
    assert (await signed.client("ada", more={"elicitation": {}}).get(task))["taskId"] == task


async def test_a_list_of_tasks_goes_on(site: Site) -> None:
    client = site.client()
    begun_ones = []
    for _ in range(3):
        site.now += 1
        begun_ones.append(await begun(client))
    first = (await client.call("list_my_tasks", limit=2))["structuredContent"]
    second = (await client.call("list_my_tasks", limit=2, after=first["more"]))["structuredContent"]
    assert [task["id"] for task in [*first["tasks"], *second["tasks"]]] == begun_ones[::-1]
    assert "more" not in second


async def test_who_does_not_declare_tasks_has_no_methods_of_them(site: Site) -> None:
    task = await begun(site.client())
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        error = await site.client().undeclared().error(method, {"taskId": task, "inputResponses": {}})
        assert error["code"] == -32021
        assert error["data"] == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}


@pytest.mark.parametrize("method", ["tasks/list", "tasks/result"])
async def test_methods_of_older_tasks_are_unknown(site: Site, method: str) -> None:
    assert (await site.client().error(method, {"taskId": "any"}))["code"] == -32601


async def test_a_header_that_names_another_task_is_refused(site: Site) -> None:
    client = site.client()
    task = await begun(client)
    answer = await client.send("tasks/get", {"taskId": task}, {"mcp-name": "another"})
    assert (answer.status, json.loads(answer.body)["error"]["code"]) == (400, -32020)
    assert (await client.send("tasks/get", {"taskId": task}, {"mcp-name": task})).status == 200


async def test_the_extension_is_announced_only_where_it_holds(site: Site) -> None:
    discovered = await site.client().result("server/discover", {})
    assert discovered["capabilities"]["extensions"] == {APPS: {}, EXTENSION: {}}
    without = Caller(new_endpoint(), "all")
    assert (await without.result("server/discover"))["capabilities"]["extensions"] == {APPS: {}}
    assert (await without.error("tasks/get", {"taskId": "any"}))["code"] == -32601
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    legacy = await Caller(site.endpoint, "all", era=LEGACY).result("initialize", hello)
    assert "extensions" not in legacy["capabilities"]


async def test_a_call_that_begins_a_task_leaves_one_record_and_so_does_what_changes_it(
    site: Site, records: Records
) -> None:
    client = site.client()
    task = await begun(client)
    assert [record["tool"] for record in records.all] == ["copy_archive"]
    await client.get(task)
    assert not records.attempts
    await client.result("tasks/cancel", {"taskId": task})
    await client.error("tasks/update", {"taskId": "forged", "inputResponses": {}})
    told = [(record["tried"], record["outcome"]) for record in records.attempts]
    assert told == [("tasks/cancel", "done"), ("tasks/update", "refused")]


def test_what_is_tried_with_tasks_has_a_name() -> None:
    assert method_of(b'{"method": "tasks/update"}') == "tasks/update"


async def test_the_operators_notice_stands_before_what_came_of_a_task_and_not_before_the_task() -> None:
    site = Site(notice="Be careful.")
    client = site.client()
    task = await begun(client)
    await site.queue.settled()
    result = (await client.get(task))["result"]
    assert result["structuredContent"] == {"notice": "Be careful.", "copied": 7}
    told = await client.undeclared().call("copy_archive", pages=7)
    assert told["structuredContent"]["notice"] == "Be careful."


async def test_what_goes_on_elsewhere_is_looked_at_by_calls_of_its_owner(site: Site, records: Records) -> None:
    client = site.client()
    task = await begun(client, "follow_move", name="north")
    records.all.clear()
    assert (await client.get(task))["status"] == "working"
    assert (await client.call("get_task", id=task))["structuredContent"]["state"] == "working"
    assert [record["tool"] for record in records.all] == ["look_at_move"] * 2
    elsewhere["north"] = "moved"
    got = await client.get(task)
    assert (got["status"], got["result"]["structuredContent"]["state"]) == ("completed", "moved")
    elsewhere["north"] = "burnt"
    assert (await client.get(task))["result"] == got["result"]


async def test_what_cannot_be_looked_at_any_more_has_failed(site: Site) -> None:
    client = site.client()
    got = await client.get(await begun(client, "follow_nothing"))
    assert got["status"] == "failed"
    assert got["error"]["code"] == -32603
    assert "result" not in got


async def test_a_client_that_chose_other_tools_ends_nothing(site: Site) -> None:
    client = site.client()
    task = await begun(client, "follow_move", name="south")
    got = await site.client(toolsets="clock").get(task)
    assert got["status"] == "working"
    assert "did not select" in got["statusMessage"]
