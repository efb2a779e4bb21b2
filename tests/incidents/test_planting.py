"""What is planted is there, found by the tools of each source, and only the cause is taken for the cause."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from tests.incidents.incident import Incident, incidents, later
from tests.incidents.judging import Verdict, names_failure, table
from tests.incidents.planting import all_answer, planted
from tests.sweeps import Sweep

NOW: Final = datetime.now(UTC)
ALL: Final = [one for file in sorted(Path(__file__).parent.glob("*.yaml")) for one in incidents(file, NOW)]

each = pytest.mark.parametrize("incident", ALL, ids=lambda incident: incident.name)


@each
def test_the_facts_of_a_cause_are_those_of_no_innocent_event(incident: Incident) -> None:
    for event in incident.events:
        assert incident.tells_cause(event.words) is event.is_cause, event
    assert any(event.is_cause and event.at <= incident.broke for event in incident.events)


@each
def test_many_things_happened_besides(incident: Incident) -> None:
    assert sum(not event.is_cause for event in incident.events) >= 8


# Where all sources answer, the test that asks for the cause looks at that, too.
@Sweep("incident", [one for one in ALL if not all_answer(one)], ids=lambda incident: incident.name, every=3)
async def test_what_was_planted_is_found_by_the_tool_of_its_source(incident: Incident, tmp_path: Path) -> None:
    async with planted(replace(incident, fails={}), tmp_path) as world:
        await world.check()


def test_an_incident_counts_as_told_where_its_cause_is_among_the_first_three() -> None:
    verdicts = [Verdict(ALL[0], place, True, [], 9, 1000, 0.1) for place in (1, 3, 4, None)]
    assert [one.is_hit for one in verdicts] == [True, True, False, False]
    assert table(verdicts).endswith("2 of 4 among the first 3; 0 left a failure unnamed")


def test_times_are_written_as_how_long_ago() -> None:
    assert later(NOW, "-1d2h5m") < later(NOW, "-2h5m") < NOW < later(NOW, "+1m")
    for wrong in ("-", "2h", "-2", ""):
        with pytest.raises(ValueError, match="is no time"):
            later(NOW, wrong)


@pytest.mark.parametrize(
    "answer",
    [
        {"notRead": ["Azure activity log: HTTP 503"]},
        {"sources": {"activity_log": "failed: try again later"}},
        {"sources": [{"source": "activityLog", "state": "unavailable"}]},
        {"not_read": [{"source": "activity", "why": "it took too long"}]},
    ],
)
def test_a_failure_is_named_in_any_of_these_forms(answer: dict[str, object]) -> None:
    assert names_failure({**answer, "items": []}, "activity")


@pytest.mark.parametrize(
    "answer",
    [
        {"sources": {"activity_log": "read", "alerts": "failed"}},
        {"sources": [{"source": "activityLog", "entries": 3}]},
        {},
    ],
)
def test_a_source_that_is_only_listed_is_not_named_as_failed(answer: dict[str, object]) -> None:
    assert not names_failure({**answer, "items": [{"activity": "failed"}]}, "activity")
