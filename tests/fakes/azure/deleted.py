"""Workspaces that were deleted, and are kept for a while."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate
from tests.fakes.azure.routes import Asked, Json, Route, paged

_TYPE: Final = "Microsoft.OperationalInsights/workspaces"
_LISTS: Final = {
    "Microsoft.OperationalInsights": "deletedWorkspaces",
    "Microsoft.AppConfiguration": "deletedConfigurationStores",
    "Microsoft.CognitiveServices": "deletedAccounts",
}


@dataclass
class Deleted:
    """`workspaces` are those that were deleted, by their ids: whoever makes one of them gets it back."""

    estate: Estate
    access: Access
    workspaces: dict[str, Json] = field(default_factory=dict)

    @property
    def routes(self) -> list[Route]:
        place = "GET /subscriptions/{subscription}/providers"
        return [Route(f"{place}/{namespace}/{listed}", self._list) for namespace, listed in _LISTS.items()]

    def delete(self, own: str) -> None:
        """Delete a workspace that there is."""
        self.workspaces[own] = self.estate.resources[own.lower()].document
        self.estate.remove(own)

    def _list(self, asked: Asked) -> Json:
        scope = f"/subscriptions/{asked.places['subscription']}"
        self.access.demand_below(asked, f"{_TYPE}/read", scope)
        is_ours = asked.path.lower().endswith("deletedworkspaces")
        kept = [
            one
            for own, one in self.workspaces.items()
            if own.lower() not in self.estate.resources and own.lower().startswith(f"{scope}/".lower())
        ]
        return paged(asked, kept if is_ours else [], 100)
