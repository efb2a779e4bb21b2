"""Whatever call an answer or a refusal proposes next is accepted by the tool that it names."""

from __future__ import annotations

import ast
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import jsonschema
import pytest

from mcp_server.declarations.toolset import Access, Tool
from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.azure.calling import TOOLS
from tests.tools.azure.reading_all import READS, asked_of, reading_all

NAMED: Final[Mapping[str, Tool]] = {tool.name: tool for tool in TOOLS}
_CALL: Final = re.compile(r"\b([a-z]+(?:_[a-z]+)+)\(([^()]{0,2000})\)")
# As a sentence names a parameter with its value.
_WITH: Final = re.compile(r"\b([a-z]+(?:_[a-z]+)+)(?: \w+){0,4} (?:with|by|has) `?([a-z_]+)=([\w./-]*\w)")


@dataclass(frozen=True)
class Proposal:
    tool: str
    arguments: Mapping[str, Any]


def proposals(told: Any, asked: Proposal) -> Iterator[Proposal]:
    """The calls that a document or a text proposes."""
    if isinstance(told, list):
        for one in told:
            yield from proposals(one, asked)
    elif isinstance(told, str):
        yield from _in_text(told)
    elif isinstance(told, dict):
        if {"tool", "arguments"} <= told.keys():
            yield Proposal(told["tool"], told["arguments"])
        if isinstance(told.get("next"), str | int) and "next" in NAMED[asked.tool].input_schema["properties"]:
            yield Proposal(asked.tool, {**asked.arguments, "next": told["next"]})
        for one in told.values():
            yield from proposals(one, asked)


def _in_text(text: str) -> Iterator[Proposal]:
    for name, within in _CALL.findall(text):
        if name in NAMED:
            with suppress(SyntaxError, ValueError):
                call = ast.parse(f"f({within})", mode="eval").body
                assert isinstance(call, ast.Call)
                yield Proposal(name, {str(one.arg): ast.literal_eval(one.value) for one in call.keywords})
    for name, parameter, value in _WITH.findall(text):
        if name in NAMED:
            yield Proposal(name, {parameter: value})


@pytest.fixture(params=["", "Bakery Production"], ids=["no default", "a default"])
async def caller(request: pytest.FixtureRequest) -> AsyncIterator[Caller]:
    async with reading_all(request.param) as someone:
        yield someone


@Sweep("tool", READS, every=5, ids=lambda tool: tool.name)
async def test_a_call_that_is_proposed_is_accepted(tool: Tool, caller: Caller) -> None:
    for arguments in asked_of(tool):
        result = await caller.call(tool.name, **arguments)
        told = result["content"][0]["text"] if result["isError"] else result["structuredContent"]
        for proposal in proposals(told, Proposal(tool.name, arguments)):
            await accept(proposal, caller)


async def accept(proposal: Proposal, caller: Caller) -> None:
    """Call what only reads; of everything else see that its schema takes it."""
    schema = NAMED[proposal.tool].input_schema
    required = [name for name in schema.get("required", ()) if name not in proposal.arguments]
    jsonschema.validate(dict(proposal.arguments), {**schema, "required": []})
    # A sentence leaves out what the caller knows.
    if NAMED[proposal.tool].access is not Access.READ or required:
        return
    result = await caller.call(proposal.tool, **proposal.arguments)
    assert not result["isError"], f"{proposal}: {result['content'][0]['text']}"


async def test_the_proposals_of_overviews_are_found(caller: Caller) -> None:
    found = set[str]()
    for tool in READS:
        for arguments in asked_of(tool):
            result = await caller.call(tool.name, **arguments)
            told = result["content"][0]["text"] if result["isError"] else result["structuredContent"]
            found |= {one.tool for one in proposals(told, Proposal(tool.name, arguments))}
    assert {"list_resource_changes", "list_advisor_recommendations", "query_logs", "list_blobs"} <= found
