"""A small organization of which one project is within reach, and what is beside it is marked."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import unquote

from tests.fakes.azure_devops.service import FakeAzureDevOps

# What stands in each thing that is out of reach.
MARK: Final = "m4rked"
RELATED: Final = "System.LinkTypes.Related"


class World(FakeAzureDevOps):
    """The project Web, within reach, and Vault, which is not. Work items: 1 of Web, 2 of Vault, 3 and 4 as told."""

    def __init__(self) -> None:
        super().__init__()
        self.projects.names = ["Web", "Vault"]
        self.oven = self.git.add("Web", "oven", {"/a.txt": b"plain words"})
        self.door = self.git.add("Web", "door", {"/b.txt": f"{MARK} door".encode()})
        self.safe = self.git.add("Vault", "safe", {"/c.txt": f"{MARK} words".encode()})
        self.twin = self.git.add("Vault", "oven", {"/d.txt": f"{MARK} words".encode()})
        self.work_items.add("Web", "Bug", "Stuck door")
        self.work_items.add("Vault", "Bug", f"{MARK} door", Description=f"{MARK} door")
        # Once in Vault, and in Web now.
        self.work_items.add("Vault", "Bug", f"{MARK} before")
        self.move(3, "Web", "Moved door")
        # Linked to what is in Vault.
        self.work_items.add("Web", "Bug", "Linked door")
        self.link(4, 2)
        self.link(4, 1)
        self.secret_file = self.attach(2)
        self.open_file = self.attach(1)
        self.libraries.owners["safe-feed"] = "Vault"
        self.libraries.feeds["safe-feed"] = {}

    def id_of(self, project: str) -> str:
        return self.projects.id_of(project)

    def move(self, number: int, project: str, title: str) -> None:
        fields = {"TeamProject": project, "AreaPath": project, "IterationPath": project, "Title": title}
        operations = [{"op": "add", "path": f"/fields/System.{name}", "value": value} for name, value in fields.items()]
        self.change(number, operations)

    def link(self, number: int, other: int) -> None:
        url = f"https://dev.azure.com/acme/_apis/wit/workItems/{other}"
        value = {"rel": RELATED, "url": url, "attributes": {"comment": MARK if other == 2 else "fine"}}
        self.change(number, [{"op": "add", "path": "/relations/-", "value": value}])

    def link_to_code(self, number: int) -> None:
        url = f"vstfs:///Git/Commit/{self.id_of('Web')}%2F{self.door.id}%2F{'a' * 40}"
        self.change(
            number,
            [
                {
                    "op": "add",
                    "path": "/relations/-",
                    "value": {"rel": "ArtifactLink", "url": url, "attributes": {"name": "Fixed in Commit"}},
                }
            ],
        )

    def attach(self, number: int) -> str:
        key = f"0f11e000-0000-4000-8000-{number:012}"
        self.work_items.attachments[key] = f"{MARK if number == 2 else 'plain'} file".encode()
        value = {"rel": "AttachedFile", "url": f"https://dev.azure.com/acme/_apis/wit/attachments/{key}"}
        self.change(number, [{"op": "add", "path": "/relations/-", "value": {**value, "attributes": {"name": "x"}}}])
        return key

    def change(self, number: int, operations: list[dict[str, Any]]) -> None:
        revisions = self.work_items.revisions[number]
        revisions.append(self.work_items._applied(revisions[-1], operations))  # noqa: SLF001 - a part of this fake

    def strays(self) -> list[str]:
        """What was asked for that is out of reach, by whichever name."""
        outside = {"vault", self.id_of("Vault"), self.safe.id, self.twin.id, "safe"}
        lines = [f"{seen.method} {unquote(seen.path)}" for seen in self.asked]
        return [line for line in lines if outside & set(line.lower().replace(" ", "/").split("/"))]
