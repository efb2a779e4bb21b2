"""What the tools cost a model that has them before it."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from mcp_server.declarations.toolset import Tool, Toolset
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import tools_of
from tools.azure_devops import TOOLSETS

A_TOOL, LEARN, ALL = 200, 4000, 18_000

every_toolset = pytest.mark.parametrize("toolset", TOOLSETS, ids=lambda toolset: toolset.name)


def tokens(tools: Sequence[Tool]) -> float:
    documents = [tool.published.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    return len(json.dumps({"tools": documents}, separators=(",", ":")).encode()) / 4


@every_toolset
def test_a_category_is_modest(toolset: Toolset) -> None:
    tools = tools_of(toolset)
    assert tokens(tools) / len(tools) <= A_TOOL


@every_toolset
async def test_learning_a_category_leaves_room_for_the_work(toolset: Toolset, player: Caller) -> None:
    learner = Caller(player.endpoint)
    learned = await learner.call("azure", learn=True, tool=toolset.name)
    assert len(learned["content"][0]["text"].encode()) / 4 < LEARN
