"""What the app does at set times, without anybody asking."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.build import App
from app.jobs import HOUSEKEEPING, Jobs
from tests.clock.access import NetworkClock
from tests.clock.app import app_with_clock
from tests.clock.provider import provider as clock
from tests.offline import app_of, offline
from tools.jobs import Chore, Every, JobContext, ScheduledJob

NOON = datetime(2026, 11, 28, 12, 12, tzinfo=UTC)
NIGHT = NOON.replace(hour=3)


def jobs_with(app: App, *chores: Chore[None]) -> Jobs:
    return replace(app.jobs, own_chores=chores)


async def test_each_job_has_a_name_and_a_schedule_of_its_own(tmp_path: Path) -> None:
    app = app_of(offline(tmp_path))
    schedules = {job.name: job.schedule for job in app.jobs.all()}
    assert schedules.keys() >= {"sync_updates_delta", "sync_updates_reconcile", HOUSEKEEPING}
    assert len(schedules) == len(list(app.jobs.all()))
    await app.close()


async def test_chores_are_done_each_hour_or_once_a_day() -> None:
    done: list[str] = []

    def chore(name: str, every: Every) -> Chore[None]:
        async def run(_given: JobContext[None]) -> None:
            done.append(name)

        return Chore(name, every, run)

    app = app_with_clock()
    jobs = jobs_with(app, chore("wind", Every.HOUR), chore("oil", Every.DAY))
    await jobs.keep_house(NOON)
    assert done == ["wind"]
    await jobs.keep_house(NIGHT)
    assert done == ["wind", "wind", "oil"]
    await app.close()


async def test_a_chore_that_fails_is_named_and_keeps_no_other_from_being_done() -> None:
    done: list[str] = []

    async def fail(_given: JobContext[None]) -> None:
        raise OSError("The oil is out.")

    async def wind(_given: JobContext[None]) -> None:
        done.append("wound")

    app = app_with_clock()
    with pytest.raises(ExceptionGroup) as failed:
        await jobs_with(app, Chore("oil", Every.HOUR, fail), Chore("wind", Every.HOUR, wind)).keep_house(NOON)
    assert done == ["wound"]
    assert failed.value.exceptions[0].__notes__ == ["in the chore oil"]
    await app.close()


async def test_a_job_of_a_provider_is_given_what_the_provider_opens() -> None:
    seen: list[NetworkClock] = []

    async def look(given: JobContext[NetworkClock]) -> None:
        seen.append(await given.opened())

    with_job = replace(
        clock, jobs=(ScheduledJob("look_at_clock", lambda settings: f"0 0 * * * {settings.url[:0]}*", look),)
    )
    app = app_with_clock("http://127.0.0.1:9")
    app = replace(app, all_providers=[with_job])
    (job, _) = app.jobs.all()
    assert (job.name, job.schedule) == ("look_at_clock", "0 0 * * * *")
    await job.run()
    assert seen == [await app.providers.get(clock.key)]
    await app.close()


async def test_a_provider_that_lacks_a_setting_has_no_jobs() -> None:
    async def look(_given: JobContext[NetworkClock]) -> None: ...

    with_job = replace(clock, jobs=(ScheduledJob("look_at_clock", lambda _: "0 0 * * * *", look),))
    app = replace(app_with_clock(), all_providers=[with_job])
    assert [job.name for job in app.jobs.all()] == [HOUSEKEEPING]
    await app.close()
