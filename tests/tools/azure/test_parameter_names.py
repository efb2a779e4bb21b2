"""Callers name a thing as they like: what a tool calls `vault` is also its `resource`, its `id` and its `name`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest

from mcp_server.declarations.parameter_names import compact, renamed
from mcp_server.declarations.tool import Tool
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import SHOP
from tests.mcp_server.caller import Caller
from tests.mcp_server.records import Records
from tests.sweeps import Sweep
from tests.tools.azure.golden import Case, Scripted, cases
from tests.tools.azure.inventing import answered, asking, refused
from tests.tools.azure.team import ASKING, change_in, team
from tests.tools.doors import DOORS, Play
from tools import TOOLSETS
from tools.vocabulary.parameters import PARAMETERS

TOOLS: Final = [tool for toolset in TOOLSETS for tool in toolset.tools]
OF_AZURE: Final = {
    tool.toolset for tool in TOOLS if tool.toolset.split("-")[0] in {"resource", "storage", "keyvault", "cosmos"}
}
# What says which resource a tool is about, and what callers call that.
RESOURCES: Final = {"resource", "resource_id", "app", "vault", "account"}
WORDS: Final = (
    "resource",
    "resource_id",
    "resourceId",
    "id",
    "name",
    "subscription_id",
    "group",
    "rg",
    "limit",
    "from",
)
SITE: Final = f"{SHOP}/providers/Microsoft.Web/sites/shop-web"
FIRST: Final = {case.tool: case for case in reversed(cases()) if case.answer is not None}


def named(tool: Tool, **arguments: Any) -> dict[str, Any]:
    return renamed(tool, arguments, PARAMETERS)


def words_of(tool: Tool) -> set[str]:
    names = PARAMETERS[tool.toolset]
    rows = (*names.things.values(), *names.others.values())
    return {"name", "id", *(word.strip().replace(" ", "_") for row in rows for word in row.split(","))}


def test_a_name_means_one_parameter_of_a_tool_or_none() -> None:
    for tool in TOOLS:
        own = set(tool.input_schema["properties"])
        assert named(tool, **dict.fromkeys(own, 1)) == dict.fromkeys(own, 1)
        for word in words_of(tool) - own:
            (meant,) = named(tool, **{word: 1})
            listing = [one for one in own if compact(word) in listed_for(tool, one)]
            assert len(listing) < 2 or compact(meant) == compact(word), (tool.name, word, listing)
            if meant != word:
                assert meant in own, (tool.name, word)
                # Callers that use both, or two names for it, are asked to say which one is meant.
                assert named(tool, **{word: 1, meant: 2}) == {word: 1, meant: 2}, tool.name
                assert meant not in tool.secret, tool.name


def listed_for(tool: Tool, parameter: str) -> list[str]:
    names = PARAMETERS[tool.toolset]
    return [compact(word) for word in {**names.things, **names.others}.get(parameter, "").split(",")]


def test_no_schema_shows_further_names() -> None:
    for tool in TOOLS:
        assert tool.input_schema["properties"].keys() == tool.own_schema["properties"].keys(), tool.name


def test_spelling_of_a_parameter_does_not_matter() -> None:
    for tool in TOOLS:
        for name in tool.input_schema["properties"]:
            for spelt in (name.upper(), name.replace("_", "-"), name.replace("_", "")):
                assert named(tool, **{spelt: 1}) == {name: 1}, tool.name


def test_the_one_resource_of_a_tool_is_its_resource_in_all_tools() -> None:
    for tool in TOOLS:
        there = RESOURCES & set(tool.input_schema["properties"])
        if len(there) != 1 or tool.toolset not in OF_AZURE:
            continue
        (own,) = there
        for word in {"resource", "resource_id"} - {own}:
            assert named(tool, **{word: 1}) == {own: 1}, tool.name


@pytest.mark.parametrize(
    ("tool", "word", "meant"),
    [
        ("show_app", "name", "app"),
        ("show_app", "source", "app"),
        ("show_keyvault", "id", "vault"),
        ("show_keyvault", "keyVault", "vault"),
        ("show_servicebus_namespace", "resource", "namespace"),
        ("query_metrics", "app", "resource"),
        ("query_metrics", "resource_id", "resource"),
        ("query_metrics", "namespace", "namespace"),
        ("query_logs", "resource", "source"),
        ("query_logs", "name", "source"),
        ("what_changed", "vault", "resource"),
        ("show_costs", "resource", "resource_id"),
        ("show_resource_group", "name", "resource_group"),
        ("list_apps", "name", "name"),
        ("list_apps", "subscriptionId", "subscription"),
        ("find_azure_operation", "resource", "resource"),
        ("show_blob", "name", "name"),
        ("set_keyvault_secret", "secret", "secret"),
        ("show_access", "name", "name"),
        ("get_work_item", "workItemId", "id"),
        ("get_build", "id", "buildId"),
        ("get_pull_request", "pr", "pullRequestId"),
        ("list_commits", "max_results", "maxResults"),
        ("new_azure_firewall_rules", "resource", "resource"),
    ],
)
def test_what_a_name_means_depends_on_the_tool(tool: str, word: str, meant: str) -> None:
    (found,) = (one for one in TOOLS if one.name == tool)
    assert named(found, **{word: 1}) == {meant: 1}


def test_two_names_of_one_parameter_are_both_refused() -> None:
    (found,) = (one for one in TOOLS if one.name == "show_app")
    assert named(found, name=1, resource=2) == {"name": 1, "resource": 2}


def test_every_toolset_is_in_the_table() -> None:
    assert {toolset.name for toolset in TOOLSETS} == set(PARAMETERS)


def spelt_otherwise(case: Case) -> Iterator[tuple[Case, dict[str, Any]]]:
    """The arguments of a case, each time with another name in the place of one of them."""
    (tool,) = (one for one in TOOLS if one.name == case.tool)
    own = tool.input_schema["properties"]
    places = [(word, meant) for word in WORDS for meant in named(tool, **{word: 1}) if word not in own]
    for word, meant in places:
        if meant in case.arguments:
            yield case, {word if name == meant else name: value for name, value in case.arguments.items()}


@Sweep(("case", "arguments"), [one for case in FIRST.values() for one in spelt_otherwise(case)], every=8)
async def test_a_tool_answers_the_same_by_whatever_name(
    case: Case, arguments: dict[str, Any], scripted: Scripted, player: Caller
) -> None:
    scripted.play(case)
    result = await player.call(case.tool, **arguments)
    assert not result["isError"], (arguments, result["content"][0]["text"])
    assert (case.answer or {}).items() <= result["structuredContent"].items()


def at_the_surface(caller: Caller) -> Caller:
    """The same person where only `azure` and `azure_change` are listed."""
    return replace(caller, toolsets=None)


@pytest.mark.parametrize("door", DOORS)
async def test_each_door_takes_further_names(door: str) -> None:
    async with asking(FakeAzure()) as caller:
        play = Play(DOORS[door], caller)
        expected = await play("show_resource", resource_id=SITE)
        assert await play("show_resource", id=SITE) == expected
        way = {"tool": "resource", "command": "show_resource", "parameters": {"resource": SITE}}
        assert (await at_the_surface(caller).call("azure", **way))["structuredContent"] == expected
        assert "site: unknown parameter" in await play.refused("show_resource", site=SITE, resource=SITE)


async def test_what_is_agreed_to_is_the_call_by_its_own_names() -> None:
    azure = FakeAzure()
    async with team(azure, ASKING) as them:
        ada = them.member("ada")
        call = {"tool": "resource-changes", "command": "delete_azure_resource", "parameters": {"id": SITE}}
        with Records.kept() as records:
            told = await at_the_surface(ada).told("azure_change", **call)
            assert records.only["arguments"] == {"resource_id": SITE}
        by_its_own_name = await refused(ada, "delete_azure_resource", resource_id=SITE)
        assert change_in(by_its_own_name) == change_in(told)
        await them.decides("bea", told)
        assert (await answered(ada, "delete_azure_resource", resource=SITE))["status"] in {"done", "Succeeded"}
        assert [one.path for one in azure.asked if one.method == "DELETE"] == [SITE]


async def test_a_call_at_the_wrong_door_is_repeated_by_its_own_names() -> None:
    async with asking(FakeAzure()) as caller:
        call: Mapping[str, Any] = {"tool": "resource-changes", "command": "delete_azure_resource"}
        told = await at_the_surface(caller).told("azure", **call, parameters={"id": SITE})
        assert json.dumps({"resource_id": SITE}, separators=(",", ":")) in told
