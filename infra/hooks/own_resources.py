"""Checks the operator's own resources: they must exist, meet the requirements, and allow the deployer to use them.
Without these checks, Azure would report problems only during the deployment.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, NoReturn

from cannot_go_on import CannotGoOnError
from hook import Deployment
from options import AGAIN, SCOPES, scopes

GROUPS_VERSION = "2021-04-01"
ZONES_VERSION = "2024-06-01"
NETWORKS_VERSION = "2024-07-01"
PERMISSIONS_VERSION = "2022-04-01"
# The API versions for reading these resources.
VERSIONS = {
    "OWN_WORKSPACE_ID": "2025-02-01",
    "OWN_STORAGE_ID": "2025-01-01",
    "OWN_KEY_VAULT_ID": "2024-11-01",
    "OWN_OPENAI_ID": "2024-10-01",
    "OWN_COSMOS_ID": "2024-11-15",
    "OWN_DNS_ZONES_GROUP_ID": GROUPS_VERSION,
}
SUBNETS = ("OWN_APP_SUBNET_ID", "OWN_ENDPOINT_SUBNET_ID")
DELEGATION = "Microsoft.App/environments"
SMALLEST_FOR_APPS = 27
GIVE_ROLES = "Microsoft.Authorization/roleAssignments/write"
DEPLOY = "Microsoft.Resources/deployments/write"
# The permissions that the deployer needs on the operator's own resources.
ON_IT = {
    "OWN_WORKSPACE_ID": ("Microsoft.OperationalInsights/workspaces/sharedKeys/action",),
    "OWN_STORAGE_ID": (
        GIVE_ROLES,
        "Microsoft.Storage/storageAccounts/blobServices/containers/write",
        "Microsoft.Storage/storageAccounts/queueServices/queues/write",
        "Microsoft.Storage/storageAccounts/tableServices/tables/write",
    ),
    "OWN_KEY_VAULT_ID": (GIVE_ROLES, "Microsoft.KeyVault/vaults/secrets/write"),
    "OWN_OPENAI_ID": (GIVE_ROLES,),
    "OWN_COSMOS_ID": (
        "Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments/write",
        "Microsoft.DocumentDB/databaseAccounts/sqlRoleDefinitions/write",
    ),
    "OWN_APP_SUBNET_ID": ("Microsoft.Network/virtualNetworks/subnets/join/action",),
    "OWN_ENDPOINT_SUBNET_ID": ("Microsoft.Network/virtualNetworks/subnets/join/action",),
    "OWN_DNS_ZONES_GROUP_ID": ("Microsoft.Network/privateDnsZones/join/action",),
}
# The permissions that the deployer needs in the resource groups of the operator's own resources.
IN_ITS_GROUP = dict.fromkeys(("OWN_STORAGE_ID", "OWN_KEY_VAULT_ID", "OWN_OPENAI_ID", "OWN_COSMOS_ID"), (DEPLOY,))
APPROVE = "Microsoft.DocumentDB/databaseAccounts/PrivateEndpointConnectionsApproval/action"
# Cosmos DB accounts with one of these capabilities do not use the NoSQL API.
OTHER_APIS = ("EnableCassandra", "EnableGremlin", "EnableMongo", "EnableTable")
# The kinds of accounts that can contain OpenAI models.
WITH_MODELS = ("OpenAI", "AIServices")
ON_SCOPES = (GIVE_ROLES, DEPLOY)


def check_group(deployment: Deployment) -> None:
    name = deployment.value("OWN_RESOURCE_GROUP")
    if name:
        path = f"/subscriptions/{deployment.value('AZURE_SUBSCRIPTION_ID')}/resourceGroups/{name}"
        _read(deployment, "OWN_RESOURCE_GROUP", path, GROUPS_VERSION)


def check_workspace(deployment: Deployment) -> None:
    _own_resource(deployment, "OWN_WORKSPACE_ID")


def check_storage(deployment: Deployment) -> None:
    found = _own_resource(deployment, "OWN_STORAGE_ID")
    if not found:
        return
    if found.get("kind") != "StorageV2":
        _refuse(
            "OWN_STORAGE_ID", f"is a storage account of the kind {found.get('kind')}; the app needs a StorageV2 account"
        )
    if deployment.is_on("ZONE_REDUNDANT") and "ZRS" not in _name_of(found, "sku"):
        _refuse("OWN_STORAGE_ID", f"is in a single zone ({_name_of(found, 'sku')}), but ZONE_REDUNDANT is on")
    _check_reach(deployment, "OWN_STORAGE_ID", found)


def check_vault(deployment: Deployment) -> None:
    found = _own_resource(deployment, "OWN_KEY_VAULT_ID")
    if not found:
        return
    if _properties(found).get("enableRbacAuthorization") is not True:
        _refuse("OWN_KEY_VAULT_ID", "uses access policies; its permission model must be Azure RBAC")
    _check_reach(deployment, "OWN_KEY_VAULT_ID", found)


def check_openai(deployment: Deployment) -> None:
    found = _own_resource(deployment, "OWN_OPENAI_ID")
    if found and found.get("kind") not in WITH_MODELS:
        _refuse("OWN_OPENAI_ID", f"is of the kind {found.get('kind')}; the kind must be {' or '.join(WITH_MODELS)}")


def check_cosmos(deployment: Deployment) -> None:
    found = _own_resource(deployment, "OWN_COSMOS_ID")
    if not found:
        return
    capabilities = [str(one.get("name")) for one in _properties(found).get("capabilities") or ()]
    if found.get("kind") != "GlobalDocumentDB" or set(capabilities) & set(OTHER_APIS):
        _refuse("OWN_COSMOS_ID", "is not an account for the NoSQL API; the record tools require this API")
    _check_reach(deployment, "OWN_COSMOS_ID", found)
    if deployment.is_on("COSMOS_PRIVATE_ENDPOINT"):
        _check_permitted(deployment, "OWN_COSMOS_ID", deployment.value("OWN_COSMOS_ID"), (APPROVE,))


def check_subnets(deployment: Deployment) -> None:
    for option in SUBNETS:
        if deployment.value(option):
            _check_subnet(deployment, option)


def check_zones(deployment: Deployment) -> None:
    if not _own_resource(deployment, "OWN_DNS_ZONES_GROUP_ID"):
        return
    group = deployment.value("OWN_DNS_ZONES_GROUP_ID")
    for zone in _zones(deployment):
        path = f"{group}/providers/Microsoft.Network/privateDnsZones/{zone}"
        _read(deployment, "OWN_DNS_ZONES_GROUP_ID", path, ZONES_VERSION)


def check_permissions(deployment: Deployment) -> None:
    for option, actions in ON_IT.items():
        if deployment.value(option):
            _check_permitted(deployment, option, deployment.value(option), actions)
    for option, actions in IN_ITS_GROUP.items():
        if deployment.value(option):
            _check_permitted(deployment, option, deployment.value(option).partition("/providers/")[0], actions)
    for option in SCOPES:
        for scope in scopes(deployment, option):
            _check_permitted(deployment, option, scope, ON_SCOPES)


def _own_resource(deployment: Deployment, option: str) -> dict[str, Any]:
    """Read a resource from Azure by the ID in an option. Return an empty object if the option is not set."""
    path = deployment.value(option)
    return _read(deployment, option, path, VERSIONS[option]) if path else {}


def _read(deployment: Deployment, option: str, path: str, version: str) -> dict[str, Any]:
    answer = deployment.azure.get(path, version)
    if answer.status in (403, 404):
        raise CannotGoOnError(
            f"{option}: azd's sign-in cannot find {path} ({answer.code}). Run 'azd env set {option}' with an"
            f" existing resource, or 'azd auth login' as a user who may read it, {AGAIN}."
        )
    if not answer.is_good:
        raise CannotGoOnError(
            f"{option}: could not check whether {path} exists: {answer.said}. Run the same command again."
        )
    return answer.content


def _check_reach(deployment: Deployment, option: str, found: dict[str, Any]) -> None:
    if _properties(found).get("publicNetworkAccess") == "Disabled" and not deployment.is_on("VNET_ENABLED"):
        _refuse(option, "is closed to the internet, but the app is not in a network (VNET_ENABLED)")


def _check_subnet(deployment: Deployment, option: str) -> None:
    path, _, name = deployment.value(option).rpartition("/subnets/")
    network = _read(deployment, option, path, NETWORKS_VERSION)
    named = [one for one in _properties(network).get("subnets", ()) if one.get("name", "").lower() == name.lower()]
    if not named:
        _refuse(option, "names a subnet that does not exist in the network")
    delegations = [_properties(one).get("serviceName", "") for one in _properties(named[0]).get("delegations", ())]
    if option == "OWN_ENDPOINT_SUBNET_ID":
        if delegations:
            _refuse(option, f"is delegated to {delegations[0]}; private endpoints require a subnet without delegation")
        return
    _check_subnet_of_app(deployment, option, network, _properties(named[0]), delegations)


def _check_subnet_of_app(
    deployment: Deployment, option: str, network: dict[str, Any], subnet: dict[str, Any], delegations: list[str]
) -> None:
    if [one.lower() for one in delegations] != [DELEGATION.lower()]:
        _refuse(
            option,
            f"is delegated to {delegations[0] if delegations else 'no service'}; the delegation must be to"
            f" {DELEGATION}",
        )
    if "_" in deployment.value(option).rpartition("/")[2]:
        _refuse(option, "has an underscore in its name, which Flex Consumption does not support")
    prefix = str(subnet.get("addressPrefix") or next(iter(subnet.get("addressPrefixes", ())), ""))
    if prefix.partition("/")[2].isdecimal() and int(prefix.partition("/")[2]) > SMALLEST_FOR_APPS:
        _refuse(option, f"is {prefix}, which is too small: an app requires /{SMALLEST_FOR_APPS} or larger")
    location = deployment.value("AZURE_LOCATION")
    if location and _letters(str(network.get("location", location))) != _letters(location):
        _refuse(option, f"is in {network['location']}, but the app is in {location}: both must be in the same region")


def _zones(deployment: Deployment) -> Iterator[str]:
    """The private DNS zones where this deployment creates records."""
    if not deployment.value("OWN_STORAGE_ID"):
        yield from (f"privatelink.{part}.core.windows.net" for part in ("blob", "queue", "table"))
    if not deployment.value("OWN_KEY_VAULT_ID"):
        yield "privatelink.vaultcore.azure.net"
    if deployment.is_on("TRANSLATOR_ENABLED"):
        yield "privatelink.cognitiveservices.azure.com"
    if deployment.is_on("COSMOS_PRIVATE_ENDPOINT"):
        yield "privatelink.documents.azure.com"
    if deployment.is_on("APP_PRIVATE_ENDPOINT"):
        yield "privatelink.azurewebsites.net"


def _check_permitted(deployment: Deployment, option: str, scope: str, actions: tuple[str, ...]) -> None:
    path = f"{scope}/providers/Microsoft.Authorization/permissions"
    roles = _read(deployment, option, path, PERMISSIONS_VERSION).get("value", ())
    missing = [action for action in actions if not any(_permits(role, action) for role in roles)]
    if missing:
        raise CannotGoOnError(
            f"{option}: azd's sign-in is not allowed to {' or '.join(missing)} on {scope}."
            f" See docs/deploying.md for the role. Ask an owner to assign the role, {AGAIN}."
        )


def _permits(role: dict[str, Any], action: str) -> bool:
    """Whether a role permits an action and does not exclude it (`notActions`)."""
    named, excepted = ([str(one).lower() for one in role.get(key) or ()] for key in ("actions", "notActions"))
    lowered = action.lower()
    return any(fnmatchcase(lowered, one) for one in named) and not any(fnmatchcase(lowered, one) for one in excepted)


def _refuse(option: str, words: str) -> NoReturn:
    raise CannotGoOnError(
        f"{option} {words}. Correct the problem, or run 'azd env set {option}' with another value, {AGAIN}."
    )


def _properties(of: dict[str, Any]) -> dict[str, Any]:
    found = of.get("properties")
    return found if isinstance(found, dict) else {}


def _name_of(found: dict[str, Any], part: str) -> str:
    inner = found.get(part)
    return str(inner.get("name", "")) if isinstance(inner, dict) else ""


def _letters(region: str) -> str:
    """Normalize the name of a region: "West Europe" and "westeurope" are the same."""
    return region.replace(" ", "").lower()


CHECKS = (
    check_group,
    check_workspace,
    check_storage,
    check_vault,
    check_openai,
    check_cosmos,
    check_subnets,
    check_zones,
    check_permissions,
)
