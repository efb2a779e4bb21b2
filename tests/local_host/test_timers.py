"""When timers run, and what they are told."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from aiohttp import ClientSession
from hypothesis import given
from hypothesis import strategies as st

from local_host.cannot_start import CannotStartError
from local_host.timers import Timer, TimerClock, expanded, schedule

ROOT: Final = Path(__file__).parent.parent.parent
DATA: Final = Path(os.environ.get("AZURE_TEAM_MCP_TEST_DATA", ROOT.parent / "shared" / "data")) / "functions-host"
YEARS: Final = 40


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "moment", "following"),
    [
        ("0 */5 * * * *", "2026-11-20T12:00:00", "2026-11-20T12:05:00"),
        ("*/5 * * * *", "2026-11-20T12:00:00", "2026-11-20T12:05:00"),
        ("0 0 */6 * * *", "2026-11-20T12:00:01", "2026-11-20T18:00:00"),
        ("30 * * * * *", "2026-11-20T12:00:30", "2026-11-20T12:01:30"),
        ("* * * * * *", "2026-11-20T12:00:00.250", "2026-11-20T12:00:01"),
        ("0 30 9 * * MON-FRI", "2026-11-20T10:00:00", "2026-11-23T09:30:00"),
        ("0 30 9 * Jan 1,3", "2026-11-20T10:00:00", "2027-01-04T09:30:00"),
        ("0 0 0 13 * 5", "2026-11-20T00:00:00", "2027-08-13T00:00:00"),  # a Friday the 13th, not either of them
        ("0 0 0 29 2 *", "2026-11-20T00:00:00", "2028-02-29T00:00:00"),
        ("0 */0 * * * *", "2026-11-20T12:00:00", "2026-11-20T12:01:00"),  # a step of nothing is one of 1
        ("0 */-5 * * * *", "2026-11-20T12:00:00", "2026-11-20T12:01:00"),
        ("0 0 */25 * * *", "2026-11-20T12:00:00", "2026-11-21T00:00:00"),
        ("0 0 9/4 * * *", "2026-11-20T14:00:00", "2026-11-20T17:00:00"),
        ("0 0 9/1 * * *", "2026-11-20T14:00:00", "2026-11-20T15:00:00"),
        ("0 0 0 * * FRI-mon", "2026-11-20T00:00:00", "2026-11-23T00:00:00"),  # Monday to Friday, in either order
        ("0 0 0 * J *", "2026-11-20T00:00:00", "2027-01-01T00:00:00"),
        ("0 0 0 * Ju *", "2027-01-20T00:00:00", "2027-06-01T00:00:00"),
        ("0 0 0 * * t,S", "2026-11-20T00:00:00", "2026-11-22T00:00:00"),  # Tuesday and Sunday
        ("  0   0 0 * * * ", "2026-11-20T12:00:00", "2026-11-21T00:00:00"),
        ("0 0 0 29 2 1", "2026-11-20T00:00:00", "2044-02-29T00:00:00"),
        ("* 30 * * * *", "2026-11-20T12:00:17", "2026-11-20T12:30:18"),  # the second does not begin again
        ("* 30 14 * * *", "2026-11-20T12:45:59", "2026-11-20T14:30:00"),
        ("00:05:00", "2026-11-20T12:00:00", "2026-11-20T12:05:00"),
        ("1.06:00", "2026-11-20T12:00:00", "2026-11-21T18:00:00"),
    ],
)
def test_a_schedule_knows_what_comes_next(expression: str, moment: str, following: str) -> None:
    assert schedule(expression)(at(moment)) == at(following)


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "soon",
        "* * * *",
        "* * * * * * *",
        "60 * * * * *",
        "@hourly",
        "0 0 24 * * *",
        "0 0 0 0 * *",
        "0 0 0 1 13 *",
        "0 0 0 * * 7",
        "0 0 0 * * Sundays",
        "0 Jan * * * *",
        "0 1,,2 * * * *",
        "0 1, * * * *",
        "0 -5 * * * *",
        "0 5- * * * *",
        "0 */ * * * *",
        "0 /5 * * * *",
        "0 */5-7 * * * *",
        "0 */99999999999 * * * *",
        "0 \u0665 * * * *",
        "0 0 0\t* * *",
        "0 0 0 L * *",
        "0 0 0 ? * 1",
        "0 0 0 * * 1#2",
        "24:00:00",
        "9999999.00:00",
        "00:00:00",
        "5",
    ],
)
def test_what_is_no_schedule_is_refused(expression: str) -> None:
    with pytest.raises(CannotStartError, match=re.escape(repr(expression))):
        schedule(expression)


def test_a_refused_expression_is_told_which_part_of_it_is_wrong() -> None:
    with pytest.raises(CannotStartError, match="'24' is not valid for hours, which are 0 to 23"):
        schedule("0 0 24 * * *")


def recorded(*, valid: bool) -> list[dict[str, Any]]:
    """What the library of the Functions host makes of expressions."""
    if not DATA.exists():
        pytest.skip(f"What the Functions host makes of expressions is not at {DATA}")
    expressions: list[dict[str, Any]] = json.loads((DATA / "ncrontab.json").read_text(encoding="utf-8"))
    return [entry for entry in expressions if entry["valid"] == valid]


def occurrences(expression: str, moment: datetime, count: int) -> list[str]:
    """The next occurrences, as far as they come within the years that the record looks ahead."""
    end, next_after, found = moment.replace(year=moment.year + YEARS), schedule(expression), list[str]()
    while len(found) < count and (following := next_after(moment)) and following < end:
        found.append(f"{following:%Y-%m-%dT%H:%M:%S}")
        moment = following
    return found


def test_every_expression_that_the_platform_takes_occurs_when_it_does_there() -> None:
    entries = recorded(valid=True)
    assert [occurrences(entry["expression"], at(entry["from"]), 6) for entry in entries] == [
        entry["next"] for entry in entries
    ]


def test_every_expression_that_the_platform_refuses_is_refused() -> None:
    for entry in recorded(valid=False):
        with pytest.raises(CannotStartError, match=re.escape(repr(entry["expression"]))):
            schedule(entry["expression"])


FIELDS: Final = "* */7 1 5 5-9 9-5 3/2 1,*/20 29 31 J Ju-S 0 60 / - 1,,2 x".split()


@given(
    st.lists(st.sampled_from(FIELDS), min_size=4, max_size=7),
    st.datetimes(timezones=st.just(UTC)),
)
def test_whatever_is_an_expression_goes_on_and_anything_else_is_refused(fields: list[str], moment: datetime) -> None:
    try:
        following = schedule(" ".join(fields))(moment)
    except CannotStartError:
        return
    assert following is None or following > moment


@given(
    st.sampled_from([2, 3, 5, 10, 15, 20, 30]),
    st.integers(0, 23),
    st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1)),  # noqa: DTZ001 - hypothesis adds the time zone below
)
def test_the_next_occurrence_is_the_first_that_fits(step: int, hour: int, moment: datetime) -> None:
    moment = moment.replace(tzinfo=UTC)
    following = schedule(f"0 */{step} {hour} * * *")(moment)
    assert following is not None
    assert moment < following
    assert (following.second, following.minute % step, following.hour) == (0, 0, hour)
    earlier = following - timedelta(minutes=step)
    assert earlier <= moment or earlier.hour != hour


def test_a_setting_is_put_into_an_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERY", "*/5")
    assert expanded("0 %EVERY% * * * *") == "0 */5 * * * *"
    with pytest.raises(CannotStartError, match="setting MISSING, which is not set"):
        expanded("%MISSING%")


class LeapingClock(TimerClock):
    """A clock that needs no time to come to a moment, or to oversleep it, and stops after a few."""

    def __init__(self, *oversleeping: float) -> None:
        self.time = at("2026-11-20T12:00:00")
        self.oversleeping = list(oversleeping)

    def now(self) -> datetime:
        return self.time

    async def sleep_until(self, moment: datetime) -> None:
        if not self.oversleeping:
            raise asyncio.CancelledError
        self.time = moment + timedelta(seconds=self.oversleeping.pop(0))


class Diary:
    """A function of a timer that needs some minutes, and notes what it is told and when."""

    def __init__(self, clock: LeapingClock, minutes: int = 0) -> None:
        self.clock = clock
        self.takes = timedelta(minutes=minutes)
        self.entries: list[tuple[str, bool]] = []
        self.last: dict[str, Any] = {}

    async def note(self, event: str) -> None:
        self.last = json.loads(event)
        self.entries.append((f"{self.clock.time:%H:%M:%S}", self.last["IsPastDue"]))
        self.clock.time += self.takes


async def lived(diary: Diary, expression: str, **trigger: object) -> list[tuple[str, bool]]:
    timer = Timer("t", {"schedule": expression, **trigger}, diary.note, diary.clock)
    with pytest.raises(asyncio.CancelledError):
        await timer.keep_schedule()
    return diary.entries


async def test_a_timer_runs_at_every_occurrence() -> None:
    diary = Diary(LeapingClock(0, 0, 0))
    assert await lived(diary, "0 */5 * * * *") == [("12:05:00", False), ("12:10:00", False), ("12:15:00", False)]
    assert diary.last["ScheduleStatus"] == {
        "Last": "2026-11-20T12:10:00+00:00",
        "Next": "2026-11-20T12:20:00+00:00",
        "LastUpdated": "2026-11-20T12:10:00+00:00",
    }


async def test_a_timer_may_run_at_startup_as_well() -> None:
    assert await lived(Diary(LeapingClock(0)), "0 */5 * * * *", runOnStartup=True) == [
        ("12:00:00", False),
        ("12:05:00", False),
    ]


async def test_a_run_that_comes_late_is_past_due() -> None:
    assert await lived(Diary(LeapingClock(0.5, 60)), "0 */5 * * * *") == [("12:05:00", False), ("12:11:00", True)]


async def test_what_passes_during_a_long_run_is_left_out() -> None:
    assert await lived(Diary(LeapingClock(0, 0), minutes=12), "0 */5 * * * *") == [
        ("12:05:00", False),
        ("12:20:00", False),
    ]


async def test_a_timer_whose_schedule_never_occurs_says_so_and_runs_only_at_startup(
    caplog: pytest.LogCaptureFixture,
) -> None:
    diary = Diary(LeapingClock())
    timer = Timer("t", {"schedule": "0 0 0 30 2 *", "runOnStartup": True}, diary.note, diary.clock)
    await timer.keep_schedule()
    assert diary.entries == [("12:00:00", False)]
    assert diary.last["ScheduleStatus"]["Next"] == "9999-12-31T23:59:59.999999+00:00"
    assert caplog.messages == ["t: the schedule '0 0 0 30 2 *' never occurs"]


async def test_a_timer_never_runs_twice_at_once() -> None:
    under_way, most = 0, 0

    async def invoke(event: str) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1

    timer = Timer("t", {"schedule": "00:05:00"}, invoke, LeapingClock())
    await asyncio.gather(*(timer.run() for _ in range(5)))
    assert most == 1


@pytest.mark.parametrize(
    ("name", "body", "content_type", "status"),
    [
        ("nightly", '{"input": ""}', "application/json", 202),
        ("NIGHTLY", "{}", "application/json; charset=utf-8", 202),
        ("failing", "{}", "application/json", 202),
        ("unknown", "{}", "application/json", 404),
        ("echo", "{}", "application/json", 404),
        ("nightly", '{"input": ""}', "text/plain", 415),
        ("nightly", "", "application/json", 400),
        ("nightly", '{"input', "application/json", 400),
        ("nightly", "[" * 100_000, "application/json", 400),
        ("nightly", "{}", "application/json; charset=nonsense", 202),
        ("nightly", "\udcff", "application/json", 400),
    ],
)
async def test_a_timer_is_run_on_demand(
    client: ClientSession, name: str, body: str, content_type: str, status: int
) -> None:
    async def runs() -> int:
        async with client.get("/timers/nightly") as response:
            return len(await response.json())

    before = await runs()
    path, headers = f"/admin/functions/{name}", {"Content-Type": content_type}
    async with client.post(path, data=body.encode(errors="surrogateescape"), headers=headers) as response:
        assert (response.status, await response.read()) == (status, b"")
    assert await runs() - before == (status == 202 and name.lower() == "nightly")


FOREIGN = {
    "a name that is bound to this machine": {"Host": "evil.example:7071"},
    "a name that begins alike": {"Host": "127.0.0.1.evil.example"},
    "a name that ends alike": {"Host": "evil.localhost.example"},
    "a page of another site": {"Origin": "https://evil.example"},
    "a page of a bound name": {"Host": "evil.example", "Origin": "http://evil.example"},
    "a page of no origin": {"Origin": "null"},
    "a page at another port": {"Origin": "http://127.0.0.1:1"},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
async def test_no_web_page_runs_a_timer(client: ClientSession, headers: dict[str, str]) -> None:
    async with client.get("/timers/nightly") as response:
        before = await response.json()
    async with client.post("/admin/functions/nightly", json={"input": ""}, headers=headers) as response:
        assert response.status == 403
    async with client.get("/timers/nightly") as response:
        assert await response.json() == before


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:7071", "127.0.0.1:7071", "[::1]:7071", "192.0.2.7"])
async def test_programs_run_a_timer_by_any_address_of_the_machine(client: ClientSession, host: str) -> None:
    async with client.post("/admin/functions/nightly", json={"input": ""}, headers={"Host": host}) as response:
        assert response.status == 202


async def test_a_timer_gets_what_the_platform_gives(client: ClientSession) -> None:
    async with client.post("/admin/functions/nightly", json={"input": ""}):
        pass
    async with client.get("/timers/nightly") as response:
        event = (await response.json())[-1]
    assert (event["past_due"], event["schedule"]) == (False, {"AdjustForDST": True})
    assert set(event["status"]) == {"Last", "Next", "LastUpdated"}
    assert event["status"]["Next"].endswith("T03:00:00+00:00")


async def test_a_timer_runs_by_itself(client: ClientSession) -> None:
    async with client.get("/timers/ticking") as response:
        assert await response.json() == "ticked"


async def test_the_failure_of_a_timer_is_in_the_log(client: ClientSession, logged: Callable[[], str]) -> None:
    async with client.post("/admin/functions/failing", json={}):
        assert "ValueError: a night without data" in logged()


async def test_a_timer_that_runs_on_startup_has_run(client: ClientSession, logged: Callable[[], str]) -> None:
    async with client.get("/timers/nightly"):
        assert logged().count("started with the host") == 1
