"""The fixed requirements for the one tool. Each test is named after the id of its requirement."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.mcp_server.caller import Caller


async def test_one_1_parameters(caller: Caller) -> None:
    tools = {tool["name"]: tool for tool in (await caller.result("tools/list"))["tools"]}
    schema = tools["azure"]["inputSchema"]["properties"]
    assert {"intent", "tool", "command", "parameters", "learn"} <= set(schema)


async def test_one_1_learn_leads_down_to_the_schema_of_a_command(caller: Caller) -> None:
    assert "storage" in [one["name"] for one in (await learned(caller))["tools"]]
    commands = (await learned(caller, tool="storage"))["commands"]
    assert "list_storage_accounts" in [one["name"] for one in commands]
    (command,) = (await learned(caller, tool="storage", command="list_storage_accounts"))["commands"]
    assert command["inputSchema"]["type"] == "object"


async def learned(caller: Caller, **arguments: Any) -> dict[str, Any]:
    answer = await caller.call("azure", learn=True, **arguments)
    document: dict[str, Any] = json.loads(answer["content"][0]["text"])
    return document


async def test_one_2_extensions_can_be_found_and_installed(caller: Caller) -> None:
    names = await replace(caller, toolsets="all").tool_names()
    assert {"search_extensions", "install_extension", "list_extensions", "update_extension"} <= set(names)


@pytest.mark.parametrize("toolset", ["storage", "keyvault", "resource", "azd"])
async def test_one_3_toolsets(caller: Caller, toolset: str) -> None:
    assert await replace(caller, toolsets=toolset).tool_names()
