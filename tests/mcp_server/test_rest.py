"""The tools over plain HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus

import pytest

from identity.caller import ANONYMOUS
from identity.denial import Denial
from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpAnswer
from mcp_server.http.rest_sessions import SECONDS, RestSessions
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
        "title": HTTPStatus.UNPROCESSABLE_ENTITY.phrase,  # Python 3.13 has the newer words
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
        (b'{"tool": "what_time", "argument": {}}', "argument: unknown parameter. Did you mean 'arguments'?"),
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
        "You do not have write access to office-notes. Required: the scope api://office/write-notes or the role Clerk"
        " or the role"
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


async def named(endpoint: Endpoint, tool: str, **arguments: Json) -> HttpAnswer:
    return await rest.execute(endpoint, post(json.dumps({"tool_name": tool, "arguments": arguments}).encode()))


async def test_who_names_the_tool_as_mcp_does_is_answered_as_mcp_does(endpoint: Endpoint) -> None:
    answer = json.loads((await named(endpoint, "write_note", text="allowed")).body)
    assert answer["isError"] is False
    assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"] == {"id": 1, "text": "allowed"}


@pytest.mark.parametrize(
    ("tool", "arguments", "status"),
    [
        ("no_such_tool", {}, 404),
        ("write_note", {"text": 7}, 400),
        ("write_note", {"text": "forbidden"}, 422),
        ("brick_up_door", {"room": "attic"}, 202),
        ("break_pencil", {"token": "x"}, 500),
    ],
)
async def test_the_status_tells_what_kind_of_failure_it_was(
    endpoint: Endpoint, tool: str, arguments: Json, status: int
) -> None:
    for answer in (
        await execute(endpoint, tool, **arguments),
        await named(endpoint, tool, **arguments),
        await rest.call_tool(endpoint, post(json.dumps(arguments).encode()), tool),
    ):
        document = json.loads(answer.body)
        assert (answer.status, bool(document["detail"])) == (status, True)
        assert status == 202 or answer.headers["content-type"] == "application/problem+json"
    failed = json.loads((await named(endpoint, tool, **arguments)).body)
    assert status == 404 or (failed["isError"] is True and failed["content"])


async def test_a_tool_has_an_address_that_takes_its_arguments_alone(endpoint: Endpoint) -> None:
    answer = await rest.call_tool(endpoint, post(b'{"text": "allowed"}'), "write_note")
    assert (answer.status, json.loads(answer.body)) == (200, {"id": 1, "text": "allowed"})
    assert (await rest.call_tool(endpoint, post(b""), "what_time")).status == 200
    for body in (b"[]", b'"x"', b"{", b"\xff"):
        wrong = await rest.call_tool(endpoint, post(body), "write_note")
        assert (wrong.status, "Post the arguments" in json.loads(wrong.body)["detail"]) == (400, True)


async def listed(endpoint: Endpoint, query: str = "", **headers: str) -> HttpAnswer:
    named_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return await rest.list_tools(endpoint, replace(post(b"", named_headers), method="GET", query=query))


async def test_a_list_comes_in_pages_that_make_the_whole(endpoint: Endpoint) -> None:
    whole = [tool["name"] for tool in json.loads((await listed(endpoint)).body)["tools"]]
    seen: list[str] = []
    query = "limit=2"
    while query:
        page = json.loads((await listed(endpoint, query)).body)
        seen += [tool["name"] for tool in page["tools"]]
        query = f"limit=2&cursor={page['nextCursor']}" if "nextCursor" in page else ""
    assert seen == whole
    assert (await listed(endpoint, "limit=1000")).status == 200
    assert [tool["name"] for tool in json.loads((await listed(endpoint, "limit=1")).body)["tools"]] == whole[:1]
    for wrong in ("limit=0", "limit=x", "limit=1001", "cursor=gone", "page=2", "limit=1&limit=2"):
        assert (await listed(endpoint, wrong)).status == 400


async def test_a_list_that_the_client_has_is_not_sent_again(endpoint: Endpoint) -> None:
    tag = (await listed(endpoint)).headers["etag"]
    again = await listed(endpoint, if_none_match=tag)
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    assert (await listed(endpoint, "limit=2", if_none_match=tag)).status == 200


async def begin(endpoint: Endpoint, headers: dict[str, str] | None = None, **said: Json) -> HttpAnswer:
    return await rest.initialize(endpoint, post(json.dumps({"client_id": "script", **said}).encode(), headers))


async def test_a_session_carries_what_was_chosen(endpoint: Endpoint) -> None:
    begun = json.loads((await begin(endpoint, toolsets=["clock"])).body)
    assert (begun["status"], begun["expires_in"]) == ("initialized", 8 * 60 * 60)
    names = [
        tool["name"] for tool in json.loads((await listed(endpoint, session_id=begun["session_id"])).body)["tools"]
    ]
    assert names == ["what_time"]
    assert (await execute(endpoint, "write_note", {"session-id": begun["session_id"]}, text="allowed")).status == 404
    assert (await execute(endpoint, "write_note", text="allowed")).status == 200


async def test_a_session_is_not_begun_by_what_is_none(endpoint: Endpoint) -> None:
    for said in ({"client_id": ""}, {"toolsets": "clock"}, {"toolsets": ["no-such"]}, {"else": 1}, {"read_only": 1}):
        assert (await begin(endpoint, **said)).status == 400
    assert (await begin(endpoint, tools=["x" * 100] * 100)).status == 400


async def test_a_session_carries_up_to_4096_characters_of_what_was_chosen(endpoint: Endpoint) -> None:
    assert (await begin(endpoint, {"x-mcp-toolsets": "clock".ljust(4096)})).status == 200
    for headers, said in (
        ({"x-mcp-toolsets": "clock".ljust(4097)}, {}),
        ({"x-mcp-tools": " " * 4091}, {"tools": ["what_time"]}),
    ):
        answer = await begin(endpoint, headers, **said)
        assert (answer.status, "exceeds 4096 characters" in json.loads(answer.body)["detail"]) == (400, True)


@pytest.mark.parametrize(
    "change",
    [
        lambda _: "made-up",
        lambda _: "",
        lambda text: text[:-2],
        lambda text: f"{'B' if text[0] == 'A' else 'A'}{text[1:]}",
        lambda text: f"{text}=",
    ],
)
async def test_a_session_that_nobody_was_given_is_refused(endpoint: Endpoint, change: Callable[[str], str]) -> None:
    session = change(json.loads((await begin(endpoint)).body)["session_id"])
    answer = await listed(endpoint, session_id=session)
    assert answer.status == 401
    assert "sessions are optional" in json.loads(answer.body)["detail"]


async def test_a_session_is_no_sign_in_and_nobody_elses() -> None:
    endpoint = new_endpoint(door=office_door())
    begun = json.loads((await begin(endpoint, {"x-who": "eve Janitor"})).body)["session_id"]
    assert (await listed(endpoint, x_who="eve Janitor", session_id=begun)).status == 200
    assert (await listed(endpoint, x_who="mallory Janitor", session_id=begun)).status == 401
    assert (await listed(endpoint, session_id=begun)).status == 401
    # What the caller may do is what they may do now.
    assert (
        await execute(endpoint, "write_note", {"x-who": "eve Visitor", "session-id": begun}, text="a")
    ).status != 200
    assert (await begin(endpoint)).status == 401


def test_a_session_ends() -> None:
    now = [0.0]
    sessions = RestSessions(["k" * 32], lambda: now[0])
    text = sessions.begin(ANONYMOUS, {"x-mcp-tools": "a"})
    assert sessions.choice(ANONYMOUS, {"session-id": text}) == {"x-mcp-tools": "a"}
    assert RestSessions(["j" * 32, "k" * 32], lambda: now[0]).choice(ANONYMOUS, {"session-id": text})
    for other in (RestSessions(["j" * 32], lambda: now[0]), RestSessions()):
        with pytest.raises(Denial):
            other.choice(ANONYMOUS, {"session-id": text})
    now[0] = SECONDS
    with pytest.raises(Denial):
        sessions.choice(ANONYMOUS, {"session-id": text})
