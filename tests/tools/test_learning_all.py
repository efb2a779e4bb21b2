"""What a model reads to learn what there is: all toolsets, and the commands of a large one, in few tokens."""

from __future__ import annotations

import json

import pytest

from mcp_server.catalog.explaining import explanation
from mcp_server.catalog.gateway_request import GatewayRequest
from mcp_server.view import View
from tools import TOOLSETS
from tools.vocabulary import VOCABULARY

_BYTES_OF_A_TOKEN = 4


@pytest.fixture(scope="module")
def view() -> View:
    return View(TOOLSETS, (), "public", vocabulary=VOCABULARY)


def tokens(told: object) -> float:
    return len(json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()) / _BYTES_OF_A_TOKEN


def test_all_there_is_takes_few_tokens_in_whole_short_sentences(view: View) -> None:
    told = explanation(GatewayRequest(is_to_explain=True), view)
    assert tokens(told) <= 700
    assert not [entry for entry in told["tools"] if "…" in entry["description"]]


@pytest.mark.parametrize("name", [toolset.name for toolset in TOOLSETS])
def test_a_toolset_is_described_in_at_most_twelve_words(name: str) -> None:
    (described,) = (toolset.description for toolset in TOOLSETS if toolset.name == name)
    assert len(described.split()) <= 12
    assert described.endswith(".")


@pytest.mark.parametrize("name", [toolset.name for toolset in TOOLSETS])
def test_the_commands_of_a_toolset_take_few_tokens(view: View, name: str) -> None:
    told = explanation(GatewayRequest(is_to_explain=True, tool=name), view)
    assert tokens(told) <= 1000
    (toolset,) = (toolset for toolset in TOOLSETS if toolset.name == name)
    assert [command["name"] for command in told["commands"]] == [tool.name for tool in toolset.tools]


def test_a_command_of_a_large_toolset_has_its_schema_on_request(view: View) -> None:
    brief = explanation(GatewayRequest(is_to_explain=True, tool="storage"), view)
    assert brief["next"] == {"learn": True, "tool": "storage", "command": "<name>"}
    assert "inputSchema" not in brief["commands"][0]
    name = brief["commands"][0]["name"]
    (told,) = explanation(GatewayRequest(is_to_explain=True, tool="storage", command=name), view)["commands"]
    assert list(told["inputSchema"]["properties"]) == [
        each.removesuffix("?") for each in brief["commands"][0]["parameters"].split(", ")
    ]
