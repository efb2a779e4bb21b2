"""Resource providers, their types, and the api-versions of each, the newest first, as the service lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_EUROPE: Final = ("West Europe", "North Europe", "Sweden Central", "Germany West Central", "East US", "West US 3")
_GLOBAL: Final = ("global",)


@dataclass(frozen=True, slots=True)
class ResourceType:
    name: str
    versions: tuple[str, ...]
    # What a caller gets who asks for none of them; often an old one.
    default: str | None = None
    locations: tuple[str, ...] = _EUROPE

    @property
    def is_tracked(self) -> bool:
        return "/" not in self.name and self.locations != ()


def _types(text: str) -> tuple[ResourceType, ...]:
    """Each line is a type with its versions; one with an asterisk is the default."""
    return tuple(_type(line.split()) for line in text.strip().splitlines())


def _type(words: list[str]) -> ResourceType:
    default = next((word.removesuffix("*") for word in words if word.endswith("*")), None)
    is_global = "@global" in words
    versions = tuple(word.removesuffix("*") for word in words[1:] if word != "@global")
    return ResourceType(words[0], versions, default, _GLOBAL if is_global else _EUROPE)


PROVIDERS: Final[Mapping[str, tuple[ResourceType, ...]]] = {
    "Microsoft.Advisor": _types("""
        recommendations 2025-01-01 2024-11-18-preview 2023-01-01* 2020-01-01 @global
        metadata 2025-01-01 2023-01-01 2020-01-01 @global
        suppressions 2025-01-01 2023-01-01 2020-01-01 @global
        advisorScore 2024-11-18-preview 2023-01-01 @global"""),
    "Microsoft.AlertsManagement": _types(
        "alerts 2024-01-01-preview 2023-07-12-preview 2019-05-05-preview 2019-03-01 @global"
    ),
    "Microsoft.App": _types("""
        containerApps 2025-10-02-preview 2025-07-01 2025-01-01 2024-10-02-preview 2024-03-01* 2023-05-01
        containerApps/revisions 2025-10-02-preview 2025-07-01 2025-01-01 2024-03-01 2023-05-01
        containerApps/revisions/replicas 2025-10-02-preview 2025-07-01 2025-01-01 2024-03-01 2023-05-01
        managedEnvironments 2025-10-02-preview 2025-07-01 2025-01-01 2024-03-01* 2023-05-01
        jobs 2025-07-01 2025-01-01 2024-03-01"""),
    "Microsoft.Authorization": _types("""
        locks 2020-05-01 2017-04-01 2016-09-01* @global
        roleAssignments 2022-04-01 2020-10-01-preview 2020-04-01-preview 2018-01-01-preview 2015-07-01 @global
        roleDefinitions 2022-05-01-preview 2022-04-01 2018-01-01-preview 2015-07-01 @global
        permissions 2022-04-01 2018-07-01 2015-07-01 @global
        providerOperations 2022-04-01 2018-07-01 2018-01-01-preview 2015-07-01-preview @global
        denyAssignments 2022-04-01 2018-07-01-preview @global
        policyAssignments 2025-03-01 2024-05-01 2023-04-01 @global"""),
    "Microsoft.Cache": _types("redis 2024-11-01 2024-04-01-preview 2024-03-01 2023-08-01*"),
    "Microsoft.Cdn": _types("profiles 2025-06-01 2025-05-01-preview 2024-09-01 2024-02-01* @global"),
    "Microsoft.CognitiveServices": _types("""
        accounts 2025-10-01-preview 2025-09-01 2025-06-01 2024-10-01* 2023-05-01
        accounts/deployments 2025-09-01 2025-06-01 2024-10-01 2023-05-01"""),
    "Microsoft.Compute": _types("""
        virtualMachines 2025-04-01 2024-11-01 2024-07-01 2024-03-01* 2023-09-01
        virtualMachines/extensions 2025-04-01 2024-11-01 2024-07-01 2023-09-01
        disks 2025-01-02 2024-03-02 2023-10-02* 2023-04-02
        virtualMachineScaleSets 2025-04-01 2024-11-01 2024-07-01 2023-09-01
        skus 2021-07-01 2019-04-01
        locations/usages 2025-04-01 2024-07-01"""),
    "Microsoft.Consumption": _types("""
        usageDetails 2024-08-01 2023-11-01 2023-05-01 @global
        budgets 2024-08-01 2023-11-01 2023-05-01 @global"""),
    "Microsoft.ContainerRegistry": _types("""
        registries 2025-11-01 2025-05-01-preview 2025-04-01 2023-07-01* 2021-09-01
        registries/replications 2025-04-01 2023-07-01"""),
    "Microsoft.ContainerService": _types("""
        managedClusters 2026-06-01 2025-10-02-preview 2025-08-01 2025-05-01* 2024-05-01
        managedClusters/agentPools 2026-06-01 2025-10-02-preview 2025-08-01 2024-05-01
        managedClusters/agentPools/upgradeProfiles 2026-06-01 2025-10-02-preview 2025-08-01 2024-05-01
        managedClusters/upgradeProfiles 2026-06-01 2025-10-02-preview 2025-08-01 2024-05-01"""),
    "Microsoft.CostManagement": _types("query 2025-03-01 2024-08-01 2023-11-01 @global"),
    "Microsoft.DBforPostgreSQL": _types("flexibleServers 2025-08-01 2025-01-01-preview 2024-08-01* 2022-12-01"),
    "Microsoft.DocumentDB": _types("""
        databaseAccounts 2026-03-15 2025-11-01-preview 2025-10-15 2024-11-15* 2024-05-15
        databaseAccounts/sqlDatabases 2026-03-15 2025-10-15 2024-11-15 2024-05-15
        databaseAccounts/sqlDatabases/containers 2026-03-15 2025-10-15 2024-11-15 2024-05-15
        databaseAccounts/sqlDatabases/throughputSettings 2026-03-15 2025-10-15 2024-11-15 2024-05-15
        databaseAccounts/sqlDatabases/containers/throughputSettings 2026-03-15 2025-10-15 2024-11-15 2024-05-15
        databaseAccounts/mongodbDatabases 2026-03-15 2025-10-15 2024-11-15 2024-05-15
        databaseAccounts/mongodbDatabases/collections 2026-03-15 2025-10-15 2024-11-15 2024-05-15
        databaseAccounts/mongodbDatabases/throughputSettings 2026-03-15 2025-10-15 2024-11-15 2024-05-15
        databaseAccounts/mongodbDatabases/collections/throughputSettings 2026-03-15 2025-10-15 2024-11-15 2024-05-15
        databaseAccounts/tables 2026-03-15 2025-10-15 2024-11-15 2024-05-15"""),
    "Microsoft.EventGrid": _types("topics 2025-07-15-preview 2025-02-15 2022-06-15*"),
    "Microsoft.EventHub": _types("namespaces 2025-05-01-preview 2024-01-01* 2022-10-01-preview 2021-11-01"),
    "Microsoft.Insights": _types("""
        components 2020-02-02 2020-02-02-preview 2018-05-01-preview 2015-05-01*
        metrics 2024-02-01 2023-10-01 2018-01-01* @global
        metricDefinitions 2024-02-01 2023-10-01 2018-01-01* @global
        metricAlerts 2024-03-01-preview 2018-03-01* @global
        activityLogAlerts 2023-01-01-preview 2020-10-01* @global
        actionGroups 2024-10-01-preview 2023-01-01* @global
        diagnosticSettings 2021-05-01-preview 2016-09-01* @global
        eventtypes 2017-03-01-preview 2015-04-01* @global
        webtests 2022-06-15 2015-05-01*"""),
    "Microsoft.KeyVault": _types("""
        vaults 2026-05-15 2026-02-01 2025-06-01-preview 2025-05-01 2024-11-01 2023-07-01* 2023-02-01 2022-07-01
        vaults/secrets 2026-02-01 2025-05-01 2024-11-01 2023-07-01 2023-02-01
        deletedVaults 2026-02-01 2025-05-01 2024-11-01 2023-07-01 2023-02-01
        managedHSMs 2025-05-01 2024-11-01 2023-07-01"""),
    "Microsoft.ManagedIdentity": _types("userAssignedIdentities 2025-01-31-preview 2024-11-30 2023-01-31* 2018-11-30"),
    "Microsoft.Network": _types("""
        virtualNetworks 2025-03-01 2024-10-01 2024-07-01 2024-05-01* 2023-11-01
        virtualNetworks/subnets 2025-03-01 2024-10-01 2024-07-01 2024-05-01
        networkInterfaces 2025-03-01 2024-10-01 2024-07-01 2024-05-01* 2023-11-01
        networkSecurityGroups 2025-03-01 2024-10-01 2024-07-01 2024-05-01* 2023-11-01
        publicIPAddresses 2025-03-01 2024-10-01 2024-07-01 2024-05-01* 2023-11-01
        privateEndpoints 2025-03-01 2024-10-01 2024-07-01 2024-05-01
        privateDnsZones 2024-06-01 2020-06-01* 2018-09-01 @global
        applicationGateways 2025-03-01 2024-10-01 2024-05-01
        networkWatchers 2025-03-01 2024-10-01 2024-05-01"""),
    "Microsoft.OperationalInsights": _types("workspaces 2025-07-01 2025-02-01 2023-09-01 2022-10-01* 2020-08-01"),
    "Microsoft.PolicyInsights": _types("policyStates 2024-10-01 2019-10-01 @global"),
    "Microsoft.ResourceGraph": _types("""
        resources 2024-04-01 2022-10-01 2021-06-01-preview 2021-03-01* 2019-04-01 @global
        resourcesHistory 2021-06-01-preview @global"""),
    "Microsoft.ResourceHealth": _types("""
        availabilityStatuses 2025-05-01 2024-02-01 2023-10-01-preview 2020-05-01* @global
        events 2025-05-01 2024-02-01 2022-10-01 @global"""),
    "Microsoft.Resources": _types("""
        tenants 2024-11-01 2022-12-01 2021-01-01 2020-01-01 2019-06-01 2016-06-01 @global
        subscriptions 2024-11-01 2022-12-01 2021-01-01 2020-01-01 2019-06-01 2016-06-01 @global
        subscriptions/locations 2024-11-01 2022-12-01 2021-01-01 2019-06-01 2016-06-01 @global
        subscriptions/providers 2025-04-01 2024-11-01 2024-07-01 2022-09-01 2021-04-01 2019-10-01 @global
        subscriptions/resources 2025-04-01 2024-11-01 2024-07-01 2022-09-01 2021-04-01 2015-11-01 @global
        subscriptions/resourceGroups 2025-04-01 2024-11-01 2024-07-01 2022-09-01 2021-04-01 2019-10-01 @global
        deployments 2026-06-01 2025-04-01 2025-03-01 2024-11-01 2024-07-01 2022-09-01 2021-04-01 2019-10-01 @global
        deploymentStacks 2025-07-01 2024-03-01 @global
        deploymentScripts 2023-08-01 2020-10-01
        tags 2025-04-01 2024-11-01 2024-07-01 2022-09-01 2021-04-01 2019-10-01 @global
        changes 2022-05-01 2022-03-01-preview @global"""),
    "Microsoft.ServiceBus": _types("""
        namespaces 2026-01-01 2025-05-01-preview 2024-01-01 2022-10-01-preview 2021-11-01*
        namespaces/queues 2026-01-01 2024-01-01 2022-10-01-preview 2021-11-01
        namespaces/topics 2026-01-01 2024-01-01 2022-10-01-preview 2021-11-01
        namespaces/topics/subscriptions 2026-01-01 2024-01-01 2022-10-01-preview 2021-11-01
        namespaces/topics/subscriptions/rules 2026-01-01 2024-01-01 2022-10-01-preview 2021-11-01"""),
    "Microsoft.Sql": _types("""
        servers 2025-02-01-preview 2024-11-01-preview 2023-08-01 2021-11-01*
        servers/databases 2025-02-01-preview 2024-11-01-preview 2023-08-01 2021-11-01*
        servers/firewallRules 2025-02-01-preview 2023-08-01 2021-11-01"""),
    "Microsoft.Storage": _types("""
        storageAccounts 2026-09-01 2025-08-01 2025-06-01 2025-01-01 2024-01-01 2023-05-01* 2023-01-01 2022-09-01
        storageAccounts/blobServices 2025-08-01 2025-06-01 2025-01-01 2024-01-01 2023-05-01 2022-09-01
        storageAccounts/blobServices/containers 2025-08-01 2025-06-01 2025-01-01 2024-01-01 2023-05-01 2022-09-01
        storageAccounts/queueServices 2025-08-01 2025-06-01 2024-01-01 2023-05-01
        storageAccounts/tableServices 2025-08-01 2025-06-01 2024-01-01 2023-05-01
        skus 2025-08-01 2025-06-01 2023-05-01
        locations/usages 2025-08-01 2023-05-01"""),
    "Microsoft.Web": _types("""
        serverFarms 2025-05-01 2025-03-01 2024-11-01 2024-04-01 2023-12-01* 2022-03-01
        sites 2025-05-01 2025-03-01 2024-11-01 2024-04-01 2023-12-01* 2022-03-01
        sites/slots 2025-05-01 2025-03-01 2024-11-01 2024-04-01 2023-12-01 2022-03-01
        sites/slots/config 2025-05-01 2025-03-01 2024-11-01 2024-04-01 2023-12-01 2022-03-01
        sites/slots/deployments 2025-05-01 2025-03-01 2024-11-01 2024-04-01 2023-12-01 2022-03-01
        sites/config 2025-05-01 2025-03-01 2024-11-01 2024-04-01 2023-12-01 2022-03-01
        sites/config/appsettings 2025-05-01 2025-03-01 2024-11-01 2024-04-01 2023-12-01 2022-03-01
        sites/deployments 2025-05-01 2025-03-01 2024-11-01 2024-04-01 2023-12-01 2022-03-01
        sites/functions 2025-05-01 2025-03-01 2024-11-01 2024-04-01 2023-12-01 2022-03-01
        sites/instances 2025-05-01 2025-03-01 2024-11-01 2024-04-01 2023-12-01 2022-03-01
        staticSites 2025-05-01 2024-11-01 2024-04-01 2023-12-01"""),
}


def namespace_named(name: str) -> str | None:
    return next((namespace for namespace in PROVIDERS if namespace.lower() == name.lower()), None)


def type_named(full: str) -> ResourceType | None:
    """The type of `Microsoft.Web/sites/slots`, in any case."""
    namespace, _, name = full.partition("/")
    types = PROVIDERS.get(namespace_named(namespace) or "", ())
    return next((one for one in types if one.name.lower() == name.lower()), None)


def full_names() -> Iterator[str]:
    return (f"{namespace}/{one.name}" for namespace, types in PROVIDERS.items() for one in types)
