"""Common names of Azure resource types, if these names differ from Azure's own names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from kept_index.tokenizing import stems

# The common names of each resource type. If the last part of a type is unambiguous, the key is only this part. A name
# may have several words.
ALSO_CALLED: Final[Mapping[str, tuple[str, ...]]] = {
    "microsoft.apimanagement/service": ("apim", "api management", "api gateway"),
    "microsoft.app/containerapps": ("aca", "container app"),
    "microsoft.app/managedenvironments": ("container apps environment",),
    "microsoft.authorization/locks": ("resource lock",),
    "microsoft.authorization/roleassignments": ("rbac", "access", "permission", "role assignment"),
    "microsoft.authorization/roledefinitions": ("rbac role", "role"),
    "microsoft.cache/redis": ("redis cache",),
    "microsoft.cdn/profiles": ("front door", "cdn", "afd"),
    "microsoft.cognitiveservices/accounts": ("openai", "ai services", "foundry", "cognitive services"),
    "microsoft.compute/disks": ("managed disk",),
    "microsoft.compute/galleries": ("image gallery", "compute gallery"),
    "microsoft.compute/virtualmachines": ("vm", "virtual machine", "server"),
    "microsoft.compute/virtualmachinescalesets": ("vmss", "scale set"),
    "microsoft.compute/virtualmachinescalesets/virtualmachines": ("instance", "vm"),
    "microsoft.containerinstance/containergroups": ("aci", "container instance"),
    "microsoft.containerregistry/registries": ("acr", "container registry"),
    "microsoft.containerservice/managedclusters": ("aks", "kubernetes", "k8s", "kubernetes cluster"),
    "microsoft.containerservice/managedclusters/agentpools": ("node pool", "agent pool"),
    "microsoft.dbformysql/flexibleservers": ("mysql", "mysql server"),
    "microsoft.dbforpostgresql/flexibleservers": ("postgres", "postgresql", "postgres server"),
    "microsoft.desktopvirtualization/hostpools": ("avd", "virtual desktop"),
    "microsoft.devices/iothubs": ("iot hub",),
    "microsoft.documentdb/databaseaccounts": ("cosmos", "cosmos db", "cosmosdb", "cosmos account"),
    "microsoft.eventgrid/topics": ("event grid",),
    "microsoft.eventhub/namespaces": ("event hub", "event hubs"),
    "microsoft.insights/autoscalesettings": ("autoscale",),
    "microsoft.insights/components": ("app insights", "application insights", "appinsights"),
    "microsoft.insights/metricalerts": ("alert rule", "metric alert"),
    "microsoft.insights/eventtypes": ("activity log",),
    "microsoft.keyvault/vaults": ("kv", "akv", "key vault", "keyvault"),
    "microsoft.kusto/clusters": ("adx", "data explorer", "kusto"),
    "microsoft.logic/workflows": ("logic app",),
    "microsoft.machinelearningservices/workspaces": ("aml", "machine learning", "ml workspace"),
    "microsoft.managedidentity/userassignedidentities": ("managed identity", "msi", "uami"),
    "microsoft.network/applicationgateways": ("appgw", "agw", "app gateway", "waf"),
    "microsoft.network/azurefirewalls": ("firewall",),
    "microsoft.network/dnszones": ("dns", "dns zone"),
    "microsoft.network/expressroutecircuits": ("expressroute",),
    "microsoft.network/loadbalancers": ("lb", "alb"),
    "microsoft.network/networkinterfaces": ("nic",),
    "microsoft.network/networksecuritygroups": ("nsg",),
    "microsoft.network/privatednszones": ("private dns", "private dns zone"),
    "microsoft.network/publicipaddresses": ("pip", "public ip"),
    "microsoft.network/routetables": ("udr", "route table"),
    "microsoft.network/virtualnetworkgateways": ("vpn gateway", "vpn"),
    "microsoft.network/virtualnetworks": ("vnet", "virtual network"),
    "microsoft.network/virtualnetworks/virtualnetworkpeerings": ("peering", "vnet peering"),
    "microsoft.operationalinsights/workspaces": ("log analytics", "log analytics workspace", "law"),
    "microsoft.recoveryservices/vaults": ("backup vault", "recovery vault", "rsv"),
    "microsoft.resources/subscriptions/resourcegroups": ("rg", "resource group"),
    "microsoft.search/searchservices": ("ai search", "cognitive search"),
    "microsoft.servicebus/namespaces": ("service bus", "sb"),
    "microsoft.signalrservice/signalr": ("signalr",),
    "microsoft.sql/managedinstances": ("sql mi", "managed instance"),
    "microsoft.sql/servers": ("sql server", "azure sql"),
    "microsoft.storage/storageaccounts": ("storage account", "storage"),
    "microsoft.storage/storageaccounts/blobservices/containers": ("blob container",),
    "microsoft.web/certificates": ("tls certificate", "ssl certificate"),
    "microsoft.web/serverfarms": ("app service plan", "asp", "hosting plan"),
    "microsoft.web/sites": ("app service", "web app", "webapp", "function app"),
    "microsoft.web/sites/slots": ("deployment slot", "slot"),
    "microsoft.web/staticsites": ("static web app", "swa"),
    "instanceview": ("running", "power state", "status"),
    "config": ("configuration", "setting"),
    "consumergroups": ("consumer group",),
    "locations": ("region",),
}
_PARTS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z]|\d|\b)|[A-Z]?[a-z]+|[A-Z]+|\d+")

Stems = frozenset[str]


@dataclass(frozen=True, slots=True)
class TypeWord:
    """A part of a resource type: the stems of its words, and the stems of its common names."""

    parts: Stems
    names: tuple[Stems, ...]

    def share_in(self, asked: Stems) -> tuple[float, Stems]:
        """Return the fraction of this part's words that the query contains, and an empty set.

        If a common name matches, return 1 and the words of this name.
        """
        if matching := next((name for name in self.names if name <= asked), None):
            return 1.0, matching
        return len(self.parts & asked) / max(len(self.parts), 1), frozenset()


def words_of(name: str) -> str:
    """Split a name into words: `publicIPAddresses` becomes `public IP Addresses`."""
    return " ".join(_PARTS.findall(name))


def names_of(kind: str) -> tuple[str, ...]:
    """Return the common names of a resource type."""
    wanted = kind.lower()
    return ALSO_CALLED.get(wanted) or ALSO_CALLED.get(wanted.rpartition("/")[2], ())


def types_down_to(kind: str) -> list[str]:
    """Return a resource type and its parents, outermost first, for example `Microsoft.Web/sites` and
    `Microsoft.Web/sites/slots`.
    """
    namespace, *words = kind.split("/")
    return ["/".join([namespace, *words[: number + 1]]) for number in range(len(words))]


@lru_cache(4096)
def segments_of(kind: str) -> tuple[TypeWord, ...]:
    """Return the parts of a resource type, each with its common names."""
    return tuple(
        TypeWord(frozenset(stems(words_of(one.rpartition("/")[2]))), tuple(frozenset(stems(n)) for n in names_of(one)))
        for one in types_down_to(kind)
    )
