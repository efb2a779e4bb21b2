"""Real clients at the app under the local host, each in every version of the protocol that it speaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Final

import pytest

from tests.e2e.visits import Json, Step
from tools import SURFACE, TOOLSETS
from tools.firewall.tools import new_azure_firewall_rules

Visiting = Callable[..., list[Json]]

LIST: Final[Step] = ("tools/list", {})
SCHEMA_URI: Final = "mcp://azure-firewall/schema"
RULE: Final[dict[str, Json]] = {
    "team": "payments",
    "source": "10.0.0.0/24",
    "destination": "52.10.20.30",
    # What a client or a host might mangle on the way: letters beyond ASCII, and both kinds of line ends.
    "existing_yaml": "# Règles — 規則\r\nrules: # ours\n- team: 'a'\n  source: 10.0.0.1\n  destination: 10.0.0.2\n",
}


def call(name: str, **arguments: Json) -> Step:
    return ("tools/call", {"name": name, "arguments": arguments})


def names(listed: Json) -> set[str]:
    return {tool["name"] for tool in listed["tools"]}


def told(result: Json) -> str:
    [content] = result["content"]
    text: str = content["text"]
    return text


def assert_rule_was_added(result: Json) -> None:
    expected = asyncio.run(new_azure_firewall_rules(**RULE)).model_dump()
    assert expected["action"] == "updated"
    assert result["structuredContent"] == json.loads(told(result)) == expected
    assert not result.get("isError")


@pytest.mark.inspected
def test_the_surface_and_what_belongs_to_it_are_listed(visit: Visiting) -> None:
    tools, resources, prompts = visit("/mcp", LIST, ("resources/list", {}), ("prompts/list", {}))
    assert names(tools) == {*SURFACE, "azure", "azure_change"}
    assert all(tool["title"] and tool["annotations"]["title"] for tool in tools["tools"])
    assert SCHEMA_URI in {resource["uri"] for resource in resources["resources"]}
    assert "add_firewall_rule" in {prompt["name"] for prompt in prompts["prompts"]}


def test_a_tool_is_called_a_resource_read_and_a_prompt_got(visit: Visiting) -> None:
    reading: Step = ("resources/read", {"uri": SCHEMA_URI})
    getting: Step = ("prompts/get", {"name": "add_firewall_rule", "arguments": {"team": "payments"}})
    called, read, got = visit("/mcp", call("new_azure_firewall_rules", **RULE), reading, getting)
    assert_rule_was_added(called)
    assert "rules" in json.loads(read["contents"][0]["text"])["properties"]
    assert "- team: payments" in got["messages"][0]["content"]["text"]


def test_arguments_that_are_not_valid_are_answered_in_words(visit: Visiting) -> None:
    [refused] = visit("/mcp", call("new_azure_firewall_rules", **RULE | {"source": "10.0.0.1/24"}))
    assert refused["isError"]
    assert "10.0.0.0/24" in told(refused)


def test_an_address_can_name_the_toolset(visit: Visiting) -> None:
    tools, called = visit("/mcp/x/firewall", LIST, call("new_azure_firewall_rules", **RULE))
    assert names(tools) == {"new_azure_firewall_rules"}
    assert_rule_was_added(called)


def test_every_tool_that_needs_no_line_of_its_own_in_a_role_can_be_listed(visit: Visiting) -> None:
    [tools] = visit("/mcp/x/all", LIST)
    everything = {(toolset, tool.name) for toolset in TOOLSETS for tool in toolset.tools}
    assert names(tools) == {name for toolset, name in everything if name not in toolset.by_name_only}


def test_headers_narrow_what_is_there(visit: Visiting) -> None:
    narrowed = {"X-MCP-Readonly": "true", "X-MCP-Tools": "azure"}
    tools, learned = visit("/mcp", LIST, call("azure", learn=True, tool="azure-updates"), headers=narrowed)
    assert names(tools) == {"azure"}
    assert tools["tools"][0]["annotations"]["readOnlyHint"] is True
    assert {command["access"] for command in learned["structuredContent"]["commands"]} == {"read"}


def test_what_changes_something_is_called_through_the_tool_that_says_so(visit: Visiting) -> None:
    wanted = {"tool": "azure-updates", "command": "refresh_azure_updates", "parameters": {"full": "perhaps"}}
    tools, refused, called = visit("/mcp", LIST, call("azure", **wanted), call("azure_change", **wanted))
    reads = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in tools["tools"]}
    assert (reads["azure"], reads["azure_change"]) == (True, False)
    assert refused["isError"]
    assert '"call":"azure_change"' in told(refused)
    assert "full: must be true or false" in told(called)


def test_a_tool_is_learned_and_called_through_azure(visit: Visiting) -> None:
    everything, command, called = visit(
        "/mcp",
        call("azure", learn=True),
        call("azure", learn=True, tool="firewall", command="new_azure_firewall_rules"),
        call("azure", tool="firewall", command="new_azure_firewall_rules", parameters=RULE),
    )
    assert "firewall" in {tool["name"] for tool in json.loads(told(everything))["tools"]}
    [learned] = command["structuredContent"]["commands"]
    assert learned["inputSchema"]["required"] == ["team", "source", "destination"]
    assert_rule_was_added(called)
