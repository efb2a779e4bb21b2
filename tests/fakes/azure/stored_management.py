"""Storage accounts as Resource Manager has them besides: free names, containers, what is kept of the deleted."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.routes import Asked, AzureError, Json, Route

_TYPE: Final = "Microsoft.Storage/storageAccounts"
_PROVIDER: Final = "/subscriptions/{subscription}/providers/Microsoft.Storage"
_SERVICE: Final = (
    "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Storage/storageAccounts/{account}"
    "/blobServices/default"
)


@dataclass
class StoredManagement:
    estate: Estate
    access: Access
    taken: set[str] = field(default_factory=lambda: {"millflour"})
    # For how many days, by the names of accounts.
    days: dict[str, int] = field(default_factory=dict)

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"POST {_PROVIDER}/checkNameAvailability", self._available),
            Route(f"GET {_SERVICE}", self._service),
        ]

    def keep_deleted(self, account: str, days: int) -> None:
        """Have an account keep its deleted blobs and containers."""
        self.days[account] = days

    def hold(self, account: str, container: str) -> None:
        """Let an account have a container."""
        own = next(one for one in self._accounts if one.document["name"] == account)
        now = datetime.now(UTC)
        document = {
            "id": f"{own.id}/blobServices/default/containers/{container}",
            "name": container,
            "type": f"{_TYPE}/blobServices/containers",
            "properties": {
                "publicAccess": "None",
                "leaseState": "Available",
                "hasImmutabilityPolicy": False,
                "hasLegalHold": False,
                "lastModifiedTime": f"{now:%Y-%m-%dT%H:%M:%SZ}",
            },
        }
        self.estate.add(Resource(document, now, now))

    @property
    def _accounts(self) -> list[Resource]:
        return [one for one in self.estate.resources.values() if one.type == _TYPE]

    def _available(self, asked: Asked) -> Json:
        scope = f"/subscriptions/{asked.places['subscription']}"
        self.access.demand_below(asked, "Microsoft.Storage/checknameavailability/read", scope)
        name = str(asked.body.get("name", ""))
        if asked.body.get("type") != _TYPE:
            raise AzureError(400, "InvalidType", "The type is not Microsoft.Storage/storageAccounts.")
        if name in self.taken | {str(one.document["name"]) for one in self._accounts}:
            message = f"The storage account named {name} is already taken."
            return {"nameAvailable": False, "reason": "AlreadyExists", "message": message}
        return {"nameAvailable": True}

    def _service(self, asked: Asked) -> Json:
        account = asked.path.rpartition("/blobServices")[0]
        self.access.demand(asked, f"{_TYPE}/blobServices/read", account)
        if account.lower() not in self.estate.resources:
            raise AzureError(404, "ResourceNotFound", f"The Resource '{account}' was not found.")
        days = self.days.get(asked.places["account"], 0)
        policy: dict[str, Any] = {"enabled": True, "days": days} if days else {"enabled": False}
        return {
            "id": asked.path,
            "name": "default",
            "type": f"{_TYPE}/blobServices",
            "properties": {"deleteRetentionPolicy": policy, "containerDeleteRetentionPolicy": policy},
        }
