targetScope = 'subscription'

@description('Name of the azd environment. It is part of the name of every resource.')
@minLength(1)
@maxLength(64)
param environmentName string

@description('Region of everything. It must offer Flex Consumption.')
@minLength(1)
@metadata({
  azd: {
    type: 'location'
  }
})
param location string

@description('Object id of who deploys. A person may read and mend the store, and rotate secrets; a pipeline need not.')
param principalId string = ''

@description('What the deployer is: a person, or the service principal of a pipeline.')
@allowed(['User', 'ServicePrincipal'])
param principalType string = 'User'

@description('Memory of one instance, in megabytes.')
@allowed([512, 2048, 4096])
param instanceMemoryMB int = 2048

@description('The most instances that the app may grow to. It bounds what a flood of requests can cost.')
@minValue(1)
@maxValue(1000)
param maximumInstanceCount int = 100

@description('Instances that are kept warm for requests, day and night. None: the app scales to zero.')
@minValue(0)
@maxValue(100)
param alwaysReadyInstances int = 0

@description('Requests that one instance answers at the same time before another instance starts.')
@minValue(1)
@maxValue(1000)
param perInstanceConcurrency int = 16

@description('Storage and vault are reached through private endpoints only, from a network that the app joins.')
param vnetEnabled bool = false

@description('Addresses of the network, in CIDR form, /23 or larger. Choose what does not overlap with networks to peer with.')
param vnetAddressPrefix string = '10.0.0.0/16'

@description('DNS servers of the network, separated by commas: where names of your own network are known. Empty: Azure DNS.')
param vnetDnsServers string = ''

@description('Registers the app in Microsoft Entra ID, so that people sign in. It takes the right to register applications.')
param entraAppEnabled bool = false

@description('Client ids of applications that may sign people in without asking each for consent, separated by commas.')
param preAuthorizedClients string = ''

@description('App Service authentication checks every request before the app sees it. It needs the registration in Entra ID.')
param appServiceAuthEnabled bool = false

@description('A host name of your own, which leads to the app, such as mcp.example.com.')
param customDomain string = ''

@description('Secret settings that you put into the vault, such as ADO_PAT, separated by commas.')
param ownSettingsInVault string = ''

@description('Takes back the vault of an environment of this name that was deleted, and is not yet purged.')
param recoverKeyVault bool = false

@description('Days for which logs are kept.')
@minValue(30)
@maxValue(730)
param logRetentionDays int = 30

@description('Gigabytes of logs a day, after which no more are taken in until the next day. -1: no limit.')
param logDailyQuotaGb int = 1

@description('Where alerts are sent. Empty: they are shown in the portal only.')
param alertEmail string = ''

@description('Settings of the app, by the names that docs/settings.md lists. An empty one is left to its default.')
param settings object = {}

var abbreviations = loadJsonContent('abbreviations.json')
var token = toLower(uniqueString(subscription().id, environmentName, location))
var tags = { 'azd-env-name': environmentName }
var groupName = '${abbreviations.resourceGroup}${environmentName}'
var functionAppName = '${abbreviations.functionApp}${token}'
// Resources in modules are named by these, and not by what other modules put out: a preview sees no further than a name
// that is known only later.
var storageName = '${abbreviations.storage}${token}'
var vaultName = '${abbreviations.keyVault}${token}'
var storageId = resourceId(subscription().subscriptionId, groupName, 'Microsoft.Storage/storageAccounts', storageName)
var vaultId = resourceId(subscription().subscriptionId, groupName, 'Microsoft.KeyVault/vaults', vaultName)
var applicationInsightsName = '${abbreviations.applicationInsights}${token}'
var packageContainerName = 'app-package'
var operatorPrincipalId = principalType == 'User' ? principalId : ''
var defaultHostName = '${functionAppName}.azurewebsites.net'
var hostNames = filter([defaultHostName, customDomain], name => !empty(name))
var given = toObject(filter(items(settings), entry => !empty(entry.value)), entry => entry.key, entry => entry.value)
var clients = filter(map(split(preAuthorizedClients, ','), id => trim(id)), id => !empty(id))
var issuer = '${environment().authentication.loginEndpoint}${tenant().tenantId}/v2.0'

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: groupName
  location: location
  tags: tags
}

module identity 'modules/identity.bicep' = {
  name: 'identity'
  scope: group
  params: {
    name: '${abbreviations.identity}${token}'
    location: location
    tags: tags
  }
}

// Who puts the package of the app into its container, and gets it from there.
module packageIdentity 'modules/identity.bicep' = {
  name: 'package-identity'
  scope: group
  params: {
    name: '${abbreviations.identity}${token}-package'
    location: location
    tags: tags
  }
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring'
  scope: group
  params: {
    workspaceName: '${abbreviations.logAnalytics}${token}'
    applicationInsightsName: applicationInsightsName
    location: location
    tags: tags
    retentionDays: logRetentionDays
    dailyQuotaGb: logDailyQuotaGb
  }
}

module storage 'modules/storage.bicep' = {
  name: 'storage'
  scope: group
  params: {
    name: storageName
    location: location
    tags: tags
    publicAccess: !vnetEnabled
    workspaceId: monitoring.outputs.workspaceId
  }
}

module vault 'modules/vault.bicep' = {
  name: 'vault'
  scope: group
  params: {
    name: vaultName
    location: location
    tags: tags
    publicAccess: !vnetEnabled
    recover: recoverKeyVault
    workspaceId: monitoring.outputs.workspaceId
  }
}

module storageContents 'modules/storage-contents.bicep' = {
  name: 'storage-contents'
  scope: group
  params: {
    storageName: storageName
    packageContainerName: packageContainerName
  }
  // Computed names say nothing of an order.
  dependsOn: [storage]
}

module rolesOnStorage 'modules/roles-on-storage.bicep' = {
  name: 'roles-on-storage'
  scope: group
  params: {
    storageName: storageName
    packageContainerName: packageContainerName
    // Assignments are named by these, although a preview cannot see them: another name for the same one would be refused.
    identityPrincipalId: identity.outputs.principalId
    packageIdentityPrincipalId: packageIdentity.outputs.principalId
    operatorPrincipalId: operatorPrincipalId
  }
  dependsOn: [storageContents]
}

module rolesOnVault 'modules/roles-on-vault.bicep' = {
  name: 'roles-on-vault'
  scope: group
  params: {
    vaultName: vaultName
    identityPrincipalId: identity.outputs.principalId
    operatorPrincipalId: operatorPrincipalId
  }
  dependsOn: [vault]
}

module rolesOnTelemetry 'modules/roles-on-telemetry.bicep' = {
  name: 'roles-on-telemetry'
  scope: group
  params: {
    applicationInsightsName: applicationInsightsName
    identityPrincipalId: identity.outputs.principalId
  }
  dependsOn: [monitoring]
}

module network 'modules/network.bicep' = if (vnetEnabled) {
  name: 'network'
  scope: group
  params: {
    name: '${abbreviations.virtualNetwork}${token}'
    endpointPrefix: '${abbreviations.privateEndpoint}${token}'
    location: location
    tags: tags
    addressPrefix: vnetAddressPrefix
    dnsServers: empty(vnetDnsServers) ? [] : split(vnetDnsServers, ',')
    storageId: storageId
    vaultId: vaultId
  }
}

module entra 'modules/entra.bicep' = if (entraAppEnabled) {
  name: 'entra'
  scope: group
  params: {
    name: 'azure-team-mcp-${environmentName}-${token}'
    issuer: issuer
    redirectUris: map(hostNames, host => 'https://${host}/callback')
    identityPrincipalId: identity.outputs.principalId
    preAuthorizedClients: clients
  }
}

var clientId = entra.?outputs.clientId ?? ''
var signIn = entraAppEnabled
  ? {
      AUTH_MODE: appServiceAuthEnabled ? 'platform' : 'oauth'
      AUTH_ISSUER: issuer
      AUTH_AUDIENCE: '${clientId},${entra.?outputs.identifierUri ?? ''}'
      AUTH_SCOPE: entra.?outputs.scope ?? ''
      AUTH_ALLOWED_TENANTS: tenant().tenantId
      UPSTREAM_CLIENT_ID: clientId
    }
  : {}
// App Service authentication signs people in by itself.
var bridge = entraAppEnabled && !appServiceAuthEnabled ? { AUTH_BRIDGE_CLIENT_ID: clientId } : {}
var hosts = empty(customDomain)
  ? {}
  : { MCP_ALLOWED_HOSTS: join(filter([customDomain, given.?MCP_ALLOWED_HOSTS ?? ''], name => !empty(name)), ',') }
var settingsInVault = union(['MCP_REQUEST_STATE_KEY'], empty(ownSettingsInVault) ? [] : split(ownSettingsInVault, ','))

module app 'modules/app.bicep' = {
  name: 'app'
  scope: group
  params: {
    name: functionAppName
    planName: '${abbreviations.plan}${token}'
    location: location
    tags: tags
    identityId: identity.outputs.id
    identityClientId: identity.outputs.clientId
    packageIdentityId: packageIdentity.outputs.id
    storageName: storageName
    packageContainerUrl: storageContents.outputs.packageContainerUrl
    vaultUri: rolesOnVault.outputs.vaultUri
    applicationInsightsConnection: monitoring.outputs.applicationInsightsConnection
    workspaceId: monitoring.outputs.workspaceId
    subnetId: network.?outputs.appSubnetId ?? ''
    instanceMemoryMB: instanceMemoryMB
    maximumInstanceCount: maximumInstanceCount
    alwaysReadyInstances: alwaysReadyInstances
    perInstanceConcurrency: perInstanceConcurrency
    settings: union(signIn, bridge, given, hosts)
    settingsInVault: settingsInVault
  }
  // Without these the platform can neither read its package nor resolve a secret.
  dependsOn: [rolesOnStorage, rolesOnTelemetry]
}

module authentication 'modules/authentication.bicep' = if (entraAppEnabled) {
  name: 'authentication'
  scope: group
  params: {
    functionAppName: functionAppName
    enabled: appServiceAuthEnabled
    issuer: issuer
    clientId: clientId
    identifierUri: entra.?outputs.identifierUri ?? ''
    allowedClients: clients
  }
  dependsOn: [app]
}

module dashboards 'modules/dashboards.bicep' = {
  name: 'dashboards'
  scope: group
  params: {
    name: '${abbreviations.dashboard}${token}'
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
  }
}

module alerts 'modules/alerts.bicep' = {
  name: 'alerts'
  scope: group
  params: {
    actionGroupName: '${abbreviations.actionGroup}${token}'
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    email: alertEmail
  }
}

output AZURE_LOCATION string = location
output AZURE_TENANT_ID string = tenant().tenantId
output AZURE_RESOURCE_GROUP string = groupName
output AZURE_FUNCTION_NAME string = app.outputs.name
output SERVICE_API_NAME string = app.outputs.name
output SERVICE_API_URI string = 'https://${app.outputs.hostName}'
output MCP_URL string = 'https://${empty(customDomain) ? app.outputs.hostName : customDomain}/mcp'
output AZURE_KEY_VAULT_NAME string = vaultName
output AZURE_KEY_VAULT_ID string = vaultId
output AZURE_FUNCTION_ID string = app.outputs.id
output AZURE_STORAGE_ACCOUNT string = storageName
output ENTRA_CLIENT_ID string = clientId
output SETTINGS_IN_VAULT string = join(settingsInVault, ',')
