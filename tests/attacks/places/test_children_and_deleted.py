"""Resources that a change affects although the call does not name them or their tags."""

from __future__ import annotations

from typing import Any

from tests.tools.azure.resource_changes.scenes import LOGS, SCENES, set_up
from tests.tools.azure.test_places_of_changes import requires, shown

Json = dict[str, Any]


async def test_the_tags_of_a_deleted_resource_select_its_restoration() -> None:
    scene = next(one for one in SCENES if one.tool == "undelete_resource")
    azure = set_up(scene)
    azure.deleted.workspaces[LOGS]["tags"] = {"own": "yes"}
    assert requires(await shown(azure, "undelete_resource", scene.arguments), "tag:own", "yes")
