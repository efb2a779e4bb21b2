"""Whatever call an answer or a refusal proposes next is accepted by the tool that it names."""

from __future__ import annotations

import ast
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import jsonschema
import pytest

from mcp_server.declarations.toolset import Access, Tool
from tests.fakes.azure.monitor.bakery import INSIGHTS
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.stored.contents import fill
from tests.fakes.azure.stored.service import FakeStorage
from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.mcp_server.caller import Caller
from tests.tools.azure.calling import TOOLS
from tests.tools.azure.inventing import asking
from tools.azure.declared import AzureSettings

NAMED: Final[Mapping[str, Tool]] = {tool.name: tool for tool in TOOLS}
# Messages are read over AMQP, from a bus that other tests have.
READS: Final = [tool for tool in TOOLS if tool.access is Access.READ and tool.name != "peek_servicebus_messages"]
# What is asked for in the invented Azure, by the parameter, and by the tool where another is meant.
USUAL: Final[Mapping[str, Any]] = {
    "resource_group": "shop-prod",
    "resource_id": "shop-web",
    "resource": "shop-web",
    "app": "shop-web",
    "account": "bakeryshop",
    "container": "catalog",
    "blob": "prices.csv",
    "table": "orders",
    "queue": "orders",
    "vault": "shop-secrets",
    "name": "shop-web",
    "source": "bakery-logs",
    "query": "Heartbeat | count",
    "since": "1d",
    "names": ["CpuTime"],
    "namespace": "oven-bus",
    "entity": "orders",
    "regions": ["westeurope"],
    "role": "Reader",
    "environment": "shop-dev",
    "path": SHOP,
    "command": "init",
}
OWN: Final[Mapping[str, list[Mapping[str, Any]]]] = {
    "survey_resources": [
        {"about": about} for about in ("open_ports", "virtual_machines", "unused", "retiring", "public_addresses")
    ],
    "query_resource_graph": [{"query": "resources | project id, name"}],
    "list_app_errors": [{"app": INSIGHTS, "since": "1d"}, {"app": "nowhere", "since": "1d"}],
    "compare_costs": [{"by": by} for by in ("resource", "resource_group", "service")],
    "list_cosmosdb_databases": [{"account": "oven-recipes"}],
    "list_cosmosdb_containers": [{"account": "oven-recipes"}],
    "show_cosmosdb_account": [{"account": "oven-recipes"}],
    "list_storage_tables": [{"account": "bakeryshop", "max_results": 1}],
    "list_containers": [{"account": "bakeryshop", "max_results": 1}],
    "list_blobs": [{"account": "bakeryshop", "container": "logs", "max_results": 1, "recursive": True}],
    "query_storage_table": [{"account": "bakeryshop", "table": "orders", "max_results": 1}],
    "list_storage_queues": [{"account": "bakeryshop", "max_results": 1}],
    "find_azure_operation": [{"query": "list firewall rules"}],
    "read_azure": [{"path": SHOP}, {"path": f"/subscriptions/{PRODUCTION}/providers/Microsoft.Web/serverFarmz"}],
    "show_azure_deployment": [{"name": "shop-2026-11", "resource_group": "shop-prod"}, {"name": "nowhere"}],
}
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


def asked_of(tool: Tool) -> Iterator[Mapping[str, Any]]:
    """Arguments with which it has something to tell, and, where it takes any, names of what there is not."""
    usual = {name: USUAL[name] for name in tool.input_schema.get("required", ()) if name in USUAL}
    yield from OWN.get(tool.name, [usual])
    texts = {name for name in usual if tool.input_schema["properties"][name].get("type") == "string"}
    if tool.name not in OWN and texts - {"query", "since", "path"}:
        yield {**usual, **dict.fromkeys(texts - {"query", "since", "path"}, "nowhere")}


@pytest.fixture(params=["", "Bakery Production"], ids=["no default", "a default"])
async def caller(request: pytest.FixtureRequest) -> AsyncIterator[Caller]:
    azure, storage = FakeAzure(), FakeStorage()
    fill(storage, datetime.now(UTC))
    settings = AzureSettings(subscription=request.param, reads_directory=True)
    async with storage.serving(), asking(azure, settings=settings) as someone:
        azure.point_storage_to("bakeryshop", storage.endpoints("bakeryshop"))
        yield someone


@pytest.mark.parametrize("tool", READS, ids=lambda tool: tool.name)
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
