"""The firewall toolset as a client sees it."""

from __future__ import annotations

import json

import jsonschema
import pytest
import yaml

from tests.mcp_server.caller import Caller
from tests.offline import app_of


@pytest.fixture
def caller() -> Caller:
    return Caller(app_of({"AZURE_FUNCTIONS_ENVIRONMENT": "Development"}).endpoint)


RULE = {"team": "payments", "source": "10.0.0.0/24", "destination": "52.10.20.30"}


async def test_a_rule_is_written_into_a_new_file(caller: Caller) -> None:
    written = (await caller.call("new_azure_firewall_rules", **RULE))["structuredContent"]
    assert (written["action"], written["filename"]) == ("created", "azure-firewall-rules.yaml")
    assert yaml.safe_load(written["yaml_content"]) == {"rules": [{**RULE, "port": 443}]}


async def test_a_rule_is_added_to_what_is_there(caller: Caller) -> None:
    there = "# ours\nrules:\n  - team: a\n    source: 10.0.0.1\n    destination: 10.0.0.2  # first\n"
    written = (await caller.call("new_azure_firewall_rules", **RULE, port=22, existing_yaml=there))["structuredContent"]
    assert written["action"] == "updated"
    assert written["yaml_content"].startswith(there)
    assert yaml.safe_load(written["yaml_content"])["rules"][1] == {**RULE, "port": 22}


async def test_the_same_rule_twice_is_a_duplicate_and_changes_nothing(caller: Caller) -> None:
    first = (await caller.call("new_azure_firewall_rules", **RULE))["structuredContent"]["yaml_content"]
    again = (await caller.call("new_azure_firewall_rules", **RULE, existing_yaml=first))["structuredContent"]
    assert (again["action"], again["yaml_content"]) == ("duplicate_detected", first)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"port": 0}, "port: must be greater than or equal to 1."),
        ({"port": 65536}, "port: must be less than or equal to 65535."),
        ({"port": True}, "port: must be a whole number from 1 to 65535."),
        ({"port": "4_43"}, "port: must be a whole number from 1 to 65535."),
        ({"source": "everywhere"}, "source 'everywhere' is not an IP address or CIDR block."),
        ({"source": "/" * 100_000}, "source has 100000 characters, so it is not an IP address or CIDR block."),
        ({"destination": "1." * 100}, "destination has 200 characters"),
        ({"source": "10.0.0.5/24"}, "use 10.0.0.0/24"),
        ({"team": ""}, "team is empty"),
        ({"more": [{"source": "10.0.0.1", "destination": "x"}]}, "more[0]: destination 'x' is not an IP address"),
        ({"more": [{"source": "10.0.0.1", "destination": "10.0.0.2", "port": 0}]}, "port"),
        ({"more": [{}] * 51}, "more"),
        ({"existing_yaml": "? " * 49 + "{" + "a: 1," * 20_000 + "}"}, "has a list or a mapping as a key"),
        ({"existing_yaml": "#" * 200_000}, "at most 131,072 are allowed"),
        ({"existing_yaml": "rules: ["}, "not valid YAML at line 2, column 1"),
    ],
)
async def test_what_is_wrong_is_told_in_words(caller: Caller, change: dict[str, object], told: str) -> None:
    assert told in await caller.told("new_azure_firewall_rules", **{**RULE, **change})


async def test_several_rules_are_added_in_one_call(caller: Caller) -> None:
    first = (await caller.call("new_azure_firewall_rules", **RULE))["structuredContent"]["yaml_content"]
    more: list[dict[str, object]] = [
        {"source": "10.0.0.1", "destination": "10.0.0.2"},
        {"team": "billing", "source": "10.0.0.1", "destination": "10.0.0.3", "port": 22},
    ]
    again = await caller.call("new_azure_firewall_rules", **RULE, more=more, existing_yaml=first)
    written = again["structuredContent"]
    assert yaml.safe_load(written["yaml_content"])["rules"] == [
        {**RULE, "port": 443},
        {"team": "payments", "port": 443, **more[0]},
        more[1],
    ]
    assert "2 of 3 rules were added" in written["message"]


async def test_who_else_may_pass_the_same_is_told(caller: Caller) -> None:
    first = (await caller.call("new_azure_firewall_rules", **RULE))["structuredContent"]["yaml_content"]
    other = await caller.call("new_azure_firewall_rules", **{**RULE, "team": "billing"}, existing_yaml=first)
    assert "line 3: a rule of team 'payments' already allows this traffic" in other["structuredContent"]["message"]


async def test_the_published_port_has_bounds_that_clients_know_and_names_are_not_promised(caller: Caller) -> None:
    tools = (await caller.result("tools/list"))["tools"]
    tool = next(tool for tool in tools if tool["name"] == "new_azure_firewall_rules")
    port = tool["inputSchema"]["properties"]["port"]
    assert (port["minimum"], port["maximum"], "ge" in port) == (1, 65535, False)
    assert "Addresses only, no names (FQDN)" in tool["description"]


async def test_the_schema_resource_describes_the_file(caller: Caller) -> None:
    (content,) = (await caller.result("resources/read", {"uri": "mcp://azure-firewall/schema"}))["contents"]
    schema = json.loads(content["text"])
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    written = (await caller.call("new_azure_firewall_rules", **RULE))["structuredContent"]
    jsonschema.validate(yaml.safe_load(written["yaml_content"]), schema)


async def test_the_resource_is_listed_under_its_name(caller: Caller) -> None:
    names = [resource["name"] for resource in (await caller.result("resources/list"))["resources"]]
    assert "Azure Firewall Rule Schema" in names


async def test_the_prompt_asks_for_what_is_missing(caller: Caller) -> None:
    result = await caller.result("prompts/get", {"name": "add_firewall_rule", "arguments": {"team": "payments"}})
    text = result["messages"][0]["content"]["text"]
    assert "- team: payments" in text
    assert "Ask me for source, destination" in text
