"""One request to both adapters, and the requests that each test sends through both."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp_server.http.endpoint import Adapters, Endpoint
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.protocol import names
from tests.mcp_server.archive import archive
from tests.mcp_server.caller import MODERN, message, post
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.library import books
from tests.mcp_server.office import TOOLSETS, mishaps
from tests.mcp_server.records import Records

Json = Any
VERSIONS: Final = names.KNOWN_VERSIONS
INITIALIZE: Final[Json] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {}},
    "clientInfo": {"name": "probe", "version": "1", "title": "Probe", "icons": [{"src": "data:,"}]},
}
PROMPT: Final = {"type": "ref/prompt", "name": "tidy_desk"}


def called(name: str, /, **arguments: Json) -> tuple[str, Json]:
    return "tools/call", {"name": name, "arguments": arguments}


# What clients send every day: none of it may need the SDK.
PLAIN: Final[list[tuple[str, Json]]] = [
    ("tools/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("prompts/list", {}),
    ("tools/list", {"cursor": "next"}),
    ("tools/list", {"cursor": None}),
    called("find_notes", words="tea"),
    called("find_notes", words="tea", limit=2, paper={"color": "green"}),
    called("find_notes", words="tea", paper='{"color":"green"}'),
    called("find_notes", words='Ω ☃ 🙂 " \\ \n'),
    called("find_notes", words="tea", limit=None),
    called("find_notes", limit="many", colour=1),
    called("find_notes"),
    called("find_note", words="tea"),
    called("write_note", text="forbidden"),
    called("write_note", text="LOUD"),
    ("tools/call", {"name": "break_pencil", "arguments": {"token": "x"}}),
    called("misread_letter"),
    called("break_promise"),
    called("brick_up_door", room="attic"),
    called("open_door", room="attic"),
    called("what_time"),
    called("list_letters"),
    called("repeat", what={"deep": [{"a": None}, 1.5, True, "é"]}),
    called("read_aloud"),
    called("show_stamp"),
    called("count_letters"),
    called("fail_politely"),
    called("retell", text="once"),
    called("azure", intent="find notes"),
    called("azure", learn=True),
    called("azure", tool="archive", command="list_letters", select="letters[].title"),
    called("azure", tool="nowhere", command="nothing"),
    called("azure", tool="office-notes", command="write_note", parameters={"text": "tea"}),
    called("azure_change", tool="office-notes", command="write_note", parameters={"text": "tea"}),
    ("tools/call", {"name": "what_time"}),
    ("tools/call", {"name": "what_time", "arguments": None}),
    ("resources/read", {"uri": "desk://inventory"}),
    ("resources/read", {"uri": "desk://drawer/left%20one"}),
    ("resources/read", {"uri": "desk://drawer/..%2F..%2Fetc"}),
    ("resources/read", {"uri": "desk://drawer/empty"}),
    ("resources/read", {"uri": "desk://nothing"}),
    ("resources/read", {"uri": "desk://" + "x" * 5000}),
    ("prompts/get", {"name": "tidy_desk", "arguments": {"drawer": "left", "when": "now"}}),
    ("prompts/get", {"name": "tidy_desk", "arguments": {"drawer": "locked"}}),
    ("prompts/get", {"name": "tidy_desk"}),
    ("prompts/get", {"name": "nothing", "arguments": {"a": "b"}}),
    ("completion/complete", {"ref": PROMPT, "argument": {"name": "drawer", "value": "l"}}),
    ("completion/complete", {"ref": PROMPT, "argument": {"name": "drawer", "value": "?"}}),
    ("completion/complete", {"ref": PROMPT, "argument": {"name": "drawer", "value": "!"}}),
    ("completion/complete", {"ref": {"type": "ref/resource", "uri": "x:y"}, "argument": {"name": "a", "value": ""}}),
]
OF_HANDSHAKE: Final[list[tuple[str, Json]]] = [
    ("ping", {}),
    ("initialize", INITIALIZE),
    ("initialize", {**INITIALIZE, "protocolVersion": "1999-01-01"}),
]
OF_NOW: Final[list[tuple[str, Json]]] = [("server/discover", {})]
# Whatever is odd about them, the SDK reads.
ODD: Final[list[tuple[str, Json]]] = [
    called("what_time", _meta=1),
    ("tools/call", {"name": "what_time", "arguments": {}, "more": 1}),
    ("tools/call", {"name": "what_time", "_meta": {"progressToken": 7}}),
    ("tools/call", {"name": "what_time", "_meta": {"x/y": [1], "traceparent": 3}}),
    ("tools/call", {"name": 7}),
    ("tools/call", {"name": "what_time", "arguments": []}),
    ("tools/list", {"cursor": 7}),
    ("prompts/get", {"name": "tidy_desk", "arguments": {"drawer": 1}}),
    ("resources/read", {"uri": None}),
    ("completion/complete", {"ref": {"type": "ref/other"}, "argument": {}}),
    ("initialize", {"protocolVersion": 1}),
    ("server/discover", {"x": 1}),
    ("logging/setLevel", {"level": "info"}),
    ("subscriptions/listen", {}),
    ("tasks/get", {"taskId": "x"}),
    ("no/such/method", {}),
    called("ask_back"),
]


@dataclass
class Pair:
    """The same office twice, each of which answers through one adapter."""

    both: Endpoint
    sdk: Endpoint

    @classmethod
    def new(cls, **how: Any) -> Pair:
        toolsets = (*TOOLSETS, mishaps, archive, books)
        made = [new_endpoint(toolsets=toolsets, adapters=adapters, **how) for adapters in Adapters]
        return cls(*made)

    async def answers(self, request: HttpRequest, toolsets: str | None = "all") -> list[Json]:
        """What came of a request at each, with all that may differ made equal."""
        return [await seen(endpoint, request, toolsets) for endpoint in (self.both, self.sdk)]

    @property
    def is_plain(self) -> bool:
        """Whether nothing has needed the SDK so far."""
        return "sdk" not in vars(self.both)


async def seen(endpoint: Endpoint, request: HttpRequest, toolsets: str | None) -> Json:
    with Records.kept() as records:
        answer = await endpoint.handle(request, toolsets)
    return told(answer), [even(record) for record in (*records.all, *records.attempts)]


def told(answer: HttpAnswer) -> Json:
    headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
    is_json = headers.get("content-type") == "application/json" and answer.body
    return answer.status, headers, json.loads(even_text(answer.body)) if is_json else even_text(answer.body)


def even(record: Mapping[str, Json]) -> Json:
    return {name: value for name, value in record.items() if name not in {"time", "milliseconds", "trace", "change"}}


def even_text(body: bytes) -> str:
    """The text without what is made by chance: incidents, changes, codes and sealed states."""
    text = re.sub(r"Incident \w{12}", "Incident", body.decode())
    text = re.sub(r"confirm: '[^']+'|changes/[\w-]+", "change", text)
    text = re.sub(r'(\\?"(?:id|requestState|address)\\?":\\?")[^"\\]+', r"\1", text)
    return re.sub(r"\d+ minutes", "minutes", text)


def sent(method: str, params: Json, version: str, **headers: str) -> HttpRequest:
    if version == MODERN:
        return message(method, params, MODERN, headers)
    document = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    return post(json.dumps(document).encode(), {"mcp-protocol-version": version, **headers})


def methods_of(version: str) -> list[tuple[str, Json]]:
    return [*PLAIN, *(OF_NOW if version == MODERN else OF_HANDSHAKE)]
