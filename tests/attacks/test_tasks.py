"""Attacks on long work: of others, by forged ids and messages, after rights were taken away, around an agreement."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes.approval_request import RequiredApprover
from changes.rules import ApprovalNeed
from identity.caller import Agent, Caller, CallerKind
from tasks.sending import TaskMessage, UnreadableMessageError
from tasks.task import TaskState, owner_of
from tasks.work import Next, StepDone, StepOutcome, Work, WorkStep
from tests.mcp_server import office
from tests.mcp_server.caller import Json
from tests.mcp_server.endpoints import approving
from tests.mcp_server.long_work import Client, Site, elsewhere
from tests.mcp_server.records import Records
from tests.mcp_server.sign_in_by_header import office_door
from tests.tasks.yard import Yard

TOOLSETS: Final = ["archive", "clock", "office-doors", "office-notes", "tasks"]
ROLES: Final = """
signed-in: {tasks: write}
roles:
  Keeper: {archive: destroy, office: destroy}
  Reader: {archive: read, office: read}
  Looker: {clock: read}
"""
ADA, EVE, READER, BARE = "ada Keeper", "eve Keeper", "ada Reader", "ada Looker"


@pytest.fixture
def site() -> Site:
    return Site(door=office_door(ROLES, TOOLSETS))


async def copied(client: Client) -> str:
    return str((await client.call("copy_archive", pages=7))["taskId"])


async def waiting(client: Client) -> str:
    told = await client.call("brick_up_door", room="attic")
    assert told["resultType"] == "task", told
    return str(told["taskId"])


def is_done(records: Records) -> bool:
    return any(one.get("tool") == "brick_up_door" and one["outcome"] == "done" for one in records.all)


# --- what belongs to others

FORGED: Final[dict[str, Callable[[str], str]]] = {
    "as it is": lambda name: name,
    "with another end": lambda name: f"{name[:-1]}{'a' if name[-1] != 'a' else 'b'}",
    "of the next": lambda name: f"{int(name[:13]) - 1:013}{name[13:]}",
    "in capitals": str.upper,
    "with a blank": lambda name: f"{name} ",
    "with a slash": lambda name: f"/{name}",
    "with a key of the storage": lambda name: f"task-{name}",
    "with an end of a text": lambda name: f"{name}\x00",
    "with a quote": lambda name: f"{name}' or '1' eq '1",
    "with letters that look alike": lambda name: name.replace("0", "\u041e"),
    "too long": lambda name: name * 4,
    "as nothing": lambda _: "",
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
async def test_no_id_opens_a_task_of_somebody_else(site: Site, forge: Callable[[str], str]) -> None:
    ada, eve = site.client(ADA), site.client(EVE)
    task = await copied(ada)
    await site.queue.settled()
    for method in ("tasks/get", "tasks/cancel", "tasks/update"):
        error = await eve.error(method, {"taskId": forge(task), "inputResponses": {"order": {}}})
        assert error["code"] == -32602
        assert "copied" not in str(error)
    for name in ("get_task", "cancel_task"):
        answer = await eve.send("tools/call", {"name": name, "arguments": {"id": forge(task)}})
        assert b'"isError":false' not in answer.body
    assert (await ada.get(task))["result"]["structuredContent"] == {"copied": 7}


@pytest.mark.parametrize(
    "after", ["", "0", "0000000000000-", "-", "../", "' or 1 eq 1", "\U0010ffff", "owned-", "a" * 200]
)
async def test_no_list_goes_on_into_the_tasks_of_others(site: Site, after: str) -> None:
    ada, eve = site.client(ADA), site.client(EVE)
    task = await copied(ada)
    owner = owner_of(Caller(CallerKind.USER, "office", "ada", "desk", "issuer"))
    for one in (after, f"{owner}-{after}", f"../{owner}-{task}"[:200]):
        listed = await eve.call("list_my_tasks", after=one, limit=100)
        assert task not in str(listed)


def person(subject: str = "ada", **more: Any) -> Caller:
    return Caller(CallerKind.USER, "office", subject, "desk", "issuer", **more)


ALMOST_ADA: Final = {
    "of another tenant": Caller(CallerKind.USER, "mill", "ada", "desk", "issuer"),
    "of another issuer": Caller(CallerKind.USER, "office", "ada", "desk", "issuer2"),
    "as an application": Caller(CallerKind.APP, "office", "ada", "desk", "issuer"),
    "with a key": Caller(CallerKind.KEY, "office", "ada", "desk", "issuer"),
    "in capitals": person("Ada"),
    "with a blank": person("ada "),
    "by an agent": person(agent=Agent("for-people")),
    "with parts that run together": Caller(CallerKind.USER, "officeada", "", "desk", "issuer"),
    "as nobody": Caller(CallerKind.ANONYMOUS),
    "as the end of roles": Caller(CallerKind.USER, "", "the end of roles", "", ""),
}


@pytest.mark.parametrize("other", ALMOST_ADA.values(), ids=ALMOST_ADA)
def test_who_is_almost_the_owner_of_a_task_is_another(other: Caller) -> None:
    assert owner_of(other) != owner_of(person())
    assert owner_of(other) != "the end of roles"


# --- rights that are taken away, or were never there


@pytest.mark.parametrize("role", [READER, BARE, "ada"])
async def test_what_was_approved_is_not_applied_when_the_role_is_gone(site: Site, role: str) -> None:
    task = await waiting(site.client(ADA))
    await site.decide(is_yes=True)
    with Records.kept() as records:
        got = await site.client(role).get(task)
        assert got["status"] != "completed"
        assert "is gone" not in str(got)
        await site.client(role).caller.send("tools/call", {"name": "get_task", "arguments": {"id": task}})
        await site.client(role).caller.send("tools/call", {"name": "brick_up_door", "arguments": {"room": "attic"}})
    assert not is_done(records)


@pytest.mark.parametrize(
    "headers", [{"x-mcp-readonly": "true"}, {"x-mcp-toolsets": "clock,tasks"}, {"x-mcp-tools": "get_task"}]
)
async def test_a_client_that_chose_only_to_read_applies_nothing_by_looking(site: Site, headers: dict[str, str]) -> None:
    task = await waiting(site.client(ADA))
    await site.decide(is_yes=True)
    with Records.kept() as records:
        chosen = replace(site.client(ADA).caller, toolsets=None, headers={"x-who": ADA, **headers})
        await Client(chosen).send("tasks/get", {"taskId": task})
    assert not is_done(records)


async def test_to_look_by_the_tool_that_reads_applies_nothing(site: Site) -> None:
    ada = site.client(ADA)
    task = await waiting(ada)
    await site.decide(is_yes=True)
    with Records.kept() as records:
        for way in ("get_task", "list_my_tasks"):
            await ada.send("tools/call", {"name": way, "arguments": {"id": task} if way == "get_task" else {}})
        call = {"tool": "tasks", "command": "get_task", "parameters": {"id": task}}
        await site.client(ADA, "").send("tools/call", {"name": "azure", "arguments": call})
    assert not is_done(records)


async def test_what_is_followed_is_not_told_to_whom_it_is_closed_by_now(site: Site) -> None:
    task = str((await site.client(ADA).call("follow_move", name="west"))["taskId"])
    elsewhere["west"] = "moved"
    try:
        got = await site.client(BARE).get(task)
    finally:
        elsewhere.clear()
    assert (got["status"], "moved" in str(got)) == ("failed", False)


async def test_looks_at_once_apply_what_was_approved_once(site: Site) -> None:
    ada = site.client(ADA)
    task = await waiting(ada)
    await site.decide(is_yes=True)
    with Records.kept() as records:
        same = ada.undeclared()
        await asyncio.gather(
            *(ada.get(task) for _ in range(4)), *(same.call("brick_up_door", room="attic") for _ in range(4))
        )
    assert sum(one.get("tool") == "brick_up_door" and one["outcome"] == "done" for one in records.all) == 1


async def test_a_task_that_was_used_up_applies_nothing_again(site: Site) -> None:
    ada = site.client(ADA)
    task = await waiting(ada)
    await site.decide(is_yes=True)
    with Records.kept() as records:
        for _ in range(3):
            await ada.get(task)
        await ada.send("tasks/update", {"taskId": task, "inputResponses": {"consent": {"action": "accept"}}})
        await ada.send("tasks/cancel", {"taskId": task})
        await ada.get(task)
    assert sum(one["outcome"] == "done" for one in records.all if one.get("tool") == "brick_up_door") == 1


ANSWERS: Final = {
    "a form": {"consent": {"action": "accept", "content": {"agree": True}}},
    "of odd names": {"": {"action": "accept"}, "agree": {"action": "accept"}},
    "a code": {"confirm": {"action": "accept", "content": {"confirm": "00000000"}}},
}


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
async def test_no_answer_to_a_task_agrees_to_its_change(site: Site, answers: Json) -> None:
    ada = site.client(ADA)
    task = await waiting(ada)
    with Records.kept() as records:
        await ada.send("tasks/update", {"taskId": task, "inputResponses": answers})
        assert (await ada.get(task))["status"] == "working"
    assert not is_done(records)


async def test_what_changed_since_it_was_approved_is_not_applied_by_a_look(site: Site) -> None:
    ada = site.client(ADA)
    task = await waiting(ada)
    await site.decide(is_yes=True)
    office.behind["attic"] = "a child"
    try:
        with Records.kept() as records:
            assert (await ada.get(task))["status"] == "working"
    finally:
        office.behind.clear()
    assert not is_done(records)


async def test_a_rule_that_is_stricter_by_now_holds_for_a_task_too(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = site.client(ADA)
    task = await waiting(ada)
    await site.decide(is_yes=True)
    stricter = approving(by_argument=False, ledger=site.approvals.kept())
    monkeypatch.setattr(type(stricter), "need", lambda *_, **__: ApprovalNeed(RequiredApprover.ANOTHER, of=("Keeper",)))
    site.approvals = stricter
    with Records.kept() as records:
        assert (await ada.get(task))["status"] == "working"
    assert not is_done(records)


# --- the queue


async def step(given: WorkStep) -> StepOutcome:
    done.append(given.number)
    return Next({"n": given.number}, after=100.0) if given.number < 2 else StepDone({"n": given.number})


done: list[int] = []


@pytest.fixture
def yard() -> Yard:
    done.clear()
    return Yard({"work": Work("work", step)})


NO_MESSAGES: Final = {
    "nothing": "",
    "no JSON": "{",
    "a list": '["a", 0]',
    "a number": "7",
    "no step": '{"task": "a"}',
    "a step without end": '{"task": "a", "step": 1e999}',
    "a step that is none": '{"task": "a", "step": NaN}',
    "a step of things": '{"task": "a", "step": {"a": 1}}',
    "deep": '{"task": "a", "step": ' + "[" * 5000 + "]" * 5000 + "}",
    "many digits": '{"task": "a", "step": "' + "9" * 9000 + '"}',
    "half a letter": '{"task": "\\ud800", "step": "x"}',
}


@pytest.mark.parametrize("text", NO_MESSAGES.values(), ids=NO_MESSAGES)
async def test_what_is_no_message_is_set_aside_and_does_nothing(yard: Yard, text: str) -> None:
    with pytest.raises(UnreadableMessageError):
        await yard.worker.do(text)
    assert (done, yard.line.messages) == ([], [])


STEPS: Final = [-1, 1, 2, 7, 10**9, -(10**18)]


@pytest.mark.parametrize("number", STEPS)
async def test_a_forged_step_brings_no_work_forward_and_skips_none(yard: Yard, number: int) -> None:
    task = await yard.tasks.begin("work", "ada", {}, "Work", after=500.0)
    for _ in range(5):
        await yard.worker.do(TaskMessage(task.id, number).text)
    assert done == []
    for _ in range(20):
        yard.clock.now += 100.0
        for _ in range(20):
            await yard.worker.do(TaskMessage(task.id, number).text)
            await yard.deliver()
    assert done == [0, 1, 2]


@pytest.mark.parametrize(
    "name", ["../secrets", "owned-ada", "task-x", "0" * 30, "a" * 10_000, "\u0000" * 30, "x'y" * 10]
)
async def test_a_message_of_no_task_does_nothing(yard: Yard, name: str) -> None:
    await yard.worker.do(json.dumps({"task": name, "step": 0}))
    assert (done, yard.line.messages) == ([], [])


async def test_a_message_brings_back_nothing_that_was_cancelled(yard: Yard) -> None:
    task = await yard.tasks.begin("work", "ada", {}, "Work", after=500.0)
    await yard.tasks.cancel(task)
    yard.clock.now += 1000.0
    for number in STEPS:
        await yard.worker.do(TaskMessage(task.id, number).text)
    assert (done, (await yard.tasks.of("ada", task.id)).state) == ([], TaskState.CANCELLED)


async def test_a_message_of_what_is_only_followed_runs_nothing(yard: Yard) -> None:
    look = {"toolset": "x", "tool": "y", "arguments": {}}
    task = await yard.tasks.follow("ada", look, "Following")
    await yard.worker.do(TaskMessage(task.id, 0).text)
    assert (done, (await yard.tasks.of("ada", task.id)).state) == ([], TaskState.WORKING)


@given(
    st.dictionaries(
        st.sampled_from(["task", "step", "work", "owner", "arguments"]), st.text() | st.integers(), max_size=5
    )
)
async def test_whatever_stands_in_a_message_the_row_alone_says_what_is_done(content: dict[str, Any]) -> None:
    done.clear()
    yard = Yard({"work": Work("work", step)})
    task = await yard.tasks.begin("work", "ada", {"a": 1}, "Work", after=500.0)
    before = dict(yard.memory.rows)
    with suppress(UnreadableMessageError):
        await yard.worker.do(json.dumps({"task": task.id, **content}))
    assert (done, yard.memory.rows) == ([], before)
