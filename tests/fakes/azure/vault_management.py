"""Vaults as Resource Manager has them: which names are free, those that were deleted, and how they come back or go."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.long_running import LongRunning, Style, Work
from tests.fakes.azure.resources import Resources
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route
from tests.fakes.azure.vaults import Vaults

_TYPE: Final = "Microsoft.KeyVault/vaults"
_PROVIDER: Final = "/subscriptions/{subscription}/providers/Microsoft.KeyVault"
_VAULT: Final = "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.KeyVault/vaults/{vault}"
_GONE: Final = f"{_PROVIDER}/locations/{{location}}/deletedVaults/{{vault}}"


@dataclass
class VaultManagement:
    """Vaults that were deleted are here, by their names in small letters, until they are recovered or purged."""

    estate: Estate
    access: Access
    work: LongRunning
    resources: Resources
    vaults: Vaults
    deleted: dict[str, tuple[Resource, datetime]] = field(default_factory=dict)
    purging: dict[str, Work] = field(default_factory=dict)
    # Names that others have, all over Azure.
    taken: set[str] = field(default_factory=lambda: {"mill-secrets"})

    @property
    def routes(self) -> list[Route]:
        return [
            Route(f"POST {_PROVIDER}/checkNameAvailability", self._available),
            Route(f"GET {_PROVIDER}/deletedVaults", self._list_deleted),
            Route(f"GET {_GONE}", self._get_deleted),
            Route(f"POST {_GONE}/purge", self._purge),
            Route(f"PUT {_VAULT}", self._put),
            Route(f"DELETE {_VAULT}", self._delete),
        ]

    def _available(self, asked: Asked) -> Json:
        self.access.demand_below(asked, "Microsoft.KeyVault/checkNameAvailability/read", _subscription(asked))
        name = str(asked.body.get("name", "")).lower()
        if self._is_taken(name):
            message = f"The vault name '{name}' is already in use."
            return {"nameAvailable": False, "reason": "AlreadyExists", "message": message}
        return {"nameAvailable": True}

    def _is_taken(self, name: str) -> bool:
        there = {str(one.document["name"]).lower() for one in self.vaults.resources()}
        return name in there | self.taken | set(self.deleted)

    def _put(self, asked: Asked) -> Reply:
        name = asked.places["vault"].lower()
        is_there = asked.path.lower() in self.estate.resources
        properties = asked.body.get("properties", {})
        if not properties.get("tenantId") or not asked.body.get("location"):
            raise AzureError(400, "BadRequest", "The properties tenantId and location are required.")
        if properties.get("createMode") == "recover":
            return self._recover(asked, name)
        if not is_there and self._is_taken(name):
            message = f"The vault name '{asked.places['vault']}' is already in use. Vault names are globally unique."
            raise AzureError(409, "VaultAlreadyExists", message)
        reply = self.resources.put(self._meant(asked))
        made = self.estate.resources[asked.path.lower()]
        made.properties["vaultUri"] = self.vaults.address(made)
        return reply

    def _recover(self, asked: Asked, name: str) -> Reply:
        self.access.demand(asked, f"{_TYPE}/write", asked.path)
        if name not in self.deleted:
            raise AzureError(404, "DeletedVaultNotFound", f"There is no deleted vault '{name}'.")
        resource, _ = self.deleted.pop(name)
        self.estate.add(resource)
        return Reply(resource.document, 201)

    def _delete(self, asked: Asked) -> Reply:
        found = self.estate.resources.get(asked.path.lower())
        reply = self.resources.delete(self._meant(asked))
        if found:
            self.deleted[asked.places["vault"].lower()] = (found, datetime.now(UTC))
        return reply

    def _meant(self, asked: Asked) -> Asked:
        """The request as whatever has an id is asked."""
        scope, _, rest = asked.path.partition("/providers/")
        namespace, _, own = rest.partition("/")
        return replace(asked, places={"scope": scope, "namespace": namespace, "rest": own})

    # Those that were deleted

    def _list_deleted(self, asked: Asked) -> Json:
        self.access.demand_below(asked, "Microsoft.KeyVault/deletedVaults/read", _subscription(asked))
        own = f"{_subscription(asked)}/".lower()
        return {
            "value": [self._told(name) for name, (one, _) in self.deleted.items() if one.id.lower().startswith(own)]
        }

    def _get_deleted(self, asked: Asked) -> Json:
        self.access.demand_below(asked, "Microsoft.KeyVault/locations/deletedVaults/read", _subscription(asked))
        if under_way := self.purging.get(asked.places["vault"].lower()):
            under_way.poll()
        return self._told(self._gone(asked))

    def _purge(self, asked: Asked) -> Reply:
        action = "Microsoft.KeyVault/locations/deletedVaults/purge/action"
        self.access.demand(asked, action, _subscription(asked))
        name = self._gone(asked)
        if self.deleted[name][0].properties.get("enablePurgeProtection"):
            message = "Operation 'DeletedVaultPurge' is not allowed."
            raise AzureError(405, "MethodNotAllowed", message)

        def finish() -> None:
            self.deleted.pop(name, None)

        work = self.purging[name] = self.work.begin(finish)
        subscription = asked.places["subscription"]
        return Reply(
            status=202, headers=self.work.headers(asked, work, subscription, Style.LOCATION, "Microsoft.KeyVault")
        )

    def _gone(self, asked: Asked) -> str:
        name = asked.places["vault"].lower()
        if name not in self.deleted:
            raise AzureError(404, "DeletedVaultNotFound", f"The deleted vault '{name}' could not be found.")
        return name

    def _told(self, name: str) -> Json:
        resource, at = self.deleted[name]
        days = resource.properties.get("softDeleteRetentionInDays", 90)
        location = str(resource.document["location"])
        own = resource.id.split("/")[2]
        title = resource.document["name"]
        return {
            "id": f"/subscriptions/{own}/providers/Microsoft.KeyVault/locations/{location}/deletedVaults/{title}",
            "name": title,
            "type": "Microsoft.KeyVault/deletedVaults",
            "properties": {
                "vaultId": resource.id,
                "location": location,
                "tags": resource.tags,
                "deletionDate": f"{at:%Y-%m-%dT%H:%M:%SZ}",
                "scheduledPurgeDate": f"{at + timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}",
                "purgeProtectionEnabled": resource.properties.get("enablePurgeProtection"),
            },
        }


def _subscription(asked: Asked) -> str:
    return f"/subscriptions/{asked.places['subscription']}"
