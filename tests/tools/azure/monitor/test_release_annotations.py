"""A deployment is marked in the charts of an app: once, where its caller may, and seen before."""

from __future__ import annotations

import json

import pytest

from tests.fakes.azure import troubles
from tests.fakes.azure.monitor.bakery import INSIGHTS
from tests.fakes.azure.people import NOBODY, READER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.team import ASKING, team

MARK = {"app": "shop-web", "release": "Release 42", "at": "2026-11-20T08:00:00Z", "build": "1001", "commit": "9fceb02d"}


async def test_a_mark_is_of_the_component_that_watches_the_app() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        told = await answered(caller, "mark_deployment", **MARK, environment="production")
        again = await answered(caller, "mark_deployment", **MARK, environment="production")
    (mark,) = azure.monitor.marks.made.values()
    assert (mark["Category"], mark["AnnotationName"], mark["EventTime"]) == ("Deployment", "Release 42", MARK["at"])
    assert json.loads(mark["Properties"])["ReleaseEnvironmentName"] == "production"
    assert told["app"].lower() == INSIGHTS.lower()
    assert told["mark"] == again["mark"] == mark["Id"]


@pytest.mark.parametrize("is_done", [True, False])
async def test_where_the_answer_is_lost_it_is_looked_and_not_sent_again(is_done: bool) -> None:
    azure = FakeAzure()
    azure.accidents.append(Accident("PUT", "/annotations", troubles.cut_connection, is_done=is_done))
    async with asking(azure) as caller:
        if is_done:
            assert (await answered(caller, "mark_deployment", **MARK))["status"] == "done"
        else:
            assert "most likely not applied" in await refused(caller, "mark_deployment", **MARK)
    assert len([one for one in azure.asked if one.method == "PUT"]) == 1


async def test_what_is_marked_is_shown_before() -> None:
    azure = FakeAzure()
    async with team(azure, ASKING) as people:
        shown = await people.shown(await refused(people.member("ada"), "mark_deployment", **MARK))
    assert "shop-insights" in shown.what
    assert {"type", "location", "BuildNumber"} <= shown.facts.keys()
    assert shown.places["resource-group"]
    assert azure.monitor.marks.made == {}


@pytest.mark.parametrize("who", [READER, NOBODY])
async def test_who_may_not_write_marks_nothing(who: Principal) -> None:
    azure = FakeAzure()
    async with asking(azure, who=who) as caller:
        await refused(caller, "mark_deployment", app=INSIGHTS, release="x")
    assert azure.monitor.marks.made == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": "soon"},
        {"commit": "zz"},
        {"commit": "abc"},
        {"release": ""},
        {"release": "x" * 201},
        {"notes": "x" * 1001},
    ],
)
async def test_what_cannot_be_right_is_refused_before_anything_is_sent(wrong: dict[str, str]) -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        await refused(caller, "mark_deployment", **{**MARK, **wrong})
    assert not [one for one in azure.asked if one.method == "PUT"]
