"""What the clients of every load have in common: how they ask, and how long they pause."""

from __future__ import annotations

import json
import os
import sys
from http import HTTPStatus
from typing import Any, ClassVar

from locust import FastHttpUser, between, events

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "1"},
}
TOKEN = os.environ.get("LOAD_TOKEN", "")
# About how many seconds a client pauses between two calls.
PAUSE = float(os.environ.get("LOAD_PAUSE", "1"))
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_NAMED_BY = ("name", "uri", "taskId")


@events.test_start.add_listener
def tell_that_clients_begin(**_: object) -> None:
    sys.stdout.write("Clients begin.\n")
    sys.stdout.flush()


class Client(FastHttpUser):
    abstract = True
    wait_time = between(PAUSE / 2, PAUSE * 3 / 2)
    # What the client declares with each request.
    capabilities: ClassVar[dict[str, Any]] = {}

    def call(self, tool: str, arguments: dict[str, Any], row: str = "", *, but: str = "") -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments}, row or tool, but=but)

    def use(self, gateway: str, command: str, parameters: dict[str, Any] | None = None, **how: str) -> dict[str, Any]:
        """Call a tool, `toolset/name`, through one that is listed by default."""
        toolset, _, name = command.partition("/")
        arguments = {"tool": toolset, "command": name, "parameters": parameters or {}}
        return self.call(gateway, arguments, **{"row": name, **how})

    def ask(self, method: str, params: dict[str, Any], row: str = "", *, but: str = "") -> dict[str, Any]:
        """The result of a request, which is counted in a row; empty after a failure.

        A tool's error with the text `but` is what the client wants.
        """
        meta = {**META, _CAPABILITIES: self.capabilities}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        headers = _headers(method, params)
        with self.client.post(
            "/mcp", json=message, headers=headers, name=row or method, catch_response=True
        ) as response:
            text = response.text or ""
            result: dict[str, Any] = (
                json.loads(text).get("result") or {} if response.status_code == HTTPStatus.OK else {}
            )
            if not result or (result.get("isError") and not (but and but in text)):
                response.failure(f"{response.status_code}: {text[:200]}")
                return {}
        return result


def _headers(method: str, params: dict[str, Any]) -> dict[str, str]:
    name = next((params[key] for key in _NAMED_BY if key in params), "")
    return {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": method,
        **({"Mcp-Name": name} if name else {}),
        **({"Authorization": f"Bearer {TOKEN}"} if TOKEN else {}),
    }
