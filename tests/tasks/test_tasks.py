"""Work that outlives a request is done once, whoever is stopped when, and only its owner sees it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identity.caller import Agent, Caller, CallerKind
from refusal import Refusal
from tasks.sending import UnreadableMessageError
from tasks.task import LARGEST_KEPT, Task, TaskProgress, TaskState, TooMuchError, owner_of
from tasks.tasks import LARGEST_RESULT
from tasks.work import HopelessError, Next, OwnerQuestions, StepDone, StepOutcome, Work, WorkStep
from tasks.worker import MOST_TRIES
from tests.tasks.yard import Yard, counting

ADA = owner_of(Caller(CallerKind.USER, "home", "ada", "desk"))
GRACE = owner_of(Caller(CallerKind.USER, "home", "grace", "desk"))


def doing(step: Any) -> Yard:
    return Yard({"work": Work("work", step)})


def test_a_person_is_the_same_owner_by_every_client_and_another_than_their_agent() -> None:
    assert owner_of(Caller(CallerKind.USER, "home", "ada", "telephone")) == ADA != GRACE
    assert owner_of(Caller(CallerKind.USER, "home", "ada", "desk", agent=Agent("robot"))) != ADA


async def test_work_is_done_step_by_step_and_its_result_is_there() -> None:
    world: dict[Any, int] = {}
    yard = Yard({"counting": counting(world, to=3)})
    begun = await yard.tasks.begin("counting", ADA, {}, "Counting")
    assert begun.state is TaskState.WORKING
    await yard.until_quiet()
    task = await yard.tasks.of(ADA, begun.id)
    assert (task.state, await yard.tasks.result(task)) == (TaskState.COMPLETED, {"counted": [0, 1, 2]})
    assert set(world.values()) == {1}


async def test_only_its_owner_has_a_task() -> None:
    yard = Yard({"counting": counting({}, to=1)})
    task = await yard.tasks.begin("counting", ADA, {}, "Counting")
    with pytest.raises(Refusal, match="You have no such task"):
        await yard.tasks.of(GRACE, task.id)
    with pytest.raises(Refusal, match="You have no such task"):
        await yard.tasks.of(ADA, "../" + task.id)
    assert await yard.tasks.all_of(GRACE) == []
    assert [one.id for one in await yard.tasks.all_of(ADA)] == [task.id]


async def test_the_newest_is_listed_first_and_the_list_goes_on_after_any() -> None:
    yard = Yard({"counting": counting({}, to=1)})
    names = []
    for _ in range(4):
        names.append((await yard.tasks.begin("counting", ADA, {}, "Counting")).id)
        yard.clock.now += 1
    assert [task.id for task in await yard.tasks.all_of(ADA, 2)] == [names[3], names[2]]
    assert [task.id for task in await yard.tasks.all_of(ADA, 2, after=names[2])] == [names[1], names[0]]


async def test_it_begins_after_a_pause_that_is_longer_than_any_message_waits() -> None:
    yard = Yard({"counting": counting({}, to=1)})
    task = await yard.tasks.begin("counting", ADA, {}, "Counting", after=90 * 86400.0)
    begun = yard.clock()
    await yard.until_quiet()
    assert (await yard.tasks.of(ADA, task.id)).state is TaskState.COMPLETED
    assert yard.clock() >= begun + 90 * 86400.0


async def test_what_fails_is_tried_again_with_growing_pauses_and_then_has_failed() -> None:
    begun: list[float] = []

    async def step(_given: WorkStep) -> StepOutcome:
        begun.append(yard.clock())
        raise Refusal("The oven is cold.")

    yard = doing(step)
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    await yard.until_quiet()
    ended = await yard.tasks.of(ADA, task.id)
    assert (ended.state, ended.trouble, len(begun)) == (TaskState.FAILED, "The oven is cold.", MOST_TRIES)
    pauses = [later - earlier for earlier, later in pairwise(begun)]
    assert pauses == sorted(pauses)
    assert pauses[-1] >= 3600
    assert await yard.worker.failed() == {"work": 1}


async def test_why_it_is_tried_again_is_told_meanwhile_and_no_word_of_a_defect() -> None:
    async def step(_given: WorkStep) -> StepOutcome:
        raise ValueError("secret of the house")

    yard = doing(step)
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    await yard.deliver()
    seen = await yard.tasks.of(ADA, task.id)
    assert (seen.state, seen.trouble) == (TaskState.WORKING, "It failed (ValueError).")


async def test_what_cannot_succeed_is_not_tried_again() -> None:
    async def step(_given: WorkStep) -> StepOutcome:
        raise HopelessError("There is no flour.")

    yard = doing(step)
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    await yard.deliver()
    assert (await yard.tasks.of(ADA, task.id)).trouble == "There is no flour."
    assert yard.line.messages == []


async def test_a_step_takes_no_longer_than_it_may() -> None:
    async def step(_given: WorkStep) -> StepOutcome:
        await asyncio.Event().wait()
        raise AssertionError

    yard = Yard({"work": Work("work", step)}, seconds=0.01)
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    await yard.deliver()
    assert "time limit of 0.01 seconds" in (await yard.tasks.of(ADA, task.id)).trouble


async def test_a_cancelled_task_does_nothing_more_and_keeps_no_result() -> None:
    async def step(given: WorkStep) -> StepOutcome:
        await yard.tasks.cancel(await yard.tasks.of(ADA, given.task))
        return StepDone({"made": "bread"})

    yard = doing(step)
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    await yard.until_quiet()
    ended = await yard.tasks.of(ADA, task.id)
    assert (ended.state, ended.result) == (TaskState.CANCELLED, "")
    assert (await yard.tasks.cancel(ended)).state is TaskState.CANCELLED


async def test_a_step_that_says_how_far_it_is_is_stopped_when_somebody_cancels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.worker._SECONDS_BETWEEN_LOOKS", 0.01)
    stopped = asyncio.Event()

    async def step(given: WorkStep) -> StepOutcome:
        given.tell("Kneading", 1, 10)
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        raise AssertionError

    async def cancel() -> TaskProgress:
        async for seen in looks(yard, task.id):
            if seen.progress.words:
                await yard.tasks.cancel(seen)
                return seen.progress
        raise AssertionError

    yard = doing(step)
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    _, told = await asyncio.gather(yard.deliver(), cancel())
    assert (told.words, told.done, told.total) == ("Kneading", 1, 10)
    assert stopped.is_set()


async def test_an_owner_is_asked_and_it_goes_on_with_all_their_answers() -> None:
    async def step(given: WorkStep) -> StepOutcome:
        if not given.answers:
            return OwnerQuestions(
                {"salt": {"method": "elicitation/create"}, "size": {"method": "elicitation/create"}}, {"n": 1}
            )
        return StepDone({"left": given.left, "answers": given.answers})

    yard = doing(step)
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    await yard.until_quiet()
    asking = await yard.tasks.of(ADA, task.id)
    assert (asking.state, set(asking.questions)) == (TaskState.ASKS, {"salt", "size"})
    part = await yard.tasks.answer(asking, {"salt": "yes", "cake": "no"})
    assert (part.state, set(part.questions)) == (TaskState.ASKS, {"size"})
    await yard.tasks.answer(part, {"size": "large"})
    await yard.until_quiet()
    ended = await yard.tasks.of(ADA, task.id)
    assert await yard.tasks.result(ended) == {"left": {"n": 1}, "answers": {"salt": "yes", "size": "large"}}


async def test_what_was_read_before_somebody_else_answered_takes_further_answers_and_can_be_cancelled() -> None:
    async def step(_given: WorkStep) -> StepOutcome:
        return OwnerQuestions({"salt": {"method": "elicitation/create"}, "size": {"method": "elicitation/create"}}, {})

    yard = doing(step)
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    await yard.until_quiet()
    read = await yard.tasks.of(ADA, task.id)
    await yard.tasks.answer(read, {"salt": "yes"})
    both = await yard.tasks.answer(read, {"size": "large"})
    assert (both.state, both.answers) == (TaskState.WORKING, {"salt": "yes", "size": "large"})
    assert (await yard.tasks.cancel(read)).state is TaskState.CANCELLED
    assert (await yard.tasks.answer(read, {"salt": "no"})).state is TaskState.CANCELLED


async def test_a_step_goes_on_where_it_cannot_be_kept_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.worker._SECONDS_BETWEEN_LOOKS", 0.001)
    tried = asyncio.Event()

    async def step(given: WorkStep) -> StepOutcome:
        yard.fate.is_away = True
        given.tell("Kneading", 1, 10)
        await tried.wait()
        yard.fate.is_away = False
        return StepDone({"made": "bread"})

    def told_of(record: logging.LogRecord) -> bool:
        tried.set()
        return "could not be saved" in record.getMessage()

    yard = doing(step)
    monkeypatch.setattr(logging.getLogger("tasks.worker"), "filters", [told_of])
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    await yard.deliver()
    assert await yard.tasks.result(await yard.tasks.of(ADA, task.id)) == {"made": "bread"}


async def test_what_is_too_much_is_refused_and_never_half_kept() -> None:
    async def step(given: WorkStep) -> StepOutcome:
        return StepDone({"text": "x" * LARGEST_RESULT}) if given.number else Next({"n": 1})

    yard = doing(step)
    with pytest.raises(TooMuchError):
        await yard.tasks.begin("work", ADA, {"text": "x" * LARGEST_KEPT}, "Baking")
    assert yard.memory.rows == {}
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    await yard.until_quiet()
    assert "at most" in (await yard.tasks.of(ADA, task.id)).trouble


async def test_work_that_a_new_version_does_not_know_has_failed_in_words() -> None:
    yard = Yard({"counting": counting({}, to=1)})
    task = await yard.tasks.begin("counting", ADA, {}, "Counting")
    yard.worker = type(yard.worker)(yard.tasks, {}, 300.0)
    await yard.until_quiet()
    assert "no longer supports this kind of task" in (await yard.tasks.of(ADA, task.id)).trouble


async def test_a_message_that_is_none_is_set_aside() -> None:
    yard = Yard({})
    for text in ["", "{}", "[1]", '{"task": "x"}', "null", '{"task": "x", "step": "y"}']:
        with pytest.raises(UnreadableMessageError):
            await yard.worker.do(text)
    await yard.worker.do('{"task": "0000000000000-unknown-task-of-nobody", "step": 0}')


async def test_where_the_queue_is_away_the_task_is_there_and_is_sent_by_whoever_looks() -> None:
    yard = Yard({"counting": counting({}, to=1)})
    add, yard.line.fate = yard.line.fate, type(yard.fate)(is_away=True)
    task = await yard.tasks.begin("counting", ADA, {}, "Counting")
    assert yard.line.messages == []
    yard.line.fate = add
    yard.clock.now += 61
    await yard.tasks.of(ADA, task.id)
    await yard.until_quiet()
    assert (await yard.tasks.of(ADA, task.id)).state is TaskState.COMPLETED


async def test_a_sweep_sends_word_of_what_was_forgotten() -> None:
    yard = Yard({"counting": counting({}, to=1)})
    task = await yard.tasks.begin("counting", ADA, {}, "Counting")
    yard.line.messages.clear()
    assert await yard.worker.sweep() == 0
    yard.clock.now += 61
    assert await yard.worker.sweep() == 1
    await yard.deliver()
    assert (await yard.tasks.of(ADA, task.id)).state is TaskState.COMPLETED


async def test_a_result_that_is_gone_is_told_as_the_task_would_be() -> None:
    yard = Yard({"counting": counting({}, to=1)})
    task = await yard.tasks.begin("counting", ADA, {}, "Counting")
    await yard.until_quiet()
    ended = await yard.tasks.of(ADA, task.id)
    yard.memory.files.clear()
    with pytest.raises(Refusal, match="You have no such task"):
        await yard.tasks.result(ended)


async def test_results_go_after_their_time_with_all_that_told_of_them() -> None:
    yard = Yard({"counting": counting({}, to=1)})
    task = await yard.tasks.begin("counting", ADA, {}, "Counting")
    await yard.until_quiet()
    yard.clock.now += 86000
    assert await yard.worker.forget() == 0
    yard.clock.now += 500
    assert await yard.worker.forget() == 1
    assert (yard.memory.rows, yard.memory.files) == ({}, {})
    with pytest.raises(Refusal):
        await yard.tasks.of(ADA, task.id)


async def test_a_worker_that_is_told_to_stop_lets_go_of_what_it_does() -> None:
    begun = asyncio.Event()

    async def step(_given: WorkStep) -> StepOutcome:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    yard = doing(step)
    task = await yard.tasks.begin("work", ADA, {}, "Baking")
    under_way = asyncio.create_task(yard.worker.do(yard.line.messages[0].text))
    await begun.wait()
    assert (await yard.tasks.of(ADA, task.id)).held > yard.clock()
    under_way.cancel()
    with pytest.raises(asyncio.CancelledError):
        await under_way
    assert (await yard.tasks.of(ADA, task.id)).held == 0


@pytest.mark.parametrize("killed_after", range(10))
async def test_a_message_alone_leads_on_wherever_its_worker_was_killed(killed_after: int) -> None:
    yard = Yard({"counting": counting({}, to=3)})
    task = await yard.tasks.begin("counting", ADA, {}, "Counting")
    await yard.deliver(kill_after=killed_after)
    await yard.until_quiet(sweeps=False)
    ended = await yard.tasks.of(ADA, task.id)
    assert await yard.tasks.result(ended) == {"counted": [0, 1, 2]}


async def test_what_comes_twice_is_begun_once_while_it_is_done() -> None:
    begun = 0

    async def step(given: WorkStep) -> StepOutcome:
        nonlocal begun
        begun += 1
        await yard.worker.do(yard.line.messages[0].text)
        return StepDone({"step": given.number})

    yard = doing(step)
    await yard.tasks.begin("work", ADA, {}, "Baking")
    await yard.deliver()
    assert begun == 1


async def test_of_two_workers_at_once_one_begins_it() -> None:
    world: dict[Any, int] = {}
    yard = Yard({"counting": counting(world, to=1)})
    await yard.tasks.begin("counting", ADA, {}, "Counting")
    text = yard.line.messages[0].text
    await asyncio.gather(*(yard.worker.do(text) for _ in range(5)))
    assert list(world.values()) == [1]


async def looks(yard: Yard, name: str) -> AsyncIterator[Task]:
    while True:
        await asyncio.sleep(0)
        yield await yard.tasks.of(ADA, name)


PLAYS = int(os.environ.get("FUZZ_TASKS", "150"))
ACTS = st.one_of(
    st.tuples(st.just("deliver"), st.integers(0, 3), st.integers(-1, 12)),
    st.tuples(st.just("again"), st.integers(0, 3), st.just(0)),
    st.tuples(st.just("pass"), st.sampled_from([1, 10, 100, 1000]), st.just(0)),
    st.tuples(st.just("away"), st.just(0), st.just(0)),
    st.tuples(st.just("back"), st.just(0), st.just(0)),
    st.tuples(st.just("sweep"), st.just(0), st.just(0)),
    st.tuples(st.just("look"), st.just(0), st.integers(-1, 4)),
)


@settings(max_examples=PLAYS, deadline=None)
@given(st.lists(ACTS, max_size=30), st.integers(1, 4))
async def test_whoever_is_killed_when_and_whatever_comes_twice_or_late_the_result_is_there_once(
    acts: list[tuple[str, int, int]], to: int
) -> None:
    world: dict[Any, int] = {}
    yard = Yard({"counting": counting(world, to=to)})
    task = await yard.tasks.begin("counting", ADA, {}, "Counting")
    for act, which, kill in acts:
        await yard.act(act, which, kill, ADA, task.id)
    yard.fate.is_away = False
    await yard.until_quiet()
    ended = await yard.tasks.of(ADA, task.id)
    if ended.state is TaskState.FAILED:
        assert max(world.values()) >= MOST_TRIES
        return
    assert ended.state is TaskState.COMPLETED
    assert await yard.tasks.result(ended) == {"counted": list(range(to))}
    before = dict(world)
    for _ in range(3):
        await yard.worker.do(f'{{"task": "{task.id}", "step": {to - 1}}}')
    assert world == before
