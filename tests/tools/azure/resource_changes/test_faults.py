"""Whatever goes wrong in the middle of a change, it is sent once, and what became of it is found out and told."""

from __future__ import annotations

from typing import Final

import pytest
from aiohttp import web

from identity.access import Access
from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident
from tests.fakes.azure.world import PRODUCTION
from tests.sweeps import Sweep, pairs
from tests.tools.azure.inventing import asking
from tests.tools.azure.resource_changes.scenes import SCENES, Scene, set_up
from tools.azure import TOOLSETS

LOST: Final = {
    "cut": troubles.cut_connection,
    "half an answer": troubles.cut_body,
    "no JSON": troubles.no_json,
    "500": troubles.broken,
    "502": troubles.bad_gateway,
    "504": troubles.gateway_timeout,
}
REFUSED: Final = {
    "409": (troubles.failing(409, "Conflict", "Something else is being done."), "409 Conflict"),
    "412": (troubles.failing(412, "PreconditionFailed", "Other etag."), "changed in the meantime, so nothing was done"),
    "403": (troubles.failing(403, "AuthorizationFailed", "No."), "403 AuthorizationFailed"),
    "404": (troubles.failing(404, "ResourceNotFound", "No."), "404 ResourceNotFound"),
    "locked": (
        troubles.failing(409, "ScopeLocked", "scope(s) are locked: '/x'."),
        "A lock on /x prevents this request",
    ),
    "throttled": (troubles.throttled(Retry_After="60"), "Try again in 60 seconds"),
}

every_scene = Sweep("scene", SCENES, ids=lambda scene: scene.name, every=3)


def name_of(value: Scene | str) -> str:
    return value.name if isinstance(value, Scene) else value


async def accepted(request: web.BaseRequest) -> web.StreamResponse:
    """It was taken, and nobody knows the place that tells how far it is."""
    place = f"{request.scheme}://{request.host}/subscriptions/{PRODUCTION}/operationresults/none?api-version=2024-07-01"
    return web.Response(status=202, headers={"Location": place})


async def told(azure: FakeAzure, scene: Scene) -> tuple[bool, str]:
    """Whether the call failed, and in which words."""
    async with asking(azure) as caller:
        result = await caller.call(scene.tool, **scene.arguments)
    text = str(result["content"][0]["text"])
    assert "incident" not in text.lower()
    assert scene.sent(azure) == 1
    return bool(result["isError"]), text


def test_every_tool_that_changes_something_is_looked_at() -> None:
    ours = {"resource-changes", "resource-any"}
    # They have stories of their own.
    deploying = {"deploy_template", "retry_azure_deployment", "cancel_azure_deployment", "delete_deployment_stack"}
    assert {scene.tool for scene in SCENES} | deploying == {
        tool.name
        for toolset in TOOLSETS
        if toolset.name in ours
        for tool in toolset.tools
        if tool.access is not Access.READ
    }


@every_scene
async def test_without_a_fault_it_is_done(scene: Scene) -> None:
    azure = set_up(scene)
    if not scene.is_seen:
        azure.accidents.append(Accident(scene.method, scene.part, troubles.answering(200, b"{}")))
    failed, text = await told(azure, scene)
    assert not failed, text
    assert '"status":"done"' in text


@Sweep(("scene", "fault"), pairs(SCENES, LOST), every=len(LOST), ids=name_of)
async def test_what_was_done_and_not_answered_is_found_to_be_done(scene: Scene, fault: str) -> None:
    azure = set_up(scene)
    azure.work.polls = 0
    azure.accidents.append(Accident(scene.method, scene.part, LOST[fault], is_done=True))
    failed, text = await told(azure, scene)
    if not scene.is_seen:
        assert "The outcome is unknown, and the request was not sent again." in text
    elif _goes_on_by_itself(scene):
        # Nobody asks for the outcome of what was begun, so this fake does not bring it to an end.
        assert failed
        assert "request was not sent again" in text.lower()
    else:
        assert not failed, text
        assert '"status":"done"' in text


def _goes_on_by_itself(scene: Scene) -> bool:
    return scene.tool in {"delete_resource_group", "move_resources"}


@Sweep(("scene", "fault"), pairs(SCENES, LOST), every=len(LOST), ids=name_of)
async def test_what_was_not_done_and_not_answered_is_not_said_to_be_done(scene: Scene, fault: str) -> None:
    azure = set_up(scene)
    azure.accidents.append(Accident(scene.method, scene.part, LOST[fault]))
    failed, text = await told(azure, scene)
    assert failed
    assert "sent again" in text
    assert "check" in text.lower()


@Sweep(("scene", "fault"), pairs(SCENES, REFUSED), every=len(REFUSED), ids=name_of)
async def test_what_azure_refuses_is_told_in_its_words(scene: Scene, fault: str) -> None:
    azure = set_up(scene)
    trouble, words = REFUSED[fault]
    azure.accidents.append(Accident(scene.method, scene.part, trouble))
    failed, text = await told(azure, scene)
    assert failed
    assert words in text


@every_scene
async def test_what_was_taken_and_is_lost_then_is_under_way_or_done(scene: Scene) -> None:
    for is_done in (False, True):
        azure = set_up(scene)
        azure.accidents.append(Accident(scene.method, scene.part, accepted, is_done=is_done))
        failed, text = await told(azure, scene)
        assert not failed, text
        is_over = is_done and scene.is_seen and not _goes_on_by_itself(scene)
        assert '"status":"done"' in text if is_over else "Do not repeat the call" in text


@pytest.mark.parametrize("tool", ["delete_resource_group", "move_resources"])
async def test_what_does_not_end_in_time_is_under_way(tool: str) -> None:
    scene = next(one for one in SCENES if one.tool == tool)
    azure = set_up(scene)
    azure.work.never_ends = True
    failed, text = await told(azure, scene)
    assert not failed
    assert '"status":"under way"' in text
    assert "look_again" in text
