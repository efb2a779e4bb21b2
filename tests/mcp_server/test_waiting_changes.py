"""A change that waits for a person is a task to clients that declare the extension."""

from __future__ import annotations

from time import time
from typing import Any

from tests.mcp_server import office
from tests.mcp_server.caller import code_in
from tests.mcp_server.endpoints import approving
from tests.mcp_server.long_work import Client, Site, begun, locked, text_of
from tests.mcp_server.records import Records


async def waiting(client: Client) -> tuple[str, str]:
    told = await client.call("brick_up_door", room="attic")
    assert (told["resultType"], told["status"]) == ("task", "working"), told
    return told["taskId"], told["statusMessage"]


async def test_a_change_that_waits_for_a_person_is_a_task_that_applies_it_once(site: Site, records: Records) -> None:
    client = site.client()
    task, words = await waiting(client)
    assert "/changes/" in words
    assert "The user must approve" in words
    assert (await client.get(task))["statusMessage"] == words
    change = await site.decide(is_yes=True)
    told = (await client.call("get_task", id=task))["structuredContent"]
    assert (told["state"], told["next"]["arguments"]) == ("working", {"room": "attic"})
    records.all.clear()
    got = await client.get(task)
    assert (got["status"], text_of(got["result"])) == ("completed", "attic is gone")
    (record,) = records.all
    assert (record["tool"], record["change"], record["outcome"]) == ("brick_up_door", change.id, "done")
    assert (await client.get(task))["result"] == got["result"]
    assert len(records.all) == 1


async def test_a_look_at_a_change_that_nobody_has_decided_does_not_make_the_call(site: Site, records: Records) -> None:
    client = site.client()
    task, words = await waiting(client)
    records.all.clear()
    office.behind["attic"] = "a child"
    try:
        assert (await client.get(task))["statusMessage"] == words
    finally:
        del office.behind["attic"]
    assert not records.all


async def test_an_approval_request_that_expired_is_made_anew(site: Site) -> None:
    client = site.client()
    task, words = await waiting(client)
    site.approvals.kept().clock = lambda: time() + 3601
    anew = (await client.get(task))["statusMessage"]
    assert "/changes/" in anew
    assert anew != words
    assert (await client.get(task))["statusMessage"] == anew
    await site.decide(is_yes=True)
    assert text_of((await client.get(task))["result"]) == "attic is gone"


async def test_a_change_that_was_denied_is_told_with_why(site: Site) -> None:
    client = site.client()
    task, _ = await waiting(client)
    await site.decide(is_yes=False, why="We need it")
    got = await client.get(task)
    assert got["result"]["isError"]
    assert "We need it" in text_of(got["result"])
    assert (await client.call("get_task", id=task))["structuredContent"]["state"] == "failed"


async def test_whoever_has_to_sign_in_anew_loses_no_agreement(site: Site) -> None:
    client = site.client()
    task = (await client.call("burn_archive"))["taskId"]
    await site.decide(is_yes=True)
    locked.add("archive")
    try:
        assert (await client.send("tasks/get", {"taskId": task})).status == 401
    finally:
        locked.remove("archive")
    assert text_of((await client.get(task))["result"]) == "It is burnt"


async def test_a_change_that_is_outdated_is_shown_anew(site: Site) -> None:
    client = site.client()
    task, _ = await waiting(client)
    await site.decide(is_yes=True)
    office.behind["attic"] = "a child"
    try:
        got = await client.get(task)
        assert got["status"] == "working"
        assert "a different effect than the preview" in got["statusMessage"]
        assert "behind it: a child" in got["statusMessage"]
        await site.decide(is_yes=True)
        assert text_of((await client.get(task))["result"]) == "attic is gone"
    finally:
        del office.behind["attic"]


async def test_only_one_of_two_looks_applies_a_change(site: Site) -> None:
    client = site.client()
    task, _ = await waiting(client)
    await site.decide(is_yes=True)
    tasks = [await site.tasks.store.find(task)] * 2
    held = [await site.tasks.hold(one, 60) for one in tasks if one]
    assert sum(one is not None for one in held) == 1
    got = await client.get(task)
    assert (got["status"], got["statusMessage"]) == ("working", "The task is being checked right now.")
    site.now += 61
    assert (await client.get(task))["status"] == "completed"


async def test_other_clients_send_the_same_call_again_as_before(site: Site) -> None:
    client = site.client().undeclared()
    told = await client.call("brick_up_door", room="attic")
    assert told["isError"]
    await site.decide(is_yes=True)
    assert text_of(await client.call("brick_up_door", room="attic")) == "attic is gone"
    assert not await site.tasks.store.open_ones(10)


async def test_a_model_that_may_agree_by_itself_is_asked_as_before() -> None:
    site = Site(approvals=approving())
    told = await site.client().call("brick_up_door", room="attic")
    assert told["isError"]
    assert code_in(text_of(told))


async def test_secret_arguments_are_not_kept_for_a_task(site: Site) -> None:
    told = await site.client().call("blow_up_door", room="attic", code="s3cret")
    assert told["isError"]
    assert "must approve" in text_of(told)
    assert not await site.tasks.store.open_ones(10)


async def test_what_others_may_not_do_is_not_done_by_the_task_of_who_may(signed: Site) -> None:
    ada = signed.client("ada")
    task, _ = await waiting(ada)
    await signed.decide(is_yes=True)
    assert (await signed.client("eve").error("tasks/get", {"taskId": task}))["code"] == -32602
    assert (await ada.get(task))["status"] == "completed"


async def test_what_was_followed_and_never_looked_at_is_forgotten(site: Site) -> None:
    client = site.client()
    task = await begun(client, "follow_move", name="west")
    got: Any = await client.get(task)
    assert got["ttlMs"] == 7 * 86_400_000
    later = site.now + 8 * 86400
    for trace in await site.tasks.store.over_before(later, 10):
        await site.tasks.store.forget(trace)
    assert (await client.error("tasks/get", {"taskId": task}))["code"] == -32602
