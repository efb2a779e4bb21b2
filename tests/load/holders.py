"""Clients that hold a task each: they request a change that nobody approves, and look at it again and again.

`scripts/load --tasks` starts the made-up team of the demo for it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from locust import task

from tests.load import client

EXTENSION = "io.modelcontextprotocol/tasks"


class Holder(client.Client):
    capabilities: ClassVar[dict[str, Any]] = {"extensions": {EXTENSION: {}}}

    def on_start(self) -> None:
        begun = self.use(
            "azure_change", "apps/restart_app", {"app": "shop-web"}, row="restart_app, which becomes a task"
        )
        self.held = begun.get("taskId", "")

    @task
    def look(self) -> None:
        if self.held:
            self.ask("tasks/get", {"taskId": self.held})
