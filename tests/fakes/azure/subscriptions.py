"""Tenants, subscriptions, where they may be, the providers in them, and what a client must know of this cloud."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tests.fakes.azure.access import Access, called_by
from tests.fakes.azure.estate import Estate
from tests.fakes.azure.provider_list import PROVIDERS, ResourceType, namespace_named
from tests.fakes.azure.routes import Asked, AzureError, Json, Route, paged

_SUBSCRIPTIONS: Final = "Microsoft.Resources/subscriptions"
_PROVIDERS: Final = f"{_SUBSCRIPTIONS}/providers"
# Name, shown name, geography, longitude and latitude, where it is, and its pair.
_LOCATIONS: Final = (
    ("westeurope", "West Europe", "Europe", "4.9", "52.3667", "Netherlands", "northeurope"),
    ("northeurope", "North Europe", "Europe", "-6.2597", "53.3478", "Ireland", "westeurope"),
    ("swedencentral", "Sweden Central", "Europe", "17.14127", "60.67488", "Gävle", "swedensouth"),
    ("germanywestcentral", "Germany West Central", "Europe", "8.682127", "50.110924", "Frankfurt", "germanynorth"),
    ("eastus", "East US", "US", "-79.8164", "37.3719", "Virginia", "westus"),
    ("westus3", "West US 3", "US", "-112.074036", "33.448376", "Phoenix", "eastus"),
)


@dataclass
class Subscriptions:
    estate: Estate
    access: Access
    page_size: int = 100

    @property
    def routes(self) -> list[Route]:
        return [
            Route("GET /metadata/endpoints", self._metadata, is_open=True),
            Route("GET /tenants", self._tenants, type="Microsoft.Resources/tenants"),
            Route("GET /subscriptions", self._list, type=_SUBSCRIPTIONS),
            Route("GET /subscriptions/{subscription}", self._get, type=_SUBSCRIPTIONS),
            Route("GET /subscriptions/{subscription}/locations", self._locations, type=f"{_SUBSCRIPTIONS}/locations"),
            Route("GET /subscriptions/{subscription}/providers", self._providers, type=_PROVIDERS),
            Route("GET /subscriptions/{subscription}/providers/{namespace}", self._provider, type=_PROVIDERS),
            Route("GET /providers", self._tenant_providers, type=_PROVIDERS),
            Route("GET /providers/{namespace}", self._tenant_provider, type=_PROVIDERS),
        ]

    def _metadata(self, asked: Asked) -> Json:
        here = asked.origin
        host = here.partition("://")[2].replace("127.0.0.1", "localhost")
        authentication = {"loginEndpoint": here, "audiences": [here], "tenant": "common", "identityProvider": "AAD"}
        suffixes = {
            "keyVaultDns": f"vault.{host}",
            "storage": f"storage.{host}",
            "sqlServerHostname": "database.localhost",
            "acrLoginServer": "azurecr.localhost",
        }
        named = ("portal", "media", "graphAudience", "graph", "batch", "sqlManagement", "gallery", "vmImageAliasDoc")
        more = ("activeDirectoryDataLake", "logAnalyticsResourceId", "appInsightsResourceId")
        return {
            "name": "InventedCloud",
            "authentication": authentication,
            "resourceManager": f"{here}/",
            "microsoftGraphResourceId": f"{here}/graph/",
            "suffixes": suffixes,
            **dict.fromkeys([*named, *more], here),
        }

    def _tenants(self, asked: Asked) -> Json:
        mine = called_by(asked).tenants
        return paged(asked, [_tenant(one, self.estate.tenants[one], one == mine[0]) for one in mine], self.page_size)

    def _list(self, asked: Asked) -> Json:
        found = [one for one in self.estate.subscriptions.values() if self._is_shown(asked, one)]
        return paged(asked, found, self.page_size, count={"type": "Total", "value": len(found)})

    def _is_shown(self, asked: Asked, subscription: Json) -> bool:
        is_of_tenant = subscription["tenantId"] == asked.tenant
        return is_of_tenant and self.access.sees(called_by(asked), str(subscription["id"]))

    def _get(self, asked: Asked) -> Json:
        self.access.demand_below(asked, "Microsoft.Resources/subscriptions/read", asked.path)
        return self.estate.subscriptions[asked.places["subscription"].lower()]

    def _locations(self, asked: Asked) -> Json:
        scope = f"/subscriptions/{asked.places['subscription']}"
        self.access.demand_below(asked, "Microsoft.Resources/subscriptions/locations/read", scope)
        return {"value": [_location(scope, *one) for one in _LOCATIONS]}

    def _providers(self, asked: Asked) -> Json:
        subscription = asked.places["subscription"]
        self.access.demand_below(
            asked, "Microsoft.Resources/subscriptions/providers/read", f"/subscriptions/{subscription}"
        )
        return paged(asked, [self._of(namespace, subscription) for namespace in PROVIDERS], self.page_size)

    def _provider(self, asked: Asked) -> Json:
        return self._of(_known(asked.places["namespace"]), asked.places["subscription"])

    def _tenant_providers(self, asked: Asked) -> Json:
        return paged(asked, [_provider(namespace) for namespace in PROVIDERS], self.page_size)

    def _tenant_provider(self, asked: Asked) -> Json:
        return _provider(_known(asked.places["namespace"]))

    def _of(self, namespace: str, subscription: str) -> Json:
        registered = (subscription.lower(), namespace) not in self.estate.unregistered
        return {
            "id": f"/subscriptions/{subscription}/providers/{namespace}",
            **_provider(namespace),
            "registrationState": "Registered" if registered else "NotRegistered",
            "registrationPolicy": "RegistrationRequired",
        }


def _known(name: str) -> str:
    namespace = namespace_named(name)
    if namespace is None:
        raise AzureError(404, "InvalidResourceNamespace", f"The resource namespace '{name}' is invalid.")
    return namespace


def _provider(namespace: str) -> Json:
    return {"namespace": namespace, "resourceTypes": [_type(one) for one in PROVIDERS[namespace]]}


def _type(one: ResourceType) -> Json:
    default = {"defaultApiVersion": one.default} if one.default else {}
    capabilities = "SupportsTags, SupportsLocation" if "/" not in one.name and one.locations != ("global",) else "None"
    return {
        "resourceType": one.name,
        "locations": list(one.locations),
        "apiVersions": list(one.versions),
        **default,
        "capabilities": capabilities,
    }


def _tenant(tenant: str, name: str, is_home: bool) -> Json:
    domain = f"{name.lower()}.example.com"
    return {
        "id": f"/tenants/{tenant}",
        "tenantId": tenant,
        "countryCode": "NL",
        "displayName": name,
        "domains": [domain],
        "tenantCategory": "Home" if is_home else "ManagedBy",
        "defaultDomain": domain,
        "tenantType": "AAD",
    }


def _location(scope: str, name: str, title: str, *rest: str) -> Json:
    geography, longitude, latitude, place, pair = rest
    return {
        "id": f"{scope}/locations/{name}",
        "name": name,
        "type": "Region",
        "displayName": title,
        "regionalDisplayName": f"({geography}) {title}",
        "metadata": {
            "regionType": "Physical",
            "regionCategory": "Recommended",
            "geography": place,
            "geographyGroup": geography,
            "longitude": longitude,
            "latitude": latitude,
            "physicalLocation": place,
            "pairedRegion": [{"name": pair, "id": f"{scope}/locations/{pair}"}],
        },
        "availabilityZoneMappings": list(_zones(name)),
    }


def _zones(location: str) -> Iterable[Json]:
    return ({"logicalZone": str(zone), "physicalZone": f"{location}-az{zone}"} for zone in (1, 2, 3))
