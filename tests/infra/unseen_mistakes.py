"""Mistakes that no compiler sees, because only Azure's services refuse them, or do something else than was meant."""

from __future__ import annotations

from typing import Final

from tests.infra.mistakes import (
    ALERTS,
    APP,
    BUDGET,
    CONTENTS,
    DASHBOARDS,
    ENDPOINT,
    ENTRA,
    MAIN,
    MONITORING,
    NETWORK,
    ON_COSMOS,
    ON_GROUP,
    ON_STORAGE,
    ON_SUBSCRIPTION,
    ON_TELEMETRY,
    ON_VAULT,
    RIGHTS,
    SIGN_IN,
    STORAGE,
    VAULT,
    ZONES,
    Mistake,
)

UNSEEN: Final = {
    # values
    "a value of an open list is misspelt": Mistake(STORAGE, "'Standard_LRS'", "'StandardLRS'", "Standard_LRS"),
    "a runtime is misspelt": Mistake(APP, "name: 'python'", "name: 'pyton'", "did you mean python?"),
    "a version of Python does not exist": Mistake(APP, "version: '3.13'", "version: '3.31'", "runtime.version"),
    "a scale group does not exist": Mistake(APP, "name: 'http'", "name: 'https'", "alwaysReady[].name"),
    "a plan is another one": Mistake(APP, "name: 'FC1'", "name: 'Y1'", "must be FC1"),
    "a name breaks its pattern": Mistake(MAIN, "'app-package'", "'App_Package'", "must match"),
    "days are out of the service's range": Mistake(
        VAULT, "softDeleteRetentionInDays: 7", "softDeleteRetentionInDays: 3", "must be 7 to 90"
    ),
    "days handed to a module are out of range": Mistake(MAIN, "int = 30", "int = 1000", "must be"),
    "an alert looks over a time that there is not": Mistake(ALERTS, "over: 'PT30M'", "over: 'PT20M'", "windowSize"),
    "an alert looks over less than it waits": Mistake(ALERTS, "over: 'PT15M'", "over: 'PT1M'", "must not be shorter"),
    "an alert wants more failures than it looks at": Mistake(
        ALERTS, "minFailingPeriodsToAlert: 1", "minFailingPeriodsToAlert: 2", "cannot fail"
    ),
    "two alerts have one name": Mistake(ALERTS, "name: 'throttling'", "name: 'slow-calls'", "twice"),
    "two alerts ask the same": Mistake(ALERTS, "alerts/throttling.kql", "alerts/slow-calls.kql", "has the same query"),
    "a zone lies in a region": Mistake(ZONES, "location: 'global'", "location: 'westeurope'", "must be global"),
    "purge protection may be off": Mistake(
        VAULT, "enablePurgeProtection: true", "enablePurgeProtection: publicAccess", "is omitted"
    ),
    "a setting of the platform is misspelt": Mistake(
        APP, "AzureWebJobsStorage__accountName", "AzureWebJobsStorage_accountName", "the platform does not support"
    ),
    "a reference to a secret is misspelt": Mistake(
        APP, "(SecretUri=", "(SecretUrl=", "not a valid reference to a secret"
    ),
    "a tag that azd looks for is misspelt": Mistake(
        MAIN, "'azd-env-name'", "'azd-environment'", "azd-env-name is required"
    ),
    "a role of Graph has no such members": Mistake(
        ENTRA, "'User', 'Application'", "'User', 'App'", "allowedMemberTypes"
    ),
    "two roles of Graph have one name": Mistake(
        ENTRA, "name: 'Admin'", "name: 'Reader'", "2 entries with the value 'Reader'"
    ),
    "a client is permitted what is not offered": Mistake(
        ENTRA, "delegatedPermissionIds: [scopeId]", "delegatedPermissionIds: [visualStudioCode]", "defines no scope"
    ),
    "an audience is misspelt": Mistake(ENTRA, "AzureADTokenExchange", "AzureTokenExchange", "audiences[]"),
    "a workbook shows the other dashboard": Mistake(DASHBOARDS, "workbook.json", "grafana.json", "serializedData"),
    "a container is nowhere made": Mistake(
        CONTENTS, "blob}${packageContainerName}", "blob}packages", "container 'packages' does not exist"
    ),
    # networks
    "a subnet is beyond its network": Mistake(
        NETWORK, "cidrSubnet(addressPrefix, 24, 1)", "cidrSubnet(addressPrefix, 24, 256)", "index 256 is invalid"
    ),
    "a network is too small for its subnets": Mistake(MAIN, "'10.0.0.0/16'", "'10.0.0.0/24'", "index 1 is invalid"),
    "subnets overlap": Mistake(
        NETWORK, "cidrSubnet(addressPrefix, 24, 1)", "cidrSubnet(addressPrefix, 24, 0)", "the subnets overlap"
    ),
    "a subnet is too small for apps": Mistake(
        NETWORK, "cidrSubnet(addressPrefix, 24, 1)", "cidrSubnet(addressPrefix, 28, 16)", "too small"
    ),
    "a subnet is delegated to another service": Mistake(
        NETWORK, "'Microsoft.App/environments'", "'Microsoft.Web/serverFarms'", "serviceName"
    ),
    "endpoints lie in the subnet of the app": Mistake(
        NETWORK, "network::endpointSubnet.id", "network::appSubnet.id", "endpoints cannot be"
    ),
    "the app joins the subnet of the endpoints": Mistake(
        NETWORK, "string = network::appSubnet.id", "string = network::endpointSubnet.id", "a delegated subnet"
    ),
    "a part of a service does not exist": Mistake(MAIN, "part: 'sites'", "part: 'site'", "no sub-resource"),
    "an endpoint has the zone of another": Mistake(
        MAIN, "table: 'privatelink.table.", "table: 'privatelink.blob.", "the zone of table is"
    ),
    "a zone is misspelt": Mistake(MAIN, "vaultcore.azure.net", "vaultcore.azure.com", "does not use a zone"),
    "a list is asked for what it has not": Mistake(
        ZONES, "zones[index]", "zones[index + 1]", "index 7 is out of range"
    ),
    # ids and roles
    "a name is given for an id": Mistake(APP, "serverFarmId: plan.id", "serverFarmId: plan.name", "takes the id"),
    "the id of another resource is given": Mistake(
        APP, "serverFarmId: plan.id", "serverFarmId: identityId", "takes the id of a Microsoft.Web/serverfarms"
    ),
    "a principal id is given for a client id": Mistake(
        MAIN,
        "identityClientId: identity.outputs.clientId",
        "identityClientId: identity.outputs.principalId",
        "client id",
    ),
    "an identity is named by its client id": Mistake(
        APP, "'${identityId}': {}", "'${identityClientId}': {}", "by its resource ID"
    ),
    "an identity is of another type": Mistake(
        APP, "type: 'UserAssigned'\n    user", "type: 'SystemAssigned'\n    user", "userAssignedIdentities"
    ),
    "a role does not exist": Mistake(
        ON_VAULT,
        "4633458b-17de-408a-b874-0445c86b69e6",
        "4633458b-17de-408a-b874-0445c86b69e7",
        "not a known built-in role",
    ),
    "a variable has the id of another role": Mistake(
        ON_STORAGE,
        "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
        "b7e6dc6d-f1e8-4753-8033-0f276bb0955b",
        "has the id of the role",
    ),
    "a role is for another kind of resource": Mistake(
        ON_TELEMETRY,
        "3913510d-42f4-4e42-8a64-420c390055eb",
        "4633458b-17de-408a-b874-0445c86b69e6",
        "keyVaultSecretsUser grants nothing",
    ),
    "an identity is taken for a person": Mistake(ON_STORAGE, "'ServicePrincipal'", "'User'", "is a ServicePrincipal"),
    "a kind of principal is an id": Mistake(ON_STORAGE, "assigned.to.type", "assigned.to.id", "takes a word"),
    "two assignments may have one name": Mistake(
        ON_STORAGE,
        "guid(account.id, assigned.to.id, assigned.role)",
        "guid(account.id, assigned.role)",
        "depend on its principalId",
    ),
    "a log category does not exist": Mistake(APP, "'FunctionAppLogs'", "'FunctionLogs'", "has no log category"),
    "an account has no logs of its own": Mistake(
        STORAGE, "scope: account::tables", "scope: account", "has no log category"
    ),
    "a logged resource is missing": Mistake(VAULT, "  scope: vault\n", "", "scope is required"),
    "App Service signs people in for another app": Mistake(
        SIGN_IN, "clientId: clientId", "clientId: identifierUri", "registration.clientId"
    ),
    "telemetry goes to a name": Mistake(MONITORING, "? workspace.id", "? workspace.name", "takes the id"),
    # what is brought, and where it is
    "roles on what is brought are given in the group of something else": Mistake(
        MAIN,
        "scope: resourceGroup(vaultAt.subscription, vaultAt.group)",
        "scope: resourceGroup(storageAt.subscription, storageAt.group)",
        "rolesOnVault looks up the Microsoft.KeyVault/vaults of .ownVaultId",
    ),
    "roles on what is brought are given in the group of the app": Mistake(
        MAIN,
        "scope: resourceGroup(vaultAt.subscription, vaultAt.group)",
        "scope: group",
        "not in the group of that ID",
    ),
    "a scope has its subscription and its group from two ids": Mistake(
        MAIN,
        "scope: resourceGroup(vaultAt.subscription, vaultAt.group)",
        "scope: resourceGroup(storageAt.subscription, vaultAt.group)",
        "mixes segments of",
    ),
    "a subscription is taken from another place of an id": Mistake(
        MAIN, "subscription: split(ownVaultId, '/')[2]", "subscription: split(ownVaultId, '/')[1]", "use segment 2"
    ),
    "a group is taken from another place of an id": Mistake(
        MAIN, "group: split(ownStorageId, '/')[4]", "group: split(ownStorageId, '/')[6]", "use segment 4"
    ),
    "a name is taken from another place of an id": Mistake(
        MAIN, "name: split(ownVaultId, '/')[8]", "name: split(ownVaultId, '/')[6]", "use segment 8"
    ),
    "an id is put together of two": Mistake(
        MAIN, "name: split(ownVaultId, '/')[8]", "name: split(ownStorageId, '/')[8]", "vaultId mixes segments of"
    ),
    "a scope that somebody names is taken apart wrongly": Mistake(
        RIGHTS, "subscription(split(right.id, '/')[2])", "subscription(split(right.id, '/')[1])", "use segment 2"
    ),
    "the two parts of a group that somebody names are changed round": Mistake(
        RIGHTS,
        "resourceGroup(split(right.id, '/')[2], split(right.id, '/')[4])",
        "resourceGroup(split(right.id, '/')[4], split(right.id, '/')[2])",
        "use segment 2",
    ),
    "what is made in an account comes before the account": Mistake(
        MAIN,
        "  // The name is computed, so it does not imply this dependency.\n  dependsOn: [storage]\n",
        "",
        "storageContents uses a resource that storage creates",
    ),
    "a container is given a role before it is there": Mistake(
        MAIN, "  dependsOn: [storageContents]\n", "", "rolesOnStorage uses a resource that storageContents creates"
    ),
    "the app may be there before its right to read": Mistake(
        MAIN, "rolesOnOpenAi, rights]", "rolesOnOpenAi]", "needs roles that rights assigns"
    ),
    "an output of a network that is not made is asked for": Mistake(
        MAIN,
        "makesNetwork ? network!.outputs.outgoingIpAddress",
        "vnetEnabled ? network!.outputs.outgoingIpAddress",
        "if its condition is false",
    ),
    "an address that is not made is put out": Mistake(
        NETWORK,
        "fixedOutgoingAddress ? outgoingAddress!",
        "!empty(name) ? outgoingAddress!",
        "if its condition is false",
    ),
    "a gateway that is not made is named": Mistake(
        NETWORK,
        "natGateway: fixedOutgoingAddress ? { id: gateway.id } : null",
        "natGateway: { id: gateway.id }",
        "if its condition is false",
    ),
    "a gateway is given as a name": Mistake(NETWORK, "{ id: gateway.id }", "{ id: gateway.name }", "takes the id"),
    "a gateway has the id of its address": Mistake(
        NETWORK, "{ id: gateway.id }", "{ id: outgoingAddress.id }", "takes the id of a Microsoft.Network/natGateways"
    ),
    "an address may change": Mistake(NETWORK, "'Static'", "'Dynamic'", "must be Static"),
    "an address is of another sort": Mistake(
        NETWORK,
        "  sku: { name: 'Standard' }\n  properties: {\n    publicIP",
        "  sku: { name: 'Basic' }\n  properties: {\n    publicIP",
        "must be Standard",
    ),
    "a gateway has another sort than its address": Mistake(
        NETWORK,
        "  sku: { name: 'Standard' }\n  properties: { publicIp",
        "  sku: { name: 'StandardV2' }\n  properties: { publicIp",
        "must match",
    ),
    "an endpoint leads to another service": Mistake(
        MAIN,
        "{ part: 'vault', targetId: vaultId }",
        "{ part: 'vault', targetId: storageId }",
        "has no sub-resource 'vault'",
    ),
    "the zone of the app is of something else": Mistake(
        MAIN, "zoneNames.sites", "zoneNames.vault", "the zone of sites is"
    ),
    "an endpoint takes the zone for its id": Mistake(
        ENDPOINT, "privateLinkServiceId: targetId", "privateLinkServiceId: zoneId", "targetId is never used"
    ),
    "the app closes to a word that there is not": Mistake(
        APP, "publicAccess ? 'Enabled' : 'Disabled'", "publicAccess ? 'Enabled' : 'Off'", "must be Enabled or Disabled"
    ),
    "an account in zones is of a sort that there is not": Mistake(
        STORAGE, "'Standard_ZRS'", "'Standard_ZoneRedundant'", "Standard_ZRS"
    ),
    # who may what
    "a condition has no version": Mistake(ON_STORAGE, "    conditionVersion: '2.0'\n", "", "needs a conditionVersion"),
    "a condition has a version that there is not": Mistake(ON_STORAGE, "'2.0'", "'1.0'", "must be 2.0"),
    "the brackets of a condition do not match": Mistake(
        ON_STORAGE, "condition: '((${join", "condition: '(${join", "brackets of a condition"
    ),
    "an operator of a condition is misspelt": Mistake(
        ON_STORAGE, "StringNotEquals", "StringNotEqual", "compare an attribute"
    ),
    "an action of a condition is no action": Mistake(
        ON_STORAGE, "ActionMatches{", "ActionMatch{", "must contain ActionMatches"
    ),
    "the package is read by an identity that the app does not have": Mistake(
        APP, "      '${packageIdentityId}': {}\n", "", "is not an identity of the app"
    ),
    "a role on a subscription is given to a group of roles": Mistake(
        ON_SUBSCRIPTION,
        "subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)",
        "role",
        "the id of a role must come from",
    ),
    "a right is the same for everybody": Mistake(
        ON_GROUP,
        "guid(resourceGroup().id, identityPrincipalId, role)",
        "guid(resourceGroup().id, role)",
        "depend on its principalId",
    ),
    "a right is deployed to a group as if it were a subscription": Mistake(
        RIGHTS, "'rights-on-subscription.bicep'", "'rights-on-group.bicep'", "is deployed to a resourceGroup"
    ),
    "what is off is not said to be off": Mistake(
        MAIN, "#disable-next-line stays-on\n", "", "authsettingsV2 stays enabled"
    ),
    "a strategy does not exist": Mistake(APP, "{ type: updateStrategy }", "{ type: 'Rolling' }", "siteUpdateStrategy"),
    "a budget begins within a month": Mistake(BUDGET, "'${firstDay}T00", "'2026-11-15T00", "startDate"),
    "a budget begins in the past": Mistake(BUDGET, "'${firstDay}T00", "'2026-01-01T00", "cannot start in the past"),
    "a budget tells nobody": Mistake(
        BUDGET, "contactEmails: [email]\n        contactGroups: [actionGroupId]", "contactEmails: []", "needs one of"
    ),
    "an app on Flex Consumption is always on": Mistake(
        APP, "ftpsState: 'Disabled'", "ftpsState: 'Disabled'\n      alwaysOn: true", "alwaysOn is for other plans"
    ),
    "an app on Flex Consumption has the version of another plan": Mistake(
        APP,
        "ftpsState: 'Disabled'",
        "ftpsState: 'Disabled'\n      linuxFxVersion: 'PYTHON|3.13'",
        "linuxFxVersion is for other plans",
    ),
    "the address of the package has two slashes": Mistake(
        CONTENTS, "primaryEndpoints.blob}$", "primaryEndpoints.blob}/$", "a double slash"
    ),
    "records are named as resources are": Mistake(
        ON_COSMOS, "/dbs/${database}/colls/", "/sqlDatabases/${database}/containers/", "a scope must be"
    ),
    "a container is named beside its database": Mistake(
        ON_COSMOS, "/dbs/${database}/colls/", "/colls/", "a scope must be"
    ),
    # order
    "a vault is taken back after it is made": Mistake(
        MAIN, "  dependsOn: [recovery]\n", "", "recovery and vault create the same resource"
    ),
    "roles do not come first": Mistake(
        MAIN,
        "  dependsOn: [rolesOnStorage, rolesOnTelemetry, rolesOnOpenAi, rights]\n",
        "",
        "needs roles that rolesOnStorage assigns",
    ),
    "what is looked for is made later": Mistake(
        MAIN,
        "  dependsOn: [vault]\n",
        "",
        "rolesOnVault uses a resource that vault creates",
    ),
    "what is looked for is nowhere made": Mistake(
        MAIN,
        "storageName: storageAt.name\n    package",
        "storageName: vaultAt.name\n    package",
        "the template does not create",
    ),
    "two deployments have one name": Mistake(
        MAIN, "name: 'package-identity'", "name: 'identity'", "deployments with the same name"
    ),
    "what may be missing is said to be there": Mistake(
        MAIN,
        "makesNetwork ? network!.outputs.appSubnetId :",
        "vnetEnabled ? network!.outputs.appSubnetId :",
        "if its condition is false",
    ),
    "what may be missing is named": Mistake(
        ALERTS, "empty(email) ? [] : [people.id]", "[people.id]", "if its condition is false"
    ),
}

# What nobody here can tell: docs/architecture.md says so.
NOT_FOUND: Final = {
    "a group of logs is another one than was meant": Mistake(
        VAULT, "categoryGroup: 'audit'", "categoryGroup: 'allLogs'", ""
    ),
    "a severity is another one than was meant": Mistake(ALERTS, "severity: 2", "severity: 3", ""),
    "an application of Microsoft has another id": Mistake(
        ENTRA, "499b84ac-1321-427f-aa17-267ca6975798", "499b84ac-1321-427f-aa17-267ca6975799", ""
    ),
}
