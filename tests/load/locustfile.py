"""What coding agents do with the server: they list its tools, search, add firewall rules, and read and write files.

`scripts/load` starts a server for it; against another, which needs a shelf of files: `locust -f
tests/load/locustfile.py --host https://<app>`.
"""

from __future__ import annotations

import os
import random
import sys
import uuid
from typing import Any

from locust import HttpUser, between, events, task

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "1"},
}
QUERIES = ("virtual machines", "private endpoints", "retirement", "kubernetes", '"storage account"', "sql database")
TOKEN = os.environ.get("LOAD_TOKEN", "")
# A page or two.
NOTE = "What was found out, in words that another agent can go on from.\n" * 60
# About how many seconds somebody pauses between two calls.
PAUSE = float(os.environ.get("LOAD_PAUSE", "1"))


@events.test_start.add_listener
def tell_that_clients_begin(**_: object) -> None:
    sys.stdout.write("Clients begin.\n")
    sys.stdout.flush()


class Agent(HttpUser):
    wait_time = between(PAUSE / 2, PAUSE * 3 / 2)

    def on_start(self) -> None:
        self.note = f"file:///load/{uuid.uuid4()}.md"
        self._write({"uri": self.note, "text": NOTE}, "write_resource, all at once")

    @task(1)
    def list_tools(self) -> None:
        self._ask("tools/list", {})

    @task(4)
    def search(self) -> None:
        arguments = {"query": random.choice(QUERIES), "limit": 10}
        self._ask("tools/call", {"name": "search_azure_updates", "arguments": arguments})

    @task(2)
    def add_rule(self) -> None:
        address = f"10.{random.randrange(256)}.{random.randrange(256)}.0/24"
        arguments = {"team": "load", "source": address, "destination": "52.1.2.3"}
        self._ask("tools/call", {"name": "new_azure_firewall_rules", "arguments": arguments})

    @task(2)
    def read(self) -> None:
        self._ask("resources/read", {"uri": self.note})

    @task(1)
    def write(self) -> None:
        self._write({"uri": self.note, "text": NOTE + str(random.random()), "etag": "*"})

    def _write(self, parameters: dict[str, Any], told: str = "write_resource") -> None:
        call = {"tool": "shelves", "command": "write_resource", "parameters": parameters}
        self._ask("tools/call", {"name": "azure_change", "arguments": call}, told)

    def _ask(self, method: str, params: dict[str, Any], told: str = "") -> None:
        name = params.get("name") or params.get("uri")
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": method,
            **({"Mcp-Name": name} if name else {}),
            **({"Authorization": f"Bearer {TOKEN}"} if TOKEN else {}),
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
        with self.client.post(
            "/mcp", json=message, headers=headers, name=told or params.get("name", method), catch_response=True
        ) as answer:
            result = answer.json().get("result") if answer.status_code == 200 else None
            if result is None or result.get("isError"):
                answer.failure(f"{answer.status_code}: {answer.text[:200]}")
