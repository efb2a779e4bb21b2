"""What is planted is there, found by the tools of each source, and only the cause is taken for the cause."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from tests.incidents.incident import Incident, incidents, later
from tests.incidents.judging import names_failure
from tests.incidents.planting import planted
from tests.tools.azure_devops.given import given

NOW: Final = datetime.now(UTC)
ALL: Final = [one for file in sorted(Path(__file__).parent.glob("*.yaml")) for one in incidents(file, NOW)]

each = pytest.mark.parametrize("incident", ALL, ids=lambda incident: incident.name)


@each
def test_the_facts_of_a_cause_are_those_of_no_innocent_event(incident: Incident) -> None:
    for event in incident.events:
        assert incident.tells_cause(event.words) is event.is_cause, event
    assert any(event.is_cause and event.at <= incident.broke for event in incident.events)


@each
def test_something_innocent_is_nearer_or_as_many_things_happened_besides(incident: Incident) -> None:
    assert sum(not event.is_cause for event in incident.events) >= 8


@each
async def test_what_changed_in_azure_is_found_by_its_tool(incident: Incident, tmp_path: Path) -> None:
    if "changes" in incident.fails:
        return
    async with planted(incident, tmp_path) as world:
        found = await given(world.caller, "list_resource_changes", since="13d", max_results=200)
        assert len(found["items"]) == len(incident.of("change"))


@each
async def test_deployments_pull_requests_builds_and_releases_are_found_by_their_tools(
    incident: Incident, tmp_path: Path
) -> None:
    async with planted(Incident(**{**vars(incident), "fails": {}}), tmp_path) as world:
        deployed = [
            one["id"].rpartition("/")[2]
            for group in {event.says["in"] for event in incident.of("deployment")}
            for one in (await given(world.caller, "list_azure_deployments", resource_group=group))["items"]
        ]
        assert sorted(deployed) == sorted(event.says["about"] for event in incident.of("deployment"))
        asked = {
            "pull_request": ("list_pull_requests", {"status": "completed"}),
            "build": ("list_builds", {}),
            "release": ("list_releases", {}),
        }
        for source, (tool, how) in asked.items():
            found = await given(world.caller, tool, project="Bakery", **how)
            assert len(found["items"]) == len(incident.of(source)), source


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
