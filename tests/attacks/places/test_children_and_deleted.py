"""Resources that a change affects although the call does not name them or their tags."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tools.azure.inventing import NAME
from tests.tools.azure.placing import requires, shown
from tests.tools.azure.resource_changes.scenes import LOGS, SCENES, WEB, set_up

Json = dict[str, Any]


async def test_the_tags_of_a_deleted_resource_select_its_restoration() -> None:
    scene = next(one for one in SCENES if one.tool == "undelete_resource")
    azure = set_up(scene)
    azure.deleted.workspaces[LOGS]["tags"] = {"own": "yes"}
    assert requires(await shown(azure, "undelete_resource", scene.arguments), "tag:own", "yes")


@pytest.mark.parametrize(
    ("tool", "arguments", "name"),
    [
        ("delete_azure_resource", {"resource_id": WEB}, "staging"),
        ("change_azure", {"method": "DELETE", "path": WEB}, "staging"),
        ("delete_resource_group", {"resource_group": "shop-prod", "subscription": NAME}, "staging"),
    ],
)
async def test_a_rule_for_the_name_of_a_child_selects_its_deletion_with_its_parent(
    tool: str, arguments: Json, name: str
) -> None:
    azure = set_up(SCENES[0])
    azure.estate.locks.clear()
    assert requires(await shown(azure, tool, arguments), "name", name)
