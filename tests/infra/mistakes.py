"""Mistakes that the check of the templates must find: what is replaced by what in which file, and what is told."""

from __future__ import annotations

from typing import Final, NamedTuple


class Mistake(NamedTuple):
    file: str
    old: str
    new: str
    told: str


MAIN, APP, STORAGE, VAULT = "main.bicep", "modules/app.bicep", "modules/storage.bicep", "modules/vault.bicep"
CONTENTS, ON_STORAGE, ON_VAULT = (
    "modules/storage-contents.bicep",
    "modules/roles-on-storage.bicep",
    "modules/roles-on-vault.bicep",
)
ON_COSMOS: Final = "modules/roles-on-cosmos.bicep"
ON_TELEMETRY = "modules/roles-on-telemetry.bicep"
NETWORK, ZONES, ENDPOINT = "modules/network.bicep", "modules/dns-zones.bicep", "modules/private-endpoint.bicep"
RIGHTS, ON_GROUP = "modules/rights.bicep", "modules/rights-on-group.bicep"
ON_SUBSCRIPTION = "modules/rights-on-subscription.bicep"
ENTRA, ALERTS = (
    "modules/entra.bicep",
    "modules/alerts.bicep",
)
BUDGET: Final = "modules/budget.bicep"
MONITORING, DASHBOARDS, SIGN_IN = "modules/monitoring.bicep", "modules/dashboards.bicep", "modules/authentication.bicep"

MISTAKES: Final = {
    # the file as such
    "a brace is missing": Mistake(MAIN, "var named = toObject(", "var named = toObject({", "syntax error"),
    "a quote is missing": Mistake(APP, "name: 'FC1'", "name: 'FC1", "syntax error"),
    "two properties on a line without a comma": Mistake(
        ON_STORAGE,
        "{ to: app, role: storageTableDataContributor }",
        "{ to: app role: storageTableDataContributor }",
        "need a comma",
    ),
    "two entries on a line without a comma": Mistake(MAIN, "['User', '", "['User' '", "need a comma"),
    "the scope of the file is misspelt": Mistake(MAIN, "= 'subscription'", "= 'subscripton'", "unknown target scope"),
    "the extension is not in the configuration": Mistake(
        ENTRA, "extension microsoftGraphV1", "extension microsoftGraph", "does not list the extension"
    ),
    # names
    "a variable is misspelt": Mistake(MAIN, "tags: tags", "tags: tag", "tag does not exist"),
    "a parameter is misspelt": Mistake(APP, "location: location", "location: locaton", "locaton does not exist"),
    "a name in a string is misspelt": Mistake(MAIN, "}${token}'", "}${tokn}'", "tokn does not exist"),
    "a variable of a loop is misspelt": Mistake(ZONES, "name: name\n", "name: nam\n", "nam does not exist"),
    "a variable of a lambda is misspelt": Mistake(
        MAIN, "!empty(entry.value)", "!empty(entri.value)", "entri does not exist"
    ),
    "a name is declared twice": Mistake(MAIN, "var issuer = ", "var token = ", "declared twice"),
    "a parameter is never used": Mistake(
        MAIN, "dailyQuotaGb: logDailyQuotaGb", "dailyQuotaGb: 1", "logDailyQuotaGb is never used"
    ),
    "a variable is never used": Mistake(STORAGE, "days: daysToUndelete", "days: 7", "daysToUndelete is never used"),
    "a function is misspelt": Mistake(MAIN, "uniqueString(", "uniqString(", "function uniqString does not exist"),
    "a function is given too little": Mistake(APP, "replace(name, '_', '-')", "replace(name, '_')", "takes 3 to 3"),
    "a decorator is misspelt": Mistake(MAIN, "@minValue(1)", "@minValu(1)", "decorator minValu does not exist"),
    "a file is misspelt": Mistake(ALERTS, "no-sync.kql", "nosync.kql", "does not exist"),
    "a key of a JSON file is misspelt": Mistake(
        MAIN, "abbreviations.keyVault}", "abbreviations.vault}", "has no property vault"
    ),
    "a property of a variable is misspelt": Mistake(
        ENTRA, "service.application", "service.app", "not every object here has a property app"
    ),
    "a property of a function's answer is misspelt": Mistake(
        MAIN, "authentication.loginEndpoint", "authentication.loginUrl", "has no property loginUrl"
    ),
    "a property is missing from one object of several": Mistake(
        ALERTS,
        "    query: loadTextContent('../observability/alerts/throttling.kql')\n",
        "",
        "not every object here has",
    ),
    "a nested resource is misspelt": Mistake(
        STORAGE, "account::tables", "account::table", "nested resource table does not exist"
    ),
    "two things depend on each other": Mistake(
        MAIN,
        "var defaultHostName = '${functionAppName}",
        "var defaultHostName = '${functionAppName}${hostNames[0]}",
        "depends on itself",
    ),
    "something must depend on itself": Mistake(
        ON_VAULT, "var onVault = concat(", "var onVault = concat(onVault, ", "BCP079"
    ),
    # modules
    "a module is not there": Mistake(MAIN, "modules/vault.bicep", "modules/vaults.bicep", "does not exist"),
    "a module is given what it does not know": Mistake(
        MAIN, "publicAccess: !closed", "isPublic: !closed", "has no property isPublic"
    ),
    "a module lacks what it needs": Mistake(MAIN, "    email: alertEmail\n", "", "alerts.params needs email"),
    "a module is given a string for a truth": Mistake(
        MAIN,
        "enabled: entraAppEnabled && appServiceAuthEnabled",
        "enabled: '${appServiceAuthEnabled}'",
        "must be true or false, but is a string",
    ),
    "a module is given a number for a string": Mistake(
        MAIN, "targetId: app.outputs.id", "targetId: logRetentionDays", "must be a string, but is a number"
    ),
    "a module is given a string for an array": Mistake(
        MAIN,
        "settingsInVault: settingsInVault",
        "settingsInVault: ownSettingsInVault",
        "must be an array, but is a string",
    ),
    "a module has no such output": Mistake(
        MAIN, "identity.outputs.id\n", "identity.outputs.identityId\n", "has no property identityId"
    ),
    "a conditional module has no such output": Mistake(
        MAIN, "entra!.outputs.scope ", "entra!.outputs.scopes ", "has no property scopes"
    ),
    "a module lacks its scope": Mistake(
        MAIN,
        "  name: 'vault'\n  scope: group\n",
        "  name: 'vault'\n",
        "is deployed to a resourceGroup, so it needs a scope",
    ),
    "a module is given what no module takes": Mistake(
        MAIN, "dependsOn: [rolesOnStorage, r", "needs: [rolesOnStorage, r", "app has no property needs"
    ),
    "a default is of another type": Mistake(
        MAIN, "param vnetEnabled bool = false", "param vnetEnabled bool = 'no'", "must be true or false"
    ),
    "a default is none of what is allowed": Mistake(MAIN, "string = 'User'", "string = 'Person'", "must be one of"),
    "a default is outside of its bounds": Mistake(MAIN, "int = 30", "int = 7", "must be at least 30"),
    "a default is none of the allowed numbers": Mistake(
        MAIN, "int = 2048", "int = 1024", "must be one of 512, 2048, 4096"
    ),
    "an output is of another type": Mistake(ON_VAULT, "vaultUri string", "vaultUri int", "must be a number"),
    # resources
    "a resource type is misspelt": Mistake(
        APP, "Microsoft.Web/serverfarms@", "Microsoft.Web/serverfarm@", "resource type"
    ),
    "a resource has a version that does not exist": Mistake(
        VAULT, "vaults@2024-11-01", "vaults@2024-11-11", "BCP081: resource type"
    ),
    "a resource has a version whose types are not here": Mistake(
        VAULT, "vaults@2024-11-01", "vaults@2019-09-01", "the newest version there is 2026-02-01"
    ),
    "a resource has no version": Mistake(
        APP, "Microsoft.Web/sites@2024-11-01", "Microsoft.Web/sites", "no API version"
    ),
    "a resource lacks its name": Mistake(VAULT, "  name: name\n", "", "needs name"),
    "a resource lacks its place": Mistake(STORAGE, "  location: location\n", "", "needs location"),
    "a property is misspelt": Mistake(STORAGE, "allowSharedKeyAccess", "allowSharedKeysAccess", "has no property"),
    "a property is misspelt deep inside": Mistake(APP, "instanceMemoryMB: i", "instanceMemoryMb: i", "has no property"),
    "a property is on the wrong level": Mistake(
        STORAGE, "  kind: 'StorageV2'\n", "  kind: 'StorageV2'\n  accessTier: 'Hot'\n", "has no property accessTier"
    ),
    "a property is read-only": Mistake(STORAGE, "accessTier: 'Hot'", "provisioningState: 'Succeeded'", "is read-only"),
    "a property is given twice": Mistake(
        APP, "httpsOnly: true", "httpsOnly: true\n    httpsOnly: true", "has httpsOnly twice"
    ),
    "a required property is missing deep inside": Mistake(VAULT, "      family: 'A'\n", "", "needs family"),
    "a value is none of the enumeration": Mistake(APP, "'UserAssigned'\n", "'UserAsigned'\n", "must be one of"),
    "one way of a condition is none of the enumeration": Mistake(
        STORAGE, "? 'Allow' : 'Deny'", "? 'Allow' : 'Refuse'", "must be one of"
    ),
    "a number is given as a string": Mistake(ALERTS, "threshold: 0", "threshold: '0'", "must be a number"),
    "a truth is given as a string": Mistake(APP, "reserved: true", "reserved: 'true'", "must be true or false"),
    "an object is given as an array": Mistake(
        STORAGE,
        "sku: { name: zoneRedundant ? 'Standard_ZRS' : 'Standard_LRS' }",
        "sku: ['Standard_LRS']",
        "must be an object",
    ),
    "an array is given as an object": Mistake(
        NETWORK, "addressPrefixes: [addressPrefix]", "addressPrefixes: addressPrefix", "must be an array"
    ),
    "an object is put into a string": Mistake(
        APP, "'ClientId=${identityClientId};", "'ClientId=${storage};", "cannot be part of a string"
    ),
    "a condition is a string": Mistake(ALERTS, "= if (!empty(email))", "= if (email)", "must be true or false"),
    "a loop goes over an object": Mistake(
        ALERTS, "for alert in alerts:", "for alert in tags:", "a loop takes an array"
    ),
    "a configuration has no such name": Mistake(SIGN_IN, "'authsettingsV2'", "'authsettingsV3'", "must be one of"),
    "a role assignment lacks whom it is for": Mistake(
        ON_TELEMETRY,
        "    principalId: identityPrincipalId\n    principalType: 'ServicePrincipal'\n",
        "",
        "needs principalId",
    ),
    "a child lacks its parent": Mistake(SIGN_IN, "  parent: site\n", "", "needs a parent"),
    "a resource group's resource is put into the subscription": Mistake(
        MONITORING,
        "param workspaceName",
        "targetScope = 'subscription'\n\nparam workspaceName",
        "cannot be deployed to a subscription",
    ),
    "an existing resource is given properties": Mistake(
        SIGN_IN,
        "  name: functionAppName\n",
        "  name: functionAppName\n  kind: 'functionapp'\n",
        "an existing resource cannot have kind",
    ),
    "a property of a resource is misspelt": Mistake(
        APP, "site.properties.defaultHostName", "site.properties.hostName\n", "has no property hostName"
    ),
    "a property of Graph is misspelt": Mistake(
        ENTRA, "requestedAccessTokenVersion", "requestedAccessTokenVersions", "BCP089"
    ),
    "a property of Graph has another type": Mistake(
        ENTRA, "requestedAccessTokenVersion: 2", "requestedAccessTokenVersion: 'v2'", "BCP036"
    ),
    "a dashboard lacks its definition": Mistake(
        DASHBOARDS, "serializedData: replace(", "definition: replace(", "needs serializedData"
    ),
    # what is known only later
    "a name is known only later": Mistake(VAULT, "  name: 'audit'\n", "  name: vault.properties.vaultUri\n", "BCP120"),
    "how many there are is known only later": Mistake(
        MAIN, "= if (makesNetwork)", "= if (!empty(app.outputs.name))", "BCP177"
    ),
    "one name is for all of a loop": Mistake(
        ALERTS, "name: '${alert.name}-${environmentName}'", "name: 'alert'", "BCP179"
    ),
    "a time stands where there is none": Mistake(MAIN, "location: location", "location: utcNow()", "BCP065"),
    "a module that may be missing is asked": Mistake(MAIN, "entra!.outputs.scope ", "entra.outputs.scope ", "BCP318"),
    "what may be missing is handed on": Mistake(
        MAIN, "network!.outputs.appSubnetId", "network.?outputs.appSubnetId", "BCP321"
    ),
    "an order is said that is there already": Mistake(
        MAIN,
        "dependsOn: [rolesOnStorage, r",
        "dependsOn: [storageContents, rolesOnStorage, r",
        "no-unnecessary-dependson",
    ),
    "a cloud is written out": Mistake(APP, "'functionapp,linux'", "'https://vault.azure.net'", "no-hardcoded-env-urls"),
    "a secret is put out": Mistake(
        CONTENTS,
        "string = '${account.properties.primaryEndpoints.blob}${packageContainerName}'",
        "string = account.listKeys().keys[0].value",
        "outputs-should-not-contain-secrets",
    ),
    "a number is larger than the type allows": Mistake(STORAGE, "daysToUndelete = 7", "daysToUndelete = 500", "BCP327"),
    "a text is longer than the type allows": Mistake(ALERTS, "'team-mcp'", "'azure-team-mcp'", "BCP332"),
    "a decorator is for something else": Mistake(MAIN, "@minValue(30)", "@minLength(30)", "BCP124"),
    "values are compared that never are the same": Mistake(
        MAIN, "principalType == 'User'", "principalType == 'Person'", "never equal"
    ),
}
