"""Every tool that changes a resource shows what Azure knows of that, only reads for it, and finds what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import pytest

from changes.preview import Preview
from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION
from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.azure.inventing import refused
from tests.tools.azure.resource_changes.scenes import NET, SCENES, Scene, set_up
from tests.tools.azure.team import ASKING, team
from tools.azure import TOOLSETS

# What is sent by POST, and only reads.
READS: Final = ("/providers/microsoft.resourcegraph/resources", "/validatemoveresources", "/whatif")
LEARN: Final = 4000
MISSING: Final = {
    "shop-orders": "none-such",
    "shop-web": "none-such",
    "/hold": "/none-such",
    "bread": "none-such",
    "shop-logs": "x",
}

AFTER: Final = {
    "id": NET,
    "name": "rules",
    "type": "Microsoft.Network/networkSecurityGroups",
    "location": "westeurope",
    "properties": {"flushConnection": False, "securityRules": []},
}
PLAN: Final = {
    "status": "Succeeded",
    "properties": {"changes": [{"resourceId": NET, "changeType": "Create", "after": AFTER}]},
}

every_scene = Sweep("scene", SCENES, ids=lambda scene: scene.name, every=3)


async def shown(azure: FakeAzure, scene: Scene) -> Preview:
    """What is shown of a call that another person has to agree to."""
    azure.places["/whatIf"] = troubles.answering(200, json.dumps(PLAN).encode())
    async with team(azure, ASKING) as them:
        preview = await them.shown(await refused(them.member("ada"), scene.tool, **scene.arguments))
    changing = [one for one in azure.asked if one.method != "GET" and not one.path.lower().endswith(READS)]
    assert changing == []
    return preview


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)
    elif value is not None:
        yield str(value)


@every_scene
async def test_a_preview_shows_what_azure_knows_beyond_the_arguments(scene: Scene) -> None:
    preview = await shown(set_up(scene), scene)
    given = " ".join(texts(dict(scene.arguments))).lower()
    document = preview.document
    told = [text for text in texts([document["facts"], document["edits"]]) if text and text.lower() not in given]
    assert len(told) >= 2
    assert preview.missing == ([] if scene.is_seen else ["effect of the action: Azure cannot preview a POST"])
    assert preview.places["subscription"] == [["Bakery Production", PRODUCTION]]
    assert preview.places["resource-group"]


@every_scene
async def test_the_same_is_shown_as_long_as_nothing_changes(scene: Scene) -> None:
    azure = set_up(scene)
    assert (await shown(azure, scene)).bound == (await shown(azure, scene)).bound


@every_scene
async def test_what_is_not_there_is_refused_in_words_before_anybody_is_asked(scene: Scene) -> None:
    if scene.tool == "create_resource_group" or (scene.method == "PUT" and scene.tool == "change_azure"):
        return  # these make what is not there
    azure = set_up(scene)
    arguments = {name: _elsewhere(value) for name, value in scene.arguments.items()}
    async with team(azure, ASKING) as them:
        told = await refused(them.member("ada"), scene.tool, **arguments)
    assert "/changes/" not in told
    assert "incident" not in told
    assert replace(scene, arguments=arguments).sent(azure) == 0


def _elsewhere(value: Any) -> Any:
    if isinstance(value, list):
        return [_elsewhere(one) for one in value]
    if isinstance(value, str):
        for name, other in MISSING.items():
            value = value.replace(name, other)
    return value


@pytest.mark.parametrize("toolset", ["resource-changes", "resource-any"])
async def test_learning_what_changes_resources_leaves_room_for_the_work(toolset: str) -> None:
    assert toolset in {one.name for one in TOOLSETS}
    async with team(FakeAzure()) as them:
        learner = Caller(them.caller.endpoint, headers={"x-who": "ada"})
        learned = await learner.call("azure_change", learn=True, tool=toolset)
    assert len(learned["content"][0]["text"].encode()) / 4 < LEARN
