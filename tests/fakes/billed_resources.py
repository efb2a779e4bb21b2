"""The resources of a group, which Azure bills until somebody deletes them, and deletes when nothing uses them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class BilledResources:
    """By id; `uses` names what one needs."""

    all: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, resource: str, environment: str = "team", uses: tuple[str, ...] = ()) -> str:
        provider, *parts = resource.rpartition("/providers/")[2].split("/")
        kind = "/".join([provider, *parts[::2]])
        tags = {"azd-env-name": environment}
        self.all[resource] = {"id": resource, "type": kind, "name": parts[-1], "tags": tags, "uses": uses}
        return resource

    def below(self, path: str) -> list[dict[str, Any]]:
        return [one for one in self.all.values() if one["id"].startswith(f"{path}/")]

    def delete(self, resource: str) -> str:
        """Answer with the id of what still uses it, or delete it."""
        users = [one for one in self.all.values() if resource in one["uses"]] + self.below(resource)
        if users:
            return str(users[0]["id"])
        del self.all[resource]
        return ""
