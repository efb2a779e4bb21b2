"""What a whole team's agents do, with every toolset: beside the calls of `locustfile.py`, they find and read resources,
work items and documents, use an extension, request changes that a person has to approve, and begin long-running work.

`scripts/load --team` starts the made-up team of the demo for it.
"""

from __future__ import annotations

import random

from locust import task

from tests.load import locustfile

INTENTS = (
    "Why is our build red?",
    "Which pull requests are open?",
    "What do we run on Azure, and what is unused?",
    "Who can delete our production resource group?",
    "Which messages are stuck in the orders-poison queue?",
    "What did we spend this month?",
)
APPS = ("shop-web", "shop-orders")
WORDS = ("release", "oven", "invoice", "who is on call", "repository")


class Member(locustfile.Agent):
    @task(3)
    def find_tool(self) -> None:
        self.call("azure", {"intent": random.choice(INTENTS)}, row="azure, an intent")

    @task(2)
    def list_resources(self) -> None:
        self.use("azure", "resource/list_resources")

    @task(1)
    def query_resources(self) -> None:
        self.use("azure", "resource/query_resource_graph", {"query": "Resources | project name, type, location"})

    @task(2)
    def read_work_item(self) -> None:
        self.use("azure", "devops-work-items/get_work_item", {"id": random.randint(1, 3)})

    @task(1)
    def list_builds(self) -> None:
        self.use("azure", "devops-builds/list_builds")

    @task(2)
    def search_documents(self) -> None:
        self.use("azure", "documents/docs_search", {"query": random.choice(WORDS)})

    @task(1)
    def use_extension(self) -> None:
        self.use("azure", "ovens/ovens_list_ovens", row="ovens_list_ovens, an extension")

    @task(1)
    def request_change(self) -> None:
        """It waits for a person: the answer says where to approve it."""
        self.use(
            "azure_change",
            "apps/restart_app",
            {"app": random.choice(APPS)},
            row="restart_app, which waits for approval",
            but="/changes/",
        )

    @task(1)
    def begin_long_work(self) -> None:
        begun = self.use("azure_change", "documents/refresh_documents", row="refresh_documents, long-running")
        if work := (begun.get("structuredContent") or {}).get("task"):
            self.use("azure", "tasks/get_task", {"id": work})
