"""The tools over plain HTTP."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpAnswer
from tests.mcp_server.caller import Json, code_in, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.sign_in_by_header import limited, office_door


async def execute(
    endpoint: Endpoint, tool: str, headers: dict[str, str] | None = None, **arguments: Json
) -> HttpAnswer:
    body = json.dumps({"tool": tool, "arguments": arguments}).encode()
    return await rest.execute(endpoint, post(body, headers))


async def test_all_tools_are_listed_with_their_schemas(endpoint: Endpoint) -> None:
    answer = await rest.list_tools(endpoint, replace(post(b""), method="GET"))
    tools = {tool["name"]: tool for tool in json.loads(answer.body)["tools"]}
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert tools["what_time"]["inputSchema"]["type"] == "object"
    assert "azure" not in tools


async def test_a_tool_is_called_by_name_and_its_data_comes_back(endpoint: Endpoint) -> None:
    answer = await execute(endpoint, "write_note", text="allowed")
    assert (answer.status, json.loads(answer.body)) == (200, {"result": {"id": 1, "text": "allowed"}})
    assert json.loads((await execute(endpoint, "what_time")).body) == {"result": {"hour": 9}}


async def test_a_refusal_is_told_by_status_and_words(endpoint: Endpoint) -> None:
    answer = await execute(endpoint, "write_note", text="forbidden")
    assert (answer.status, answer.headers["content-type"]) == (422, "application/problem+json")
    assert json.loads(answer.body) == {
        "type": "about:blank",
        "title": "Unprocessable Entity",
        "status": 422,
        "detail": "That word is not written here. Write `allowed` instead.",
    }


async def test_what_destroys_wants_the_code_of_what_it_would_do(endpoint: Endpoint) -> None:
    told = await execute(endpoint, "brick_up_door", room="attic")
    assert told.status == 202
    assert (await execute(endpoint, "brick_up_door", room="attic", confirm=code_in(told.body.decode()))).status == 200


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "not JSON"),
        (b"[]", "an object"),
        (b'{"arguments": {}}', "tool: is required"),
        (b'{"tool": 7}', "tool: must be text"),
        (b'{"tool": "what_time", "arguments": []}', "arguments: must be an object"),
        (b'{"tool": "what_time", "argument": {}}', "argument: there is no such parameter. Did you mean 'arguments'?"),
        (b'{"tool": "%s"}' % (b"x" * 200), "tool: "),
        (b"\xff", "not JSON"),
        (b"[" * 15_000, "not JSON"),
    ],
)
async def test_a_body_that_is_no_call_is_refused_with_the_form_of_one(
    endpoint: Endpoint, body: bytes, told: str
) -> None:
    answer = await rest.execute(endpoint, post(body))
    assert answer.status == 400
    error = json.loads(answer.body)["detail"]
    assert told in error
    assert error.endswith('Post {"tool": "<name>", "arguments": {...}}.')


async def test_an_unknown_tool_is_named_with_the_nearest(endpoint: Endpoint) -> None:
    answer = await execute(endpoint, "write_not")
    assert answer.status == 404
    assert "Did you mean 'write_note'" in json.loads(answer.body)["detail"]


async def test_a_body_may_not_be_endless(endpoint: Endpoint) -> None:
    assert (await rest.execute(endpoint, post(b" " * (4 * 1024 * 1024 + 1)))).status == 413


async def test_who_is_not_let_in_is_told_how_to_come_in() -> None:
    endpoint = new_endpoint(door=office_door())
    answer = await execute(endpoint, "what_time")
    assert (answer.status, "www-authenticate" in answer.headers) == (401, True)
    denied = await execute(endpoint, "write_note", {"x-who": "eve"}, text="allowed")
    assert denied.status == 403
    assert 'scope="api://office/write-notes"' in denied.headers["www-authenticate"]
    assert json.loads(denied.body)["detail"] == (
        "You may not write in office-notes. It takes the scope api://office/write-notes or the role Clerk or the role"
        " Janitor."
    )


async def test_who_comes_too_often_is_told_when_to_come_again() -> None:
    endpoint = new_endpoint(door=limited(office_door(), per_address=1))
    assert (await execute(endpoint, "what_time", {"x-who": "eve"})).status == 200
    answer = await execute(endpoint, "what_time", {"x-who": "eve"})
    assert (answer.status, answer.headers["retry-after"]) == (429, "60")


async def test_headers_narrow_here_too(endpoint: Endpoint) -> None:
    answer = await execute(endpoint, "write_note", {"x-mcp-readonly": "true"}, text="allowed")
    assert answer.status == 404
