"""What the tools cost a model that has them before it."""

from __future__ import annotations

import pytest

from mcp_server.declarations.toolset import Toolset
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import tools_of
from tests.tools.azure_devops.costs import tokens
from tools.azure_devops import TOOLSETS

A_TOOL, LEARN = 205, 4000

every_toolset = pytest.mark.parametrize("toolset", TOOLSETS, ids=lambda toolset: toolset.name)


@every_toolset
def test_a_category_is_modest(toolset: Toolset) -> None:
    tools = tools_of(toolset)
    assert tokens(tools) / len(tools) <= A_TOOL


@every_toolset
async def test_learning_a_category_leaves_room_for_the_work(toolset: Toolset, player: Caller) -> None:
    learner = Caller(player.endpoint)
    learned = await learner.call("azure", learn=True, tool=toolset.name)
    assert len(learned["content"][0]["text"].encode()) / 4 < LEARN
