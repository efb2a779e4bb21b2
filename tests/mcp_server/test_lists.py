"""What lists hold, that they are the same each time, and how long they may be kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpRequest
from tests.mcp_server.caller import ERAS, LEGACY, MODERN, Caller, Era, message
from tests.mcp_server.endpoints import new_endpoint

LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]


async def test_the_default_list_is_the_surface_and_the_two_that_reach_the_rest(caller: Caller) -> None:
    assert await caller.tool_names() == ["find_notes", "azure", "azure_change"]


async def test_toolsets_in_the_address_are_listed_whole_and_alone(endpoint: Endpoint) -> None:
    assert await Caller(endpoint, "office-doors,clock").tool_names() == ["brick_up_door", "open_door", "what_time"]


async def test_a_group_stands_for_its_toolsets(endpoint: Endpoint) -> None:
    names = await Caller(endpoint, "office").tool_names()
    assert names == ["find_notes", "write_note", "break_pencil", "brick_up_door", "open_door"]


async def test_all_four_annotations_and_a_title_are_given(everything: Caller) -> None:
    tools = (await everything.result("tools/list"))["tools"]
    annotations = {tool["name"]: tool["annotations"] for tool in tools}
    assert all(tool["title"] == tool["annotations"]["title"] for tool in tools)
    assert annotations["write_note"] == {
        "title": "Write a note",
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": True,
    }
    assert annotations["find_notes"]["readOnlyHint"]
    assert not annotations["find_notes"]["openWorldHint"]
    assert annotations["brick_up_door"]["destructiveHint"]


async def test_a_schema_is_an_object_without_titles_or_nulls_or_references(everything: Caller) -> None:
    tools = (await everything.result("tools/list"))["tools"]
    (schema,) = [tool["inputSchema"] for tool in tools if tool["name"] == "find_notes"]
    assert schema == {
        "type": "object",
        "properties": {
            "words": {"type": "string", "minLength": 1, "description": "What the note says"},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10,
                "default": 3,
                "description": "The most notes to give back",
            },
            "paper": {
                "type": "object",
                "description": "What it is written on",
                "properties": {
                    "color": {"type": "string", "enum": ["yellow", "green"]},
                    "title": {"type": "string", "default": "untitled"},
                },
            },
        },
        "required": ["words"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("method", LISTS)
async def test_a_list_is_the_same_each_time_but_for_the_id(endpoint: Endpoint, era: Era, method: str) -> None:
    first, second = (
        await _answers(endpoint, _numbered(method, era, 1)),
        await _answers(endpoint, _numbered(method, era, 2)),
    )
    assert first == second
    fresh = await _answers(new_endpoint(), _numbered(method, era, 1))
    assert first == fresh


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("order", [ERAS, ERAS[::-1]])
async def test_what_one_version_was_answered_is_no_answer_to_another(order: tuple[Era, ...], method: str) -> None:
    shared = new_endpoint()
    for era in order * 2:
        alone = await _answers(new_endpoint(), _numbered(method, era, 1))
        assert await _answers(shared, _numbered(method, era, 1)) == alone


@pytest.mark.parametrize("request_id", [0, -5, 2**60, "", "text", 'quo"te', "\u2028é😀"])
async def test_a_ready_answer_carries_the_id_of_its_request(endpoint: Endpoint, era: Era, request_id: Any) -> None:
    for _ in range(2):
        answer = await endpoint.handle(_numbered("tools/list", era, request_id))
        assert json.loads(answer.body)["id"] == request_id


async def test_a_ready_answer_has_the_headers_of_the_first(endpoint: Endpoint, era: Era) -> None:
    first, second = [await endpoint.handle(message("tools/list", era=era)) for _ in range(2)]
    assert first.body == second.body
    assert first.headers["content-type"] == second.headers["content-type"]


@pytest.mark.parametrize("method", [*LISTS, "server/discover"])
async def test_what_everybody_sees_may_be_shared(caller: Caller, method: str) -> None:
    result = await caller.result(method)
    assert (result["cacheScope"], result["ttlMs"]) == ("public", 300_000)


@pytest.mark.parametrize("header", ["X-MCP-Toolsets: office", "X-MCP-Tools: find_notes", "X-MCP-Readonly: true"])
@pytest.mark.parametrize("method", LISTS)
async def test_what_one_caller_chose_is_kept_private(endpoint: Endpoint, header: str, method: str) -> None:
    name, value = header.lower().split(": ")
    result = await Caller(endpoint, headers={name: value}).result(method)
    assert result["cacheScope"] == "private"


async def test_a_read_says_how_long_it_keeps(caller: Caller) -> None:
    result = await caller.result("resources/read", {"uri": "desk://inventory"})
    assert (result["cacheScope"], result["ttlMs"]) == ("public", 1000)


@pytest.mark.parametrize("method", LISTS)
async def test_a_cursor_is_refused_since_there_are_no_pages(caller: Caller, method: str) -> None:
    assert (await caller.error(method, {"cursor": "abc"}))["code"] == -32602


@pytest.mark.parametrize(
    "headers",
    [{"accept": "application/jsonfoo"}, {"accept": "x/application/json"}, {"content-type": "application/jsonx"}],
)
@pytest.mark.parametrize("encode", ["utf-8", "utf-16", "utf-8-sig"])
async def test_a_ready_answer_goes_only_where_the_first_one_would(
    endpoint: Endpoint, era: Era, headers: dict[str, str], encode: str
) -> None:
    request = message("tools/list", era=era, headers=headers if encode == "utf-8" else None)
    odd = HttpRequest("POST", "/mcp", request.headers, request.body.decode().encode(encode))
    cold = await new_endpoint().handle(odd)
    assert (await endpoint.handle(message("tools/list", era=era))).status == 200
    assert await endpoint.handle(odd) == cold


async def test_a_read_of_what_one_caller_chose_is_private(endpoint: Endpoint) -> None:
    caller = Caller(endpoint, headers={"x-mcp-readonly": "true"})
    assert (await caller.result("resources/read", {"uri": "desk://inventory"}))["cacheScope"] == "private"


async def test_a_bad_envelope_is_refused_before_a_ready_answer_is_given(endpoint: Endpoint) -> None:
    assert (await endpoint.handle(message("tools/list"))).status == 200
    for headers in (
        {"mcp-method": "tools/call"},
        {"mcp-protocol-version": "2031-01-01"},
        {"content-type": "text/plain"},
    ):
        assert (await endpoint.handle(message("tools/list", headers=headers))).status == 400
    bad_meta = {"_meta": {"io.modelcontextprotocol/clientCapabilities": 5}}
    assert (await endpoint.handle(message("tools/list", bad_meta))).status == 400


async def test_discovery_tells_who_answers(caller: Caller) -> None:
    result = await caller.result("server/discover")
    assert result["supportedVersions"] == [MODERN]
    assert result["instructions"] == "An office."
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["version"] == "1.2.3"
    assert result["capabilities"]["tools"] == {"listChanged": False}


async def test_the_handshake_still_works(endpoint: Endpoint) -> None:
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    result = await Caller(endpoint, era=LEGACY).result("initialize", hello)
    assert result["protocolVersion"] == LEGACY
    assert result["serverInfo"]["name"] == "office"


def _numbered(method: str, era: Era, request_id: Any) -> HttpRequest:
    request = message(method, era=era)
    document = json.loads(request.body) | {"id": request_id}
    return HttpRequest("POST", "/mcp", request.headers, json.dumps(document).encode())


async def _answers(endpoint: Endpoint, request: HttpRequest) -> Any:
    return json.loads((await endpoint.handle(request)).body)["result"]
