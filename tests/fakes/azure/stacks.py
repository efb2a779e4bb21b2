"""Deployment stacks of groups and subscriptions: what they manage, and how it is left or deleted with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate
from tests.fakes.azure.long_running import LongRunning, Style
from tests.fakes.azure.people import OWNER
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route, paged

_PLACE: Final = "{scope}/providers/Microsoft.Resources/deploymentStacks"
_TYPE: Final = "Microsoft.Resources/deploymentStacks"
_ENDED: Final = frozenset({"succeeded", "failed", "canceled"})


@dataclass
class Stacks:
    estate: Estate
    access: Access
    work: LongRunning
    stacks: dict[str, Json] = field(default_factory=dict)

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"GET {_PLACE}", self._list, type=_TYPE),
            Route(f"GET {_PLACE}/{{name}}", self._get, type=_TYPE),
            Route(f"DELETE {_PLACE}/{{name}}", self._delete, type=_TYPE),
        ]

    def add(self, scope: str, name: str, managed: Sequence[str], *, deny: str = "none", **properties: Any) -> Json:
        """Let there be a stack that manages these."""
        place = f"{scope}/providers/{_TYPE}/{name}"
        settings = {"mode": deny, "applyToChildScopes": False, "excludedPrincipals": [], "excludedActions": []}
        made: Json = {
            "id": place,
            "name": name,
            "type": _TYPE,
            "tags": {},
            "systemData": {"createdBy": OWNER.name, "createdAt": "2026-04-09T18:15:07.5412787Z"},
            "properties": {
                "provisioningState": "succeeded",
                "actionOnUnmanage": {"resources": "detach", "resourceGroups": "detach", "managementGroups": "detach"},
                "denySettings": settings,
                "deploymentId": f"{scope}/providers/Microsoft.Resources/deployments/{name}-260409184fj22",
                "duration": "PT28.7863752S",
                "resources": [{"id": one, "status": "managed", "denyStatus": deny} for one in managed],
                "detachedResources": [],
                "deletedResources": [],
                "failedResources": [],
                **properties,
            },
        }
        self.stacks[place.lower()] = made
        return made

    def _list(self, asked: Asked) -> Json:
        scope = asked.places["scope"]
        self.access.demand(asked, f"{_TYPE}/read", scope)
        place = f"{scope}/providers/{_TYPE}/".lower()
        return paged(asked, [one for key, one in self.stacks.items() if key.startswith(place)], 100)

    def _stack(self, asked: Asked, action: str) -> Json:
        scope, name = asked.places["scope"], asked.places["name"]
        self.access.demand(asked, f"{_TYPE}/{action}", scope)
        found = self.stacks.get(f"{scope}/providers/{_TYPE}/{name}".lower())
        if found is None:
            raise AzureError(404, "DeploymentStackNotFound", f"The deployment stack '{name}' could not be found.")
        return found

    def _get(self, asked: Asked) -> Json:
        return self._stack(asked, "read")

    def _delete(self, asked: Asked) -> Reply:
        """What it manages goes when the work on it is over, whatever a lock says before that."""
        found = self._stack(asked, "delete")
        if found["properties"]["provisioningState"] not in _ENDED:
            raise AzureError(409, "DeploymentStackInNonTerminalState", f"'{found['name']}' is being changed.")
        found["properties"]["provisioningState"] = "deleting"
        # The real service reads their names in any case.
        deletes_resources = asked.query.get("unmanageaction.resources") == "delete"

        def finish() -> None:
            self._finish(found, deletes_resources=deletes_resources)

        work = self.work.begin(finish)
        subscription = asked.places["scope"].split("/")[2]
        headers = self.work.headers(asked, work, subscription, Style.BOTH, "Microsoft.Resources")
        if self.work.polls == 0:
            work.poll()
        return Reply(status=202, headers=headers)

    def _finish(self, found: Json, *, deletes_resources: bool) -> None:
        for one in found["properties"]["resources"]:
            if deletes_resources and one["id"].lower() in self.estate.resources:
                self.estate.remove(one["id"])
        del self.stacks[found["id"].lower()]
