"""Talks to an endpoint as a client of either era does, and gives back what came."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY

from changes.approval_request import By, Decision
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.messages import HttpAnswer, HttpRequest

Era = Literal["2026-07-28", "2025-11-25"]
MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
ERAS: tuple[Era, ...] = (MODERN, LEGACY)
Json = Any


def post(body: bytes, headers: Mapping[str, str] | None = None) -> HttpRequest:
    common = {
        "host": "localhost:7071",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "content-length": str(len(body)),
    }
    return HttpRequest("POST", "/mcp", common | dict(headers or {}), body)


def message(
    method: str, params: Json = None, era: Era = MODERN, headers: Mapping[str, str] | None = None
) -> HttpRequest:
    params = dict(params or {})
    routing: dict[str, str] = {"mcp-protocol-version": era}
    if era == MODERN:
        envelope: dict[str, Json] = {PROTOCOL_VERSION_META_KEY: MODERN, CLIENT_CAPABILITIES_META_KEY: {}}
        params["_meta"] = envelope | params.get("_meta", {})
        routing["mcp-method"] = method
        if name := params.get("name") or params.get("uri"):
            routing["mcp-name"] = str(name)
    document = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    return post(json.dumps(document).encode(), routing | dict(headers or {}))


@dataclass(frozen=True)
class Caller:
    endpoint: Endpoint
    toolsets: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    era: Era = MODERN

    async def send(self, method: str, params: Json = None) -> HttpAnswer:
        return await self.endpoint.handle(message(method, params, self.era, self.headers), self.toolsets)

    async def result(self, method: str, params: Json = None) -> Json:
        document = json.loads((await self.send(method, params)).body)
        assert "result" in document, document
        return document["result"]

    async def error(self, method: str, params: Json = None) -> Json:
        document = json.loads((await self.send(method, params)).body)
        assert "error" in document, document
        return document["error"]

    async def tool_names(self) -> list[str]:
        return [tool["name"] for tool in (await self.result("tools/list"))["tools"]]

    async def call(self, name: str, /, **arguments: Json) -> Json:
        return await self.result("tools/call", {"name": name, "arguments": arguments})

    async def approve(self, words: str) -> None:
        """Agree as at the page that an answer names, which is none of the endpoint."""
        ledger = self.endpoint.means.approvals().kept()
        change = await ledger.find(words.rpartition("/changes/")[2])
        assert change, words
        await ledger.decide(change, Decision(ledger.clock(), change.asked_by, By.PAGE, is_yes=True))

    async def agreed(self, tool: str, **arguments: Json) -> Json:
        """What comes of a call that somebody has to agree to, and does by a form."""
        meta: Json = {"_meta": {CLIENT_CAPABILITIES_META_KEY: {"elicitation": {"form": {}}}}}
        asking = {"name": tool, "arguments": arguments, **meta}
        modern = replace(self, era=MODERN)
        asked = await modern.result("tools/call", asking)
        assert asked["resultType"] == "input_required", asked
        answer = {"consent": {"action": "accept", "content": {"agree": True}}}
        return await modern.result(
            "tools/call", asking | {"requestState": asked["requestState"], "inputResponses": answer}
        )

    async def told(self, name: str, /, **arguments: Json) -> str:
        """The sentence with which a call is refused."""
        result = await self.call(name, **arguments)
        assert result["isError"], result
        text: str = result["content"][0]["text"]
        return text


def code_in(words: str) -> str:
    """The code that a model is to repeat, as it is told."""
    return words.rpartition("confirm: '")[2].partition("'")[0]
