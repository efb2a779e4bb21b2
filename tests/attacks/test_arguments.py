"""Attacks by the arguments of tools: how deep, how many, how large, and what no JSON should hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_server.http import rest
from mcp_server.http.messages import HttpAnswer
from tests.attacks.place import LARGEST_REFUSAL, gains_nothing
from tests.mcp_server.caller import Caller, message, post
from tests.mcp_server.endpoints import new_endpoint
from tests.sweeps import Sweep

pytestmark = pytest.mark.anyio

MARK = "marked-value-of-the-caller"

RAW = {
    "a list of ten thousand lists": "[" * 10_000 + "]" * 10_000,
    "an object of ten thousand objects": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "a list of a million": "[" + "0," * 999_999 + "0]",
    "an object of a hundred thousand keys": "{" + ",".join(f'"{n}":0' for n in range(100_000)) + "}",
    "keys that are the same": "{" + ",".join(['"a":0'] * 100_000) + "}",
    "keys of nothing": '{"":{"":{"":0}}}',
    "a key of a megabyte": '{"' + "k" * 1_000_000 + '":0}',
    "not a number": "NaN",
    "infinity": "Infinity",
    "negative infinity": "-Infinity",
    "a number beyond all": "1e999999",
    "a number below all": "-1e999999",
    "a number next to nothing": "1e-999999",
    "a number of five thousand digits": "9" * 5000,
    "a number of a million digits": "9" * 1_000_000,
    "a fraction of a million digits": "0." + "1" * 1_000_000,
    "nothing below zero": "-0",
    "a number of two to the power of 63": str(2**63),
    "a number of two to the power of 64": str(2**64),
    "half a character": '"\\ud800"',
    "the other half": '"\\udc00"',
    "both halves the wrong way": '"\\udc00\\ud800"',
    "a nul in letters": '"\\u0000"',
    "a key of half a character": '{"\\ud800":0}',
    "escapes of a megabyte": '"' + "\\u0001" * 170_000 + '"',
    "text of three megabytes": '"' + "x" * 3_000_000 + '"',
    "text of many letters that are one": '"' + "e\u0301" * 100_000 + '"',
    "text that turns around": '"\u202e\u2066' + MARK + '"',
    "a reference": '{"$ref":"#/definitions/x"}',
    "a prototype": '{"__proto__":{"admin":true}}',
    "a class": '{"__class__":"os.system"}',
    "a template": '"{0.__class__.__mro__}{{7*7}}${7*7}%s%n"',
}
TARGETS = [("find_notes", "words"), ("find_notes", "limit"), ("find_notes", "paper"), ("write_note", "text")]


async def sent(tool: str, argument: str, raw: str) -> HttpAnswer:
    name = json.dumps(argument)
    text = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{{name}:{raw}}}}}}}'
    request = post(text.encode(), {"mcp-protocol-version": "2025-11-25"})
    return await new_endpoint().handle(request, "all")


@Sweep("raw", RAW.values(), ids=RAW, every=2)
async def test_a_value_that_is_no_argument_gets_a_short_refusal(raw: str) -> None:
    for tool, argument in TARGETS:
        answer = await sent(tool, argument, raw)
        if raw.startswith('"') and argument in {"words", "text"}:
            # A text, which a note may hold: each of three notes in a text and in a document.
            gains_nothing(answer, 200, 400, largest=7 * len(raw.encode()) + LARGEST_REFUSAL)
            continue
        gains_nothing(answer, 200, 400, 413)
        assert MARK.encode() not in answer.body


NAMES = {
    "a megabyte": "n" * 1_000_000,
    "half a character": "\ud800",
    "a line": "x\r\nSet-Cookie: a=b",
    "colours of a terminal": "\x1b[31mred\x1b[0m",
    "a clearing of a terminal": "\x9b2J",
    "active": "<img src=x onerror=alert(1)>",
    "a path": "paper.title.__class__",
    "the language's own": "__init__",
    "what the server gives itself": "context",
    "a template": "{0}{words}%s",
    "nothing": "",
    "confirmation": "confirm",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
async def test_an_argument_that_there_is_not_is_named_in_short_and_does_nothing(name: str) -> None:
    for tool in ("find_notes", "what_time", "azure"):
        raw = json.dumps(MARK)
        answer = await sent(tool, name, raw)
        gains_nothing(answer, 200, 400)
        assert b'"isError":true' in answer.body or b'"error"' in answer.body
        assert MARK.encode() not in answer.body


async def test_a_hundred_thousand_arguments_are_refused_by_a_few_words() -> None:
    arguments = {f"{MARK}{number}": 0 for number in range(100_000)}
    answer = await Caller(new_endpoint(), "all").send("tools/call", {"name": "find_notes", "arguments": arguments})
    gains_nothing(answer, 413)


ELSEWHERE: dict[str, tuple[str, Any]] = {
    "a prompt of a long name": ("prompts/get", {"name": "p" * 500_000}),
    "a prompt with many arguments": (
        "prompts/get",
        {"name": "tidy_desk", "arguments": {f"a{number}": "x" for number in range(50_000)}},
    ),
    "a prompt with an argument that is no text": ("prompts/get", {"name": "tidy_desk", "arguments": {"drawer": {}}}),
    "a resource of a long address": ("resources/read", {"uri": "desk://drawer/" + "d" * 500_000}),
    "a resource that climbs": ("resources/read", {"uri": "desk://drawer/../../etc/passwd"}),
    "a resource that climbs, encoded": ("resources/read", {"uri": "desk://drawer/%2e%2e%2f%2e%2e%2fetc"}),
    "a resource of a file": ("resources/read", {"uri": "file:///etc/passwd"}),
    "a resource of the platform": ("resources/read", {"uri": "http://169.254.169.254/metadata/instance"}),
    "a resource of another scheme": ("resources/read", {"uri": "javascript:alert(1)"}),
    "a resource that is a template": ("resources/read", {"uri": "desk://drawer/{name}"}),
    "a completion of commas": (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "tidy_desk"}, "argument": {"name": "drawer", "value": "," * 1_000_000}},
    ),
    "a completion of a prompt that is none": (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "x" * 500_000}, "argument": {"name": "drawer", "value": ""}},
    ),
    "a completion of an argument that is none": (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "tidy_desk"}, "argument": {"name": "y" * 500_000, "value": ""}},
    ),
    "a cursor of a megabyte": ("tools/list", {"cursor": "c" * 1_000_000}),
}


@pytest.mark.parametrize(("method", "params"), ELSEWHERE.values(), ids=ELSEWHERE)
async def test_what_is_asked_for_at_length_is_refused_in_short(method: str, params: Any) -> None:
    answer = await Caller(new_endpoint(), "all", era="2025-11-25").send(method, params)
    gains_nothing(answer, 200, 400, 404, 413)


@pytest.mark.parametrize("document", [{"id": "i" * 1_000_000, "method": "ping"}, {"id": 1, "method": "m" * 1_000_000}])
async def test_what_the_protocol_repeats_is_repeated_once(document: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **document}).encode()
    answer = await new_endpoint().handle(post(body, {"mcp-protocol-version": "2025-11-25"}))
    gains_nothing(answer, 200, 400, largest=len(body) + 1024)


PLAIN = {
    "no JSON": b"tool=find_notes",
    "a list": b"[]",
    "a list of many": b'[{"tool":"find_notes"}]' * 1000,
    "a deep list": b"[" * 1_000_000,
    "a tool of a long name": b'{"tool":"' + b"t" * 1_000_000 + b'"}',
    "a tool that is a list": b'{"tool":["find_notes"]}',
    "arguments as text": b'{"tool":"find_notes","arguments":"{}"}',
    "arguments of many keys": json.dumps(
        {"tool": "find_notes", "arguments": {str(number): 0 for number in range(100_000)}}
    ).encode(),
    "a method of its own": b'{"tool":"find_notes","arguments":{},"method":"tools/list","id":9}',
    "many keys of its own": json.dumps({str(number): 0 for number in range(100_000)}).encode(),
    "letters that are none": b'{"tool":"\xff\xfe"}',
    "half a character": b'{"tool":"\\ud800"}',
    "a nul": b'{"tool":"find_notes\\u0000"}',
    "not a number": b'{"tool":"find_notes","arguments":{"limit":NaN}}',
}


@pytest.mark.parametrize("body", PLAIN.values(), ids=PLAIN)
async def test_over_plain_http_it_is_no_different(body: bytes) -> None:
    gains_nothing(await rest.execute(new_endpoint(), post(body)), 400, 404, 422)


async def test_headers_that_belong_to_the_protocol_lift_nothing_over_plain_http() -> None:
    headers = {"mcp-method": "tools/list", "mcp-name": "brick_up_door", "mcp-protocol-version": "2026-07-28"}
    request = post(b'{"tool":"find_notes","arguments":{"words":"tea","limit":1}}', headers)
    answer = await rest.execute(new_endpoint(), request)
    assert (answer.status, json.loads(answer.body)) == (200, {"result": {"result": [{"id": 0, "text": "tea"}]}})


@pytest.mark.parametrize(
    "header", ["mcp-param-words", "mcp-param-limit", "mcp-param-confirm", "mcp-name", "mcp-method"]
)
async def test_a_header_that_says_something_else_than_the_body_calls_nothing_else(header: str) -> None:
    request = message(
        "tools/call", {"name": "brick_up_door", "arguments": {"room": "attic"}}, headers={header: "attic"}
    )
    answer = await new_endpoint().handle(request, "all")
    assert answer.status in {200, 400}
    assert b"is gone" not in answer.body
