"""The fixed requirements for `new_azure_firewall_rules`. Each test is named after the id of its requirement."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_network
from types import FrameType
from typing import Any, Final

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from firewall.address import SHORT_ADDRESS_PATTERN
from firewall.document import add_rules
from firewall.rule import FirewallRule
from tests.firewall.judges import complaints
from tests.mcp_server.caller import Caller
from tests.offline import app_of
from tests.shifts import Steps
from tools.firewall.tools import firewall_rule_schema

NAME: Final = "new_azure_firewall_rules"
RULE: Final = {"team": "payments", "source": "10.0.0.0/24", "destination": "52.10.20.30"}
SCHEMA: Final = "mcp://azure-firewall/schema"


@pytest.fixture(scope="module")
def caller() -> Caller:
    return Caller(app_of({"AZURE_FUNCTIONS_ENVIRONMENT": "Development"}).endpoint)


async def published(caller: Caller) -> dict[str, Any]:
    tools = (await caller.result("tools/list"))["tools"]
    found: dict[str, Any] = next(tool for tool in tools if tool["name"] == NAME)
    return found


async def written(caller: Caller, **arguments: Any) -> dict[str, Any]:
    result = await caller.call(NAME, **{**RULE, **arguments})
    assert not result.get("isError"), result
    found: dict[str, Any] = result["structuredContent"]
    return found


async def test_fw_1_parameters(caller: Caller) -> None:
    schema = (await published(caller))["inputSchema"]
    assert schema["required"] == ["team", "source", "destination"]
    assert schema["properties"]["port"]["default"] == 443
    for absent in ({}, {"existing_yaml": ""}, {"existing_yaml": None}):
        found = await written(caller, **absent)
        assert (found["action"], yaml.safe_load(found["yaml_content"])["rules"][0]["port"]) == ("created", 443)


async def test_fw_2_result(caller: Caller) -> None:
    assert (await published(caller))["annotations"]["readOnlyHint"] is True
    created = await written(caller)
    assert set(created) == {"yaml_content", "filename", "action", "message"}
    updated = await written(caller, existing_yaml=created["yaml_content"], port=22)
    duplicate = await written(caller, existing_yaml=created["yaml_content"])
    assert [one["action"] for one in (created, updated, duplicate)] == ["created", "updated", "duplicate_detected"]


@pytest.mark.parametrize("name", ["source", "destination"])
async def test_fw_3_patterns(caller: Caller, name: str) -> None:
    pattern = re.compile((await published(caller))["inputSchema"]["properties"][name]["pattern"])
    for address in ("10.0.0.4", "10.0.0.0/24", "0.0.0.0/0", "2001:db8::1", "2001:db8::/32", "::/0", "::ffff:10.0.0.1"):
        assert pattern.search(address), address
    for other in (
        "example.com",
        "everywhere",
        "10.0.0.0/",
        "10.0.0.1-10.0.0.9",
        "10.0.0.1, 10.0.0.2",
        "dead",
        "",
        " 10.0.0.1",
    ):
        assert not pattern.search(other), other


# `st.ip_addresses` draws so slowly that Hypothesis gives up on a busy machine.
_ADDRESSES: Final = st.integers(0, 2**32 - 1).map(IPv4Address) | st.integers(0, 2**128 - 1).map(IPv6Address)


@settings(max_examples=30, deadline=None)
@given(_ADDRESSES | _ADDRESSES.map(ip_network))
def test_fw_3_no_valid_address_is_rejected_by_the_pattern(address: object) -> None:
    assert re.search(SHORT_ADDRESS_PATTERN, str(address))


@pytest.mark.parametrize("name", ["source", "destination"])
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("example.com", "is not an IP address or CIDR block"),
        ("10.0.0.256", "is not an IP address or CIDR block"),
        ("10.0.0.5/24", "has host bits set; use 10.0.0.0/24"),
        ("10.0.0.1, 10.0.0.2", "contains white space"),
        ("", "is empty"),
    ],
)
async def test_fw_4_invalid_addresses(caller: Caller, name: str, value: str, reason: str) -> None:
    words = await caller.told(NAME, **{**RULE, name: value})
    assert words.startswith(name)
    assert reason in words


async def test_fw_5_existing_files(caller: Caller) -> None:
    assert "not valid YAML at line 2, column 1" in await caller.told(NAME, **RULE, existing_yaml="rules: [")
    assert (await written(caller, existing_yaml="  \n"))["action"] == "created"
    kept = "# ours\nversion: 2  # kept\n"
    added = (await written(caller, existing_yaml=kept))["yaml_content"]
    assert added.startswith(kept)
    assert yaml.safe_load(added) == {"version": 2, "rules": [{**RULE, "port": 443}]}


async def test_fw_6_format(caller: Caller) -> None:
    text = (await written(caller, existing_yaml=(await written(caller))["yaml_content"], port=22))["yaml_content"]
    rules = yaml.safe_load(text)["rules"]
    assert [list(rule) for rule in rules] == [["team", "source", "destination", "port"]] * 2
    assert complaints(text) == []


async def test_fw_7_duplicates(caller: Caller) -> None:
    there = "rules:  # ours\n- {team: payments, source: 10.0.0.0/24, destination: 52.10.20.30, port: 443}\n"
    found = await written(caller, existing_yaml=there)
    assert (found["action"], found["yaml_content"]) == ("duplicate_detected", there)
    for change in ({"team": "billing"}, {"source": "10.0.1.0/24"}, {"destination": "52.10.20.31"}, {"port": 22}):
        assert (await written(caller, existing_yaml=there, **change))["action"] == "updated"


async def test_fw_8_the_description_says_how_to_find_and_write_the_file(caller: Caller) -> None:
    words = " ".join((await published(caller))["description"].split())
    for step in (
        "Find the repository root (ask the user if there are several)",
        "read azure-firewall-rules.yaml there if it exists",
        "pass its content as existing_yaml",
        "write yaml_content back to it",
    ):
        assert step in words


async def test_fw_9_the_description_forbids_guessing(caller: Caller) -> None:
    words = " ".join((await published(caller))["description"].split())
    assert "Never guess values from the project: ask the user for what is missing." in words


async def test_fw_10_the_schema_resource(caller: Caller) -> None:
    listed = (await caller.result("resources/list"))["resources"]
    assert [one["name"] for one in listed if one["uri"] == SCHEMA] == ["Azure Firewall Rule Schema"]
    (content,) = (await caller.result("resources/read", {"uri": SCHEMA}))["contents"]
    schema = json.loads(content["text"])
    jsonschema.validate(yaml.safe_load((await written(caller))["yaml_content"]), schema)
    for wrong in ({"source": "everywhere"}, {"port": 0}, {"team": ""}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"rules": [{**RULE, "port": 443, **wrong}]}, schema)
    assert json.loads(firewall_rule_schema()) == schema


def calls_of_functions(work: Callable[[], object]) -> int:
    """How many functions are called and left meanwhile, of Python and of C: the same on each machine, busy or not."""
    seen = 0

    def count(_frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal seen
        seen += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return seen


def test_fw_11_a_file_of_1000_rules_costs_little_more_than_reading_it_and_no_sleep() -> None:
    """PyYAML reads the file in a fifth of the 100 ms. `scripts/bench` measures the time itself."""
    text = "rules:\n" + "".join(
        f"  - {{team: a, source: 10.{n // 250}.{n % 250}.0/24, destination: 52.1.2.3}}\n" for n in range(1000)
    )
    adding = partial(add_rules, text, FirewallRule("payments", "10.9.9.9", "52.1.2.3"))
    reading = partial(yaml.load, text, yaml.CSafeLoader)
    assert calls_of_functions(adding) < 1.5 * calls_of_functions(reading)
    alone = Steps(is_alone=True)
    assert alone.do(adding).added == 1
    assert alone.pauses == 0
