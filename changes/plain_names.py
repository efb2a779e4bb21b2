"""Readable names of settings and resources, such as "SKU" or "web app shop", instead of Azure's paths and types."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# The readable names of Azure resource types, by type in lowercase.
_KINDS: Final = {
    "microsoft.app/containerapps": "container app",
    "microsoft.app/managedenvironments": "Container Apps environment",
    "microsoft.authorization/locks": "lock",
    "microsoft.authorization/policyassignments": "policy assignment",
    "microsoft.authorization/roleassignments": "role assignment",
    "microsoft.authorization/roledefinitions": "role",
    "microsoft.cache/redis": "Redis cache",
    "microsoft.cognitiveservices/accounts": "AI services account",
    "microsoft.compute/disks": "disk",
    "microsoft.compute/snapshots": "disk snapshot",
    "microsoft.compute/virtualmachines": "virtual machine",
    "microsoft.containerregistry/registries": "container registry",
    "microsoft.containerservice/managedclusters": "AKS cluster",
    "microsoft.dbforpostgresql/flexibleservers": "PostgreSQL server",
    "microsoft.documentdb/databaseaccounts": "Cosmos DB account",
    "microsoft.documentdb/databaseaccounts/sqlroleassignments": "role assignment",
    "microsoft.eventhub/namespaces": "Event Hubs namespace",
    "microsoft.insights/components": "Application Insights",
    "microsoft.insights/metricalerts": "metric alert",
    "microsoft.keyvault/vaults": "key vault",
    "microsoft.keyvault/vaults/secrets": "secret",
    "microsoft.managedidentity/userassignedidentities": "managed identity",
    "microsoft.network/loadbalancers": "load balancer",
    "microsoft.network/networkinterfaces": "network interface",
    "microsoft.network/networksecuritygroups": "network security group",
    "microsoft.network/networksecuritygroups/securityrules": "security rule",
    "microsoft.network/privateendpoints": "private endpoint",
    "microsoft.network/publicipaddresses": "public IP address",
    "microsoft.network/virtualnetworks": "virtual network",
    "microsoft.network/virtualnetworks/subnets": "subnet",
    "microsoft.operationalinsights/workspaces": "log workspace",
    "microsoft.recoveryservices/vaults": "backup vault",
    "microsoft.resources/resourcegroups": "resource group",
    "microsoft.servicebus/namespaces": "Service Bus namespace",
    "microsoft.sql/servers": "SQL server",
    "microsoft.sql/servers/databases": "SQL database",
    "microsoft.sql/servers/firewallrules": "firewall rule",
    "microsoft.storage/storageaccounts": "storage account",
    "microsoft.web/serverfarms": "App Service plan",
    "microsoft.web/sites": "app",
    "microsoft.web/sites/slots": "app slot",
}
_ACRONYMS: Final = "ACL ACLs CORS CPU DNS FTPS GB HTTP HTTPS ID IP IPs NAT SAS SKU SSH SSL TLS URI URL VM VNet"
_SPELT: Final = {word.lower(): word for word in _ACRONYMS.split()}
_ROOTS: Final = frozenset({"identity", "plan", "properties", "sku", "tags", "zones"})
_FIELD: Final = re.compile(r"(?:System|Custom|Microsoft\.VSTS(?:\.\w+)?)\.(?P<name>\w+)")
_BOARD: Final = re.compile(r"WEF_\w+_(?:Kanban|System)\.(?P<name>Column\.Done|Column|Lane)")
_RESOURCE: Final = re.compile(r"(?:/subscriptions/[^:]*?/providers/|.*/providers/)?microsoft\.[\w.]+/", re.IGNORECASE)
_GROUP: Final = re.compile(r"(?i)/subscriptions/[^/]+/resourcegroups/(?P<name>[^/]+)")
_CAMEL: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+|\d+")
_GUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PLACE: Final = re.compile(r"\[(?P<name>[^\]]*)\]")


def is_resource(path: str) -> bool:
    """Whether the path of an edit identifies a whole resource that the edit creates or deletes."""
    return bool(_RESOURCE.match(path)) and ": " not in path


def in_brief(value: str) -> str:
    """Return the words before the JSON document in an edit's value, or an empty string if there is no document."""
    words, brace, _ = value.partition('{"')
    return f"{words.removesuffix(': ')} …".strip() if brace else ""


def kind_in_words(kind: str) -> str:
    """The readable name of an Azure resource type, or the type itself if it has no known name."""
    return _KINDS.get(kind.lower(), kind)


@lru_cache(maxsize=4096)
def name_in_words(path: str) -> str:
    """The readable name of what an edit changes: a setting, a resource, or a setting of a resource."""
    if is_resource(path):
        return _resource(path)
    resource, colon, setting = path.rpartition(": ")
    named = _resource(resource) if _RESOURCE.match(resource) else resource
    return f"{named}{colon}{_setting(setting, is_of_resource=named != resource)}"


def _resource(text: str) -> str:
    own, perhaps = (text.removesuffix(" (perhaps)"), " (perhaps)") if text.endswith(" (perhaps)") else (text, "")
    segments = own[own.lower().rfind("/providers/") + 1 :].removeprefix("providers/").split("/")
    names = segments[2::2]
    if not names:
        return text
    kind = kind_in_words("/".join([segments[0], *segments[1::2]]))
    within = f" of {'/'.join(names[:-1])}" if names[:-1] else _attached(own)
    group = _GROUP.match(own)
    where = f" in the group {group['name']}" if group else ""
    # Omit the name if it is a GUID: people do not recognize it, and the text next to it says what the resource is for.
    called = "" if _GUID.fullmatch(names[-1]) else f" {names[-1]}"
    return f"{kind}{called}{within}{where}{perhaps}"


def _attached(own: str) -> str:
    """The name of the resource that has a lock or a role assignment."""
    holder, _, _ = own.rpartition("/providers/")
    return f" of {holder.rpartition('/')[2]}" if _RESOURCE.match(holder) else ""


def _setting(text: str, *, is_of_resource: bool) -> str:
    path, space, name = text.partition(" ")
    if found := _BOARD.fullmatch(path):
        return f"board {found['name'].replace('.', ' ').lower()}"
    if found := _FIELD.fullmatch(path):
        return f"{_words(found['name'])}{space}{name}"
    root, _, rest = path.partition(".")
    if root.lower() == "tags" and rest:
        return f"tag {rest}{space}{name}"
    is_path = is_of_resource or root.split("[")[0].lower() in _ROOTS or not rest
    if "/" in path or not is_path or not path.isascii():
        return text
    return f"{_path(path)}{space}{name}"


def _path(path: str) -> str:
    # Split off names in brackets first, because they may contain dots.
    names: list[str] = []

    def kept(found: re.Match[str]) -> str:
        names.append(found["name"])
        return f"[{len(names) - 1}]"

    parts = [one for one in _PLACE.sub(kept, path).split(".") if one.lower() != "properties"] or [path]
    if [one.lower() for one in parts] == ["sku", "name"]:
        return "SKU"
    return ", ".join(_PLACE.sub(lambda found: f" {names[int(found['name'])]}", _setting_word(one)) for one in parts)


def _setting_word(one: str) -> str:
    return _words(one) if one[:1].islower() else one


def _words(camel: str) -> str:
    """Convert a camel-case name to words, for example `httpsOnly` to "HTTPS only". Other texts stay unchanged."""
    word, bracket, place = camel.partition("[")
    if word.isupper() or not word.isalnum():
        return camel
    pieces = [_SPELT.get(one.lower(), one.lower()) for one in _CAMEL.findall(word)]
    return f"{' '.join(pieces)}{bracket}{place}"
