"""What coding agents do with the server: they list its tools, search, add firewall rules, and read and write files.

`scripts/load` starts a server for it; against another, which needs a shelf of files: `locust -f
tests/load/locustfile.py --host https://<app>`.
"""

from __future__ import annotations

import random
import uuid
from typing import Any

from locust import task

from tests.load import client

QUERIES = ("virtual machines", "private endpoints", "retirement", "kubernetes", '"storage account"', "sql database")
# A page or two.
NOTE = "What was found out, in words that another agent can go on from.\n" * 60


class Agent(client.Client):
    def on_start(self) -> None:
        self.note = f"file:///load/{uuid.uuid4()}.md"
        self._write({"uri": self.note, "text": NOTE}, "write_resource, all clients at the same time")

    @task(1)
    def list_tools(self) -> None:
        self.ask("tools/list", {})

    @task(4)
    def search(self) -> None:
        self.call("search_azure_updates", {"query": random.choice(QUERIES), "limit": 10})

    @task(2)
    def add_rule(self) -> None:
        address = f"10.{random.randrange(256)}.{random.randrange(256)}.0/24"
        self.call("new_azure_firewall_rules", {"team": "load", "source": address, "destination": "52.1.2.3"})

    @task(2)
    def read(self) -> None:
        self.ask("resources/read", {"uri": self.note})

    @task(1)
    def write(self) -> None:
        self._write({"uri": self.note, "text": NOTE + str(random.random()), "etag": "*"})

    def _write(self, parameters: dict[str, Any], row: str = "write_resource") -> None:
        self.use("azure_change", "shelves/write_resource", parameters, row=row)
