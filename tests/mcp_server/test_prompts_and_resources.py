"""Prompts, resources and completions, and what is said when one cannot be had."""

from __future__ import annotations

import base64
import json

import pytest

from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpAnswer
from tests.mcp_server.caller import Caller, Era
from tests.mcp_server.office import SECRET


@pytest.fixture
def caller(endpoint: Endpoint, era: Era) -> Caller:
    return Caller(endpoint, era=era)


async def test_prompts_are_listed_with_described_arguments(caller: Caller) -> None:
    (prompt,) = (await caller.result("prompts/list"))["prompts"]
    assert prompt == {
        "name": "tidy_desk",
        "title": "Tidy the desk",
        "description": "Walk through tidying.",
        "arguments": [
            {"name": "drawer", "description": "Which drawer", "required": True},
            {"name": "when", "required": False},
        ],
    }


async def test_a_prompt_is_filled_in(caller: Caller) -> None:
    result = await caller.result("prompts/get", {"name": "tidy_desk", "arguments": {"drawer": "left"}})
    assert result["messages"] == [{"role": "user", "content": {"type": "text", "text": "Tidy left today."}}]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("tidy", {}, "Unknown prompt: 'tidy'. Did you mean 'tidy_desk'?"),
        ("tidy_desk", {}, "The prompt tidy_desk requires drawer."),
        ("tidy_desk", {"drawer": ""}, "The prompt tidy_desk requires drawer."),
        ("tidy_desk", {"drawer": "left", "who": "me"}, "The prompt tidy_desk accepts only drawer, when."),
        ("tidy_desk", {"drawer": "locked"}, "That drawer is locked. Ask for the key."),
    ],
)
async def test_a_prompt_that_cannot_be_had_is_a_protocol_error(
    caller: Caller, name: str, arguments: dict[str, str], told: str
) -> None:
    error = await caller.error("prompts/get", {"name": name, "arguments": arguments})
    assert error["code"] == -32602
    assert error["message"].startswith(told)


async def test_resources_and_templates_are_listed_apart(caller: Caller) -> None:
    (resource,) = (await caller.result("resources/list"))["resources"]
    (template,) = (await caller.result("resources/templates/list"))["resourceTemplates"]
    assert (resource["uri"], template["uriTemplate"]) == ("desk://inventory", "desk://drawer/{name}")
    assert resource["description"] == "What is on the desk."


async def test_text_and_bytes_are_read(caller: Caller) -> None:
    (text,) = (await caller.result("resources/read", {"uri": "desk://inventory"}))["contents"]
    (blob,) = (await caller.result("resources/read", {"uri": "desk://drawer/left"}))["contents"]
    assert text == {"uri": "desk://inventory", "mimeType": "application/json", "text": '{"pens":2}'}
    assert base64.b64decode(blob["blob"]) == b"left"


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("desk://nothing", "Unknown resource. Available: desk://inventory, desk://drawer/{name}."),
        ("desk://drawer/..%2F..%2Fetc", "Unknown resource."),
        ("desk://drawer/empty", "That drawer is empty."),
    ],
)
async def test_a_resource_that_cannot_be_had_is_a_protocol_error_naming_it(caller: Caller, uri: str, told: str) -> None:
    error = await caller.error("resources/read", {"uri": uri})
    assert (error["code"], error["data"]) == (-32602, {"uri": uri})
    assert error["message"].startswith(told)


async def test_an_argument_is_completed(caller: Caller) -> None:
    reference = {"type": "ref/prompt", "name": "tidy_desk"}
    params = {"ref": reference, "argument": {"name": "drawer", "value": "l"}}
    completion = (await caller.result("completion/complete", params))["completion"]
    assert completion == {"values": ["left", "long"], "total": 2, "hasMore": False}


async def test_an_argument_that_nobody_completes_has_no_completions(caller: Caller) -> None:
    reference = {"type": "ref/resource", "uri": "desk://drawer/{name}"}
    params = {"ref": reference, "argument": {"name": "name", "value": "l"}}
    assert (await caller.result("completion/complete", params))["completion"]["values"] == []


async def complete(caller: Caller, value: str) -> HttpAnswer:
    params = {"ref": {"type": "ref/prompt", "name": "tidy_desk"}, "argument": {"name": "drawer", "value": value}}
    return await caller.send("completion/complete", params)


async def test_many_completions_are_cut_and_counted(caller: Caller) -> None:
    completion = json.loads((await complete(caller, "many")).body)["result"]["completion"]
    assert (len(completion["values"]), completion["total"], completion["hasMore"]) == (100, 150, True)


@pytest.mark.parametrize(
    ("value", "code", "told"), [("?", -32602, "Ask for a drawer by its name."), ("!", -32603, "Incident")]
)
async def test_a_completion_that_cannot_be_had_is_a_protocol_error(
    caller: Caller, value: str, code: int, told: str
) -> None:
    answer = await complete(caller, value)
    error = json.loads(answer.body)["error"]
    assert error["code"] == code
    assert told in error["message"]
    assert SECRET.encode() not in answer.body
