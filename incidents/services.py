"""Maps resource types to the names of Azure services in announcements and health events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

# By prefix of the resource type: the names of the service in announcements, most specific name first.
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "microsoft.web/sites": ("App Service", "Azure Functions"),
    "microsoft.web/serverfarms": ("App Service",),
    "microsoft.web/staticsites": ("Static Web Apps",),
    "microsoft.app/": ("Container Apps",),
    "microsoft.containerservice/": ("Kubernetes Service", "AKS"),
    "microsoft.containerregistry/": ("Container Registry",),
    "microsoft.containerinstance/": ("Container Instances",),
    "microsoft.compute/virtualmachine": ("Virtual Machine",),
    "microsoft.compute/disks": ("Managed Disks", "Disk Storage"),
    "microsoft.sql/": ("SQL Database", "Azure SQL"),
    "microsoft.dbforpostgresql/": ("PostgreSQL",),
    "microsoft.dbformysql/": ("MySQL",),
    "microsoft.documentdb/": ("Cosmos DB",),
    "microsoft.cache/": ("Redis",),
    "microsoft.storage/": ("Storage",),
    "microsoft.keyvault/": ("Key Vault",),
    "microsoft.servicebus/": ("Service Bus",),
    "microsoft.eventhub/": ("Event Hubs",),
    "microsoft.eventgrid/": ("Event Grid",),
    "microsoft.apimanagement/": ("API Management",),
    "microsoft.cdn/": ("Front Door", "Content Delivery Network", "CDN"),
    "microsoft.network/frontdoors": ("Front Door",),
    "microsoft.network/applicationgateways": ("Application Gateway",),
    "microsoft.network/azurefirewalls": ("Azure Firewall",),
    "microsoft.network/loadbalancers": ("Load Balancer",),
    "microsoft.network/publicipaddresses": ("Public IP", "IP addresses"),
    "microsoft.network/virtualnetworks": ("Virtual Network",),
    "microsoft.network/privatednszones": ("DNS",),
    "microsoft.network/dnszones": ("DNS",),
    "microsoft.network/trafficmanagerprofiles": ("Traffic Manager",),
    "microsoft.appconfiguration/": ("App Configuration",),
    "microsoft.signalrservice/": ("SignalR", "Web PubSub"),
    "microsoft.search/": ("AI Search", "Cognitive Search"),
    "microsoft.cognitiveservices/": ("OpenAI", "AI services", "Cognitive Services", "Foundry"),
    "microsoft.logic/": ("Logic Apps",),
    "microsoft.managedidentity/": ("Managed Identit",),
}
# Services that every application depends on.
_EVERYBODYS: Final = ("Entra ID", "Active Directory", "Network Infrastructure", "Resource Manager", "Multiple Services")


def names_of(resource_type: str, kind: str = "") -> tuple[str, ...]:
    """Return the names of the service behind a resource type."""
    found = next((names for begin, names in _NAMES.items() if resource_type.lower().startswith(begin)), ())
    if "functionapp" in kind.lower():
        return ("Azure Functions", "App Service")
    return found[:1] if resource_type.lower() == "microsoft.web/sites" else found


def are_named(names: Iterable[str], text: str) -> bool:
    """Check whether a text mentions one of these services."""
    return any(name.lower() in text.lower() for name in names)


def concerns_everybody(text: str) -> bool:
    return are_named(_EVERYBODYS, text)
