"""Whoever calls, by whatever way, rules and clients: nothing is done without the agreement that the rules want, at most
once for each, and never with other arguments, by another caller, after its time or after the world changed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.changes.oracle import Call, House
from tests.changes.playing import AGREED, Manner, Play, at_once
from tests.changes.yard import CALLERS, THE_YARD, TREES
from tests.mcp_server.caller import LEGACY, MODERN, Json
from tests.mcp_server.records import Records

# The nightly workflow plays many more.
PLAYS = int(os.environ.get("FUZZ_CHANGES", "25"))

trees = st.sampled_from(TREES)
notes = st.sampled_from([None, "a", {"a": 1}, [["a", 1]], [1, 2], [2, 1]])
calls = st.one_of(
    st.builds(Call, st.just("fell"), st.fixed_dictionaries({"tree": trees, "notes": notes})),
    st.builds(Call, st.just("fell"), st.fixed_dictionaries({"tree": trees, "notes": st.none()})),
    st.builds(
        Call,
        st.just("fell_all"),
        st.fixed_dictionaries({"trees": st.lists(trees, min_size=1, max_size=2, unique=True)}),
    ),
    st.builds(Call, st.just("trim"), st.fixed_dictionaries({"tree": trees, "hard": st.booleans()})),
    st.builds(
        Call, st.just("paint"), st.fixed_dictionaries({"tree": trees, "color": st.sampled_from(["green", "red"])})
    ),
)
LIKE_ADA = [name for name, caller in CALLERS.items() if caller.subject == "ada"]
# Three calls of which nothing but the arguments tells which is which.
alike = st.lists(
    st.builds(Call, st.just("fell"), st.fixed_dictionaries({"tree": st.just("oak"), "notes": notes})),
    min_size=3,
    max_size=3,
)
patterns = st.lists(st.sampled_from(["Park", "park", "P*", "Street", "*", "[P]ark", "?ark"]), min_size=1, max_size=2)
rules = st.lists(
    st.fixed_dictionaries(
        {"ask": st.sampled_from(["nobody", "caller", "another"])},
        optional={
            "tools": st.lists(
                st.sampled_from(["yard", "yard/fell", "yard/fell_all", "yard/trim", "yard/paint"]), min_size=1
            ),
            "access": st.sampled_from(["write", "destroy"]),
            "in": st.dictionaries(st.sampled_from(["project", "environment", "tag:kind"]), patterns, max_size=2),
            "of": st.lists(st.sampled_from(["Worker", "Keeper"]), min_size=1, max_size=2, unique=True),
        },
    ).map(lambda rule: rule if rule["ask"] == "another" else {key: rule[key] for key in rule if key != "of"}),
    max_size=3,
)
houses = st.builds(
    House,
    st.just([]) | st.just([{"ask": "another"}]) | rules,
    st.sampled_from([False] * 4 + [True]),
    st.booleans(),
    st.sampled_from([False] * 3 + [True]),
)
answers = st.sampled_from(
    [AGREED, AGREED, {"action": "accept"}, {"action": "decline"}, {"action": "accept", "content": {"agree": "yes"}}]
)
manners = st.builds(
    Manner,
    st.sampled_from([MODERN, MODERN, LEGACY]),
    st.sampled_from(["direct", "further", "qualified", "learned", "alone", "rest"]),
    st.sampled_from([None, {}, {"form": {}}, {"url": {}}, {"form": {}, "url": {}}]),
    st.none() | st.integers(0, 9),
    answers,
    st.none() | st.integers(0, 9),
)
# A few people and calls come again and again, or else nothing would ever be agreed to.
names = st.sampled_from([*["ada"] * 6, *CALLERS])
failures = st.none() | st.none() | st.none() | st.tuples(st.integers(0, 12), st.booleans())
times = st.sampled_from([1, 1, 2])
meddling = st.one_of(
    st.none(),
    st.none(),
    st.tuples(st.just("call"), names, st.integers(0, 2), manners, times, failures),
    st.tuples(st.just("decide"), st.sampled_from(list(CALLERS)), st.integers(0, 3), st.booleans(), failures),
    st.tuples(st.just("kill"), names, st.integers(0, 2), manners),
    st.tuples(st.just("world"), trees, st.sampled_from(["title", "height", "project", "grave", "is_hidden"])),
    st.tuples(st.just("clock"), st.sampled_from([60.0, 3000.0, 4000.0, -600.0])),
    st.tuples(st.just("rules"), rules),
)


def _ending(draw: st.DrawFn, name: str, which: int, again: Manner) -> Any:
    """Mostly who asked calls what they asked for; at times it is another call, or somebody else."""
    meant = draw(st.sampled_from(["the same"] * 4 + ["another", "by another"]))
    which = draw(st.integers(0, 2)) if meant == "another" else which
    name = draw(st.sampled_from([*LIKE_ADA * 2, *CALLERS])) if meant == "by another" else name
    if draw(st.integers(0, 6)) == 0:
        return ("kill", name, which, again)
    return ("call", name, which, again, draw(times), draw(failures))


@st.composite
def scenes(draw: st.DrawFn) -> list[Any]:
    """Somebody asks, somebody agrees in some way, and it is asked for again, more often than once; others meddle."""
    name, which, asking = draw(names), draw(st.integers(0, 2)), draw(manners)
    asking = replace(asking, answers=None, confirms=None)
    how = draw(st.sampled_from(["page", "page", "form", "model"]))
    again = replace(draw(manners), answers=None, confirms=None)
    if how == "form":
        asking = replace(asking, era=MODERN, capability={}, way="direct" if asking.way == "rest" else asking.way)
        again = replace(asking, answers=0, answer=draw(answers))
    if how == "model":
        again = replace(again, confirms=0)
    agreeing = [("decide", draw(st.none() | names), 0, draw(st.sampled_from([True] * 5 + [False])), draw(failures))]
    ending = [_ending(draw, name, which, again) for _ in range(draw(st.integers(1, 3)))]
    scene = [
        draw(meddling),
        ("call", name, which, asking, 1, None),
        draw(meddling),
        *(agreeing if how == "page" else []),
        draw(meddling),
        *ending,
    ]
    return [step for step in scene if step]


OTHERWISE: dict[str, list[Any]] = {
    "title": ["An old tree", "A young tree"],
    "height": [3, 9],
    "project": ["Park", "Street", None, ["Park", "Street"]],
    "grave": ["", "It is protected."],
    "is_hidden": [True, False],
}


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@settings(max_examples=PLAYS, deadline=None)
@given(
    house=houses,
    wishes=st.lists(calls, min_size=3, max_size=3) | alike,
    played=st.lists(scenes(), min_size=1, max_size=3),
)
def test_nothing_is_done_without_the_agreement_that_the_rules_want(
    loop: asyncio.Runner, house: House, wishes: list[Call], played: list[Any]
) -> None:
    with TemporaryDirectory(prefix="yard-") as folder:
        loop.run(_played(Play(Path(folder), house), wishes, [step for scene in played for step in scene]))


async def _played(play: Play, wishes: list[Call], played: list[Any]) -> None:
    for kind, *how in played:
        match kind:
            case "call":
                await _called(play, wishes, *how)
            case "decide":
                await _decided(play, *how)
            case "kill":
                await _killed(play, wishes, *how)
            case "world":
                _changed(*how)
            case "clock":
                play.now += how[0]
            case _:
                play.redeployed(rules=how[0])


def _meant(play: Play, name: str, call: Call, manner: Manner) -> tuple[str, Manner]:
    """Who really calls, and how: at a laptop nobody is known, and a further name takes less."""
    if manner.way == "further" and (call.tool != "fell" or call.arguments["notes"] is not None):
        manner = replace(manner, way="direct")
    return ("nobody" if play.house.is_laptop else name), manner


async def _called(
    play: Play, wishes: list[Call], name: str, which: int, manner: Manner, times: int, failure: Any
) -> None:
    name, manner = _meant(play, name, wishes[which], manner)
    call, before = wishes[which], len(THE_YARD.done)
    play.said(name, call, manner)
    is_sure = times == 1 and failure is None and name != "cleo, who only reads" and play.is_sure(name, call)
    with Records.kept() as records, play.failing(failure):
        answers = await at_once(*(play.call(name, call, manner) for _ in range(times)))
    done = [record for record in records.all if record["outcome"] == "done"]
    if play.is_broken:
        play.unsure |= {change for change, seen in play.seen.items() if (seen.name, seen.call) == (name, call)}
    assert len(THE_YARD.done) - before == len(done)
    assert all(was == (call.tool, call.arguments) for was in THE_YARD.done[before:])
    for record in done:
        play.check(name, call, manner, record)
    if times == 1 or len({record.get("change") for record in records.all}) == 1:
        _heard(play, name, call, records, answers)
    confirms_in_vain = manner.confirms is not None and not (play.house.by_argument and call.takes_confirm)
    if is_sure and not confirms_in_vain and not (manner.answers is not None and play.states):
        assert done, answers


def _heard(play: Play, name: str, call: Call, records: Records, answers: list[Json]) -> None:
    for record, answer in zip(records.all, answers, strict=False):
        if record["outcome"] != "done":
            play.hear(name, call, record, answer)


async def _decided(play: Play, approver: str | None, which: int, is_yes: bool, failure: Any) -> None:
    if not play.seen:
        return
    # The last ones first.
    change = list(play.seen)[-1 - which % len(play.seen)]
    who = "nobody" if play.house.is_laptop else approver or play.decider(change)
    with play.failing(failure):
        await play.decide(who, change, is_yes=is_yes)


async def _killed(play: Play, wishes: list[Call], name: str, which: int, manner: Manner) -> None:
    """A call whose request is given up while it is being done, if it comes to be done."""
    name, manner = _meant(play, name, wishes[which], manner)
    call, before = wishes[which], len(THE_YARD.done)
    play.said(name, call, manner)
    THE_YARD.held, THE_YARD.begun = asyncio.Event(), asyncio.Event()
    with Records.kept() as records:
        calling = asyncio.create_task(play.call(name, call, manner))
        beginning = asyncio.create_task(THE_YARD.begun.wait())
        await asyncio.wait([calling, beginning], return_when=asyncio.FIRST_COMPLETED)
        calling.cancel()
        beginning.cancel()
        answers = await asyncio.gather(calling, return_exceptions=True)
    THE_YARD.held, THE_YARD.begun = None, None
    if len(THE_YARD.done) > before:
        play.check(name, call, manner, records.only)
    elif isinstance(answers[0], dict):
        _heard(play, name, call, records, [answers[0]])


def _changed(tree: str, what: str) -> None:
    there = THE_YARD.trees[tree]
    otherwise = OTHERWISE[what]
    now = getattr(there, what)
    new = otherwise[(otherwise.index(now) + 1) % len(otherwise)] if now in otherwise else otherwise[0]
    THE_YARD.trees[tree] = replace(there, **{what: new})
