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

@description('The most on-demand instances of each function group. Bursts can exceed it.')
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

@description('Services for which tools ask in the name of who signed in, separated by commas, as docs/deploying.md lists. Empty: all.')
param entraServices string = ''

@description('Id of a permission of Application Insights. A hook reads it before each provisioning; nobody sets it.')
param applicationInsightsScopeId string = ''

@description('Client ids of applications that may sign people in without asking each for consent, separated by commas.')
param preAuthorizedClients string = ''

@description('App Service authentication checks every request before the app sees it. It needs the registration in Entra ID.')
param appServiceAuthEnabled bool = false

@description('A host name of your own, which leads to the app, such as mcp.example.com.')
param customDomain string = ''

@description('Secret settings that you put into the vault, such as ADO_PAT, separated by commas.')
param ownSettingsInVault string = ''

@description('There is a deleted vault of this name. A hook looks before each provisioning; nobody sets it.')
param vaultIsDeleted bool = false

@description('The app runs outside of the network that it is to join. A hook looks before each provisioning; nobody sets it.')
param appIsOutside bool = false

@description('How running instances are replaced: Recreate ends them, RollingUpdate, a preview, lets them finish what they do.')
@allowed(['RollingUpdate', 'Recreate'])
param updateStrategy string = 'Recreate'

@description('Days for which logs are kept.')
@minValue(30)
@maxValue(730)
param logRetentionDays int = 30

@description('Gigabytes of logs a day, after which no more are taken in until the next day. -1: no limit.')
param logDailyQuotaGb int = 1

@description('Where alerts are sent. Empty: they are shown in the portal only.')
param alertEmail string = ''

@description('Requests of the app leave the network from one address that does not change.')
param fixedOutgoingAddress bool = false

@description('A private endpoint for the app itself, in the network.')
param appPrivateEndpoint bool = false

@description('Whether the app is reached from outside of the network, too. Deployments are then made from within.')
param appPublicAccess bool = true

@description('A Translator is made, by which texts are translated. Only the identity of the app can use it.')
param translatorEnabled bool = false

@description('App and storage are spread over the zones of the region. To be chosen before the first deployment.')
param zoneRedundant bool = false

@description('Name of a resource group of yours, which is there already. Empty: one is made.')
param ownResourceGroup string = ''

@description('Resource id of a Log Analytics workspace of yours. Empty: one is made.')
param ownWorkspaceId string = ''

@description('Resource id of a storage account of yours. Empty: one is made.')
param ownStorageId string = ''

@description('Resource id of a Key Vault of yours, whose permission model is that of roles. Empty: one is made.')
param ownVaultId string = ''

@description('Id of an account of Azure OpenAI of yours, whose model writes summaries. Empty: none is asked.')
param ownOpenAiId string = ''

@description('Id of an account of Cosmos DB of yours, whose records are read and written. Empty: none are.')
param ownCosmosId string = ''

@description('The app may read the records of that account, and not write any.')
param cosmosReadOnly bool = false

@description('A private endpoint for that account, in the network.')
param cosmosPrivateEndpoint bool = false

@description('Resource id of a subnet of yours that is delegated to Microsoft.App/environments. Empty: a network is made.')
param ownAppSubnetId string = ''

@description('Resource id of a subnet of yours for private endpoints. It belongs to the one before.')
param ownEndpointSubnetId string = ''

@description('Resource id of the resource group with your private DNS zones. Empty: zones are made.')
param ownDnsZonesGroupId string = ''

@description('Client id of a registration of yours in Microsoft Entra ID. Empty: the app is registered.')
param ownEntraClientId string = ''

@description('Tags of yours, such as owner=team,costCenter=42. Each resource that is made gets them.')
param ownTags string = ''

@description('Names of yours for resources that are made, by the keys of abbreviations.json. An empty one is made up.')
param ownNames object = {}

@description('What the identity of the app may read: ids of subscriptions and resource groups, separated by commas.')
param readerScopes string = ''

@description('Of what it may read metrics and logs, likewise.')
param monitoringReaderScopes string = ''

@description('Of what it may read the costs, likewise.')
param costReaderScopes string = ''

@description('What everything may cost in a month, in the currency of the bill, before somebody is warned. 0: no budget.')
@minValue(0)
param budgetAmount int = 0

@description('First day of the month in which the budget began. A hook looks before each provisioning; nobody sets it.')
param budgetFirstDay string = ''

@description('Settings of the app, by the names that docs/settings.md lists. An empty one is left to its default.')
param settings object = {}

var abbreviations = loadJsonContent('abbreviations.json')
var token = toLower(uniqueString(subscription().id, environmentName, location))
var tagPairs = filter(map(split(ownTags, ','), pair => trim(pair)), pair => !empty(pair))
var tags = union(
  toObject(tagPairs, pair => trim(split(pair, '=')[0]), pair => trim(split(pair, '=')[1])),
  { 'azd-env-name': environmentName }
)
var named = toObject(filter(items(ownNames), entry => !empty(entry.value)), entry => entry.key, entry => entry.value)
var groupName = empty(ownResourceGroup)
  ? named.?resourceGroup ?? '${abbreviations.resourceGroup}${environmentName}'
  : ownResourceGroup
var functionAppName = named.?functionApp ?? '${abbreviations.functionApp}${token}'
var identityName = named.?identity ?? '${abbreviations.identity}${token}'
var networkName = named.?virtualNetwork ?? '${abbreviations.virtualNetwork}${token}'
var endpointPrefix = named.?privateEndpoint ?? '${abbreviations.privateEndpoint}${token}'
// Resources in modules are named by these, and not by what other modules put out: a preview sees no further than a name
// that is known only later.
var applicationInsightsName = named.?applicationInsights ?? '${abbreviations.applicationInsights}${token}'
// An id is /subscriptions/2/resourceGroups/4/providers/6/7/8. What is made has the same parts, so that nothing below asks
// which of the two it is: a scope has to be known even where nothing is deployed to it.
var storageAt = empty(ownStorageId)
  ? {
      subscription: subscription().subscriptionId
      group: groupName
      name: named.?storage ?? '${abbreviations.storage}${token}'
    }
  : {
      subscription: split(ownStorageId, '/')[2]
      group: split(ownStorageId, '/')[4]
      name: split(ownStorageId, '/')[8]
    }
var storageId = resourceId(
  storageAt.subscription,
  storageAt.group,
  'Microsoft.Storage/storageAccounts',
  storageAt.name
)
var vaultAt = empty(ownVaultId)
  ? {
      subscription: subscription().subscriptionId
      group: groupName
      name: named.?keyVault ?? '${abbreviations.keyVault}${token}'
    }
  : {
      subscription: split(ownVaultId, '/')[2]
      group: split(ownVaultId, '/')[4]
      name: split(ownVaultId, '/')[8]
    }
// What is not brought is not made either, so that these are names of nothing then.
var openAiAt = empty(ownOpenAiId)
  ? {
      subscription: subscription().subscriptionId
      group: groupName
      name: ''
    }
  : {
      subscription: split(ownOpenAiId, '/')[2]
      group: split(ownOpenAiId, '/')[4]
      name: split(ownOpenAiId, '/')[8]
    }
var cosmosAt = empty(ownCosmosId)
  ? {
      subscription: subscription().subscriptionId
      group: groupName
      name: ''
    }
  : {
      subscription: split(ownCosmosId, '/')[2]
      group: split(ownCosmosId, '/')[4]
      name: split(ownCosmosId, '/')[8]
    }
var vaultId = resourceId(vaultAt.subscription, vaultAt.group, 'Microsoft.KeyVault/vaults', vaultAt.name)
var translatorName = named.?translator ?? '${abbreviations.translator}${token}'
var packageContainerName = 'app-package'
var operatorPrincipalId = principalType == 'User' ? principalId : ''
var defaultHostName = '${functionAppName}.azurewebsites.net'
var hostNames = filter([defaultHostName, customDomain], name => !empty(name))
var given = toObject(filter(items(settings), entry => !empty(entry.value)), entry => entry.key, entry => entry.value)
var clients = filter(map(split(preAuthorizedClients, ','), id => trim(id)), id => !empty(id))
// What an app outside of the network still uses closes when the app has joined: with the deployment after this one.
var closed = vnetEnabled && !appIsOutside
var issuer = '${environment().authentication.loginEndpoint}${tenant().tenantId}/v2.0'

// As a scope only its name counts, so a group that is there already serves as well as one that is made.
resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = if (empty(ownResourceGroup)) {
  name: groupName
  location: location
  tags: tags
}

module identity 'modules/identity.bicep' = {
  name: 'identity'
  scope: group
  params: {
    name: identityName
    location: location
    tags: tags
  }
}

// Who puts the package of the app into its container, and gets it from there.
module packageIdentity 'modules/identity.bicep' = {
  name: 'package-identity'
  scope: group
  params: {
    name: '${identityName}-package'
    location: location
    tags: tags
  }
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring'
  scope: group
  params: {
    ownWorkspaceId: ownWorkspaceId
    workspaceName: named.?logAnalytics ?? '${abbreviations.logAnalytics}${token}'
    applicationInsightsName: applicationInsightsName
    location: location
    tags: tags
    retentionDays: logRetentionDays
    dailyQuotaGb: logDailyQuotaGb
  }
}

module storage 'modules/storage.bicep' = if (empty(ownStorageId)) {
  name: 'storage'
  scope: group
  params: {
    name: storageAt.name
    location: location
    tags: tags
    publicAccess: !closed
    zoneRedundant: zoneRedundant
    workspaceId: monitoring.outputs.workspaceId
  }
}

module recovery 'modules/vault-recovery.bicep' = if (vaultIsDeleted && empty(ownVaultId)) {
  name: 'vault-recovery'
  scope: group
  params: {
    name: vaultAt.name
    location: location
    tags: tags
  }
}

module vault 'modules/vault.bicep' = if (empty(ownVaultId)) {
  name: 'vault'
  scope: group
  params: {
    name: vaultAt.name
    location: location
    tags: tags
    publicAccess: !closed
    workspaceId: monitoring.outputs.workspaceId
  }
  // What is taken back has the rules of its former life, until this sets them.
  dependsOn: [recovery]
}

// What is in an account of yours, or given on it, is deployed to the group that it is in, and named after this app.
module storageContents 'modules/storage-contents.bicep' = {
  name: 'storage-contents-${token}'
  scope: resourceGroup(storageAt.subscription, storageAt.group)
  params: {
    storageName: storageAt.name
    packageContainerName: packageContainerName
  }
  // Computed names say nothing of an order.
  dependsOn: [storage]
}

module rolesOnStorage 'modules/roles-on-storage.bicep' = {
  name: 'roles-on-storage-${token}'
  scope: resourceGroup(storageAt.subscription, storageAt.group)
  params: {
    storageName: storageAt.name
    packageContainerName: packageContainerName
    // Assignments are named by these, although a preview cannot see them: another name for the same one would be refused.
    identityPrincipalId: identity.outputs.principalId
    packageIdentityPrincipalId: packageIdentity.outputs.principalId
    operatorPrincipalId: operatorPrincipalId
  }
  dependsOn: [storageContents]
}

module rolesOnVault 'modules/roles-on-vault.bicep' = {
  name: 'roles-on-vault-${token}'
  scope: resourceGroup(vaultAt.subscription, vaultAt.group)
  params: {
    vaultName: vaultAt.name
    identityPrincipalId: identity.outputs.principalId
    operatorPrincipalId: operatorPrincipalId
  }
  dependsOn: [vault]
}

module translator 'modules/translator.bicep' = if (translatorEnabled) {
  name: 'translator'
  scope: group
  params: {
    name: translatorName
    location: location
    tags: tags
    publicAccess: !closed
    workspaceId: monitoring.outputs.workspaceId
  }
}

module rolesOnTranslator 'modules/roles-on-translator.bicep' = if (translatorEnabled) {
  name: 'roles-on-translator'
  scope: group
  params: {
    translatorName: translatorName
    identityPrincipalId: identity.outputs.principalId
  }
  dependsOn: [translator]
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

var makesNetwork = vnetEnabled && empty(ownAppSubnetId)

module network 'modules/network.bicep' = if (makesNetwork) {
  name: 'network'
  scope: group
  params: {
    name: networkName
    location: location
    tags: tags
    addressPrefix: vnetAddressPrefix
    dnsServers: empty(vnetDnsServers) ? [] : split(vnetDnsServers, ',')
    fixedOutgoingAddress: fixedOutgoingAddress
  }
}

// What is brought has endpoints of its own, or needs none, but for an account of records where somebody asks for one.
var endpoints = concat(
  empty(ownStorageId) ? map(['blob', 'queue', 'table'], part => { part: part, targetId: storageId }) : [],
  empty(ownVaultId) ? [{ part: 'vault', targetId: vaultId }] : [],
  translatorEnabled
    ? [
        {
          part: 'account'
          targetId: resourceId(
            subscription().subscriptionId,
            groupName,
            'Microsoft.CognitiveServices/accounts',
            translatorName
          )
        }
      ]
    : [],
  cosmosPrivateEndpoint && !empty(ownCosmosId)
    ? [
        {
          part: 'Sql'
          targetId: resourceId(
            cosmosAt.subscription,
            cosmosAt.group,
            'Microsoft.DocumentDB/databaseAccounts',
            cosmosAt.name
          )
        }
      ]
    : []
)
var zoneNames = {
  blob: 'privatelink.blob.${environment().suffixes.storage}'
  queue: 'privatelink.queue.${environment().suffixes.storage}'
  table: 'privatelink.table.${environment().suffixes.storage}'
  vault: 'privatelink.vaultcore.azure.net'
  account: 'privatelink.cognitiveservices.azure.com'
  Sql: 'privatelink.documents.azure.com'
  sites: 'privatelink.azurewebsites.net'
}
var zonesAt = empty(ownDnsZonesGroupId)
  ? { subscription: subscription().subscriptionId, group: groupName }
  : { subscription: split(ownDnsZonesGroupId, '/')[2], group: split(ownDnsZonesGroupId, '/')[4] }
var zonesNeeded = concat(map(endpoints, endpoint => endpoint.part), appPrivateEndpoint ? ['sites'] : [])
// Computed, so that a preview sees how the links are named.
var linked = empty(ownAppSubnetId)
  ? {
      id: resourceId(subscription().subscriptionId, groupName, 'Microsoft.Network/virtualNetworks', networkName)
      name: networkName
    }
  : {
      id: join(take(split(ownAppSubnetId, '/'), 9), '/')
      name: split(ownAppSubnetId, '/')[8]
    }
var endpointSubnetId = makesNetwork ? network!.outputs.endpointSubnetId : ownEndpointSubnetId

module dnsZones 'modules/dns-zones.bicep' = if (vnetEnabled && empty(ownDnsZonesGroupId)) {
  name: 'dns-zones'
  scope: group
  params: {
    names: map(zonesNeeded, part => zoneNames[part])
    networkId: linked.id
    networkName: linked.name
    tags: tags
  }
  dependsOn: [network]
}

module privateEndpoints 'modules/private-endpoint.bicep' = [
  for endpoint in endpoints: if (vnetEnabled) {
    name: 'endpoint-${endpoint.part}'
    scope: group
    params: {
      name: '${endpointPrefix}-${endpoint.part}'
      location: location
      tags: tags
      subnetId: endpointSubnetId
      targetId: endpoint.targetId
      part: endpoint.part
      zoneId: resourceId(
        zonesAt.subscription,
        zonesAt.group,
        'Microsoft.Network/privateDnsZones',
        zoneNames[endpoint.part]
      )
    }
    dependsOn: [dnsZones, storage, vault, translator]
  }
]

var registers = entraAppEnabled && empty(ownEntraClientId)

module entra 'modules/entra.bicep' = if (registers) {
  name: 'entra'
  scope: group
  params: {
    name: 'azure-team-mcp-${environmentName}-${token}'
    mark: 'azure-team-mcp/${subscription().subscriptionId}/${environmentName}/${location}'
    issuer: issuer
    redirectUris: map(hostNames, host => 'https://${host}${appServiceAuthEnabled ? '/.auth/login/aad/callback' : '/callback'}')
    platformSignsIn: appServiceAuthEnabled
    identityPrincipalId: identity.outputs.principalId
    preAuthorizedClients: clients
    services: filter(map(split(entraServices, ','), name => trim(name)), name => !empty(name))
    applicationInsightsScope: applicationInsightsScopeId
    readsDirectory: toLower(settings.?AZURE_READ_DIRECTORY ?? '') == 'true'
  }
}

var clientId = registers ? entra!.outputs.clientId : ownEntraClientId
var identifierUri = registers ? entra!.outputs.identifierUri : 'api://${ownEntraClientId}'
var signIn = entraAppEnabled
  ? {
      AUTH_MODE: appServiceAuthEnabled ? 'platform' : 'oauth'
      AUTH_ISSUER: issuer
      AUTH_AUDIENCE: '${clientId},${identifierUri}'
      AUTH_SCOPE: registers ? entra!.outputs.scope : '${identifierUri}/access'
      AUTH_ALLOWED_TENANTS: tenant().tenantId
      UPSTREAM_CLIENT_ID: clientId
    }
  : {}
// App Service authentication signs people in by itself.
var bridge = entraAppEnabled && !appServiceAuthEnabled ? { AUTH_BRIDGE_CLIENT_ID: clientId } : {}
var hosts = empty(customDomain)
  ? {}
  : { MCP_ALLOWED_HOSTS: join(filter([customDomain, given.?MCP_ALLOWED_HOSTS ?? ''], name => !empty(name)), ',') }
var translation = translatorEnabled ? { TRANSLATOR_ENDPOINT: rolesOnTranslator!.outputs.endpoint } : {}
var records = empty(ownCosmosId) ? {} : { COSMOS_ENDPOINT: rolesOnCosmos!.outputs.endpoint }
var settingsInVault = union(['MCP_REQUEST_STATE_KEY'], empty(ownSettingsInVault) ? [] : split(ownSettingsInVault, ','))

var listed = {
  reader: map(split(readerScopes, ','), id => toLower(trim(id)))
  monitoring: map(split(monitoringReaderScopes, ','), id => toLower(trim(id)))
  costs: map(split(costReaderScopes, ','), id => toLower(trim(id)))
}

var tasksScopes = settings.?TASKS_SCOPES ?? ''

module rights 'modules/rights.bicep' = if (!empty('${readerScopes}${monitoringReaderScopes}${costReaderScopes}${tasksScopes}')) {
  name: 'rights-${token}'
  params: {
    unique: token
    identityPrincipalId: identity.outputs.principalId
    // Once each: who names a scope twice would be refused the second time.
    readerScopes: union(filter(listed.reader, id => !empty(id)), [])
    monitoringReaderScopes: union(filter(listed.monitoring, id => !empty(id)), [])
    costReaderScopes: union(filter(listed.costs, id => !empty(id)), [])
    endingScopes: union(filter(map(split(tasksScopes, ','), id => toLower(trim(id))), id => !empty(id)), [])
  }
}

module rolesOnOpenAi 'modules/roles-on-openai.bicep' = if (!empty(ownOpenAiId)) {
  name: 'roles-on-openai-${token}'
  scope: resourceGroup(openAiAt.subscription, openAiAt.group)
  params: {
    accountName: openAiAt.name
    identityPrincipalId: identity.outputs.principalId
  }
}

module rolesOnCosmos 'modules/roles-on-cosmos.bicep' = if (!empty(ownCosmosId)) {
  name: 'roles-on-cosmos-${token}'
  scope: resourceGroup(cosmosAt.subscription, cosmosAt.group)
  params: {
    accountName: cosmosAt.name
    database: settings.?COSMOS_DATABASE ?? ''
    // Each as name, or name:/path/of/the/tenant.
    containers: filter(
      map(split(settings.?COSMOS_CONTAINERS ?? '', ','), entry => trim(split(entry, ':')[0])),
      name => !empty(name)
    )
    readOnly: cosmosReadOnly
    identityPrincipalId: identity.outputs.principalId
  }
}

module app 'modules/app.bicep' = {
  name: 'app'
  scope: group
  params: {
    name: functionAppName
    planName: named.?plan ?? '${abbreviations.plan}${token}'
    location: location
    tags: tags
    identityId: identity.outputs.id
    identityClientId: identity.outputs.clientId
    packageIdentityId: packageIdentity.outputs.id
    storageName: storageAt.name
    packageContainerUrl: storageContents.outputs.packageContainerUrl
    vaultUri: rolesOnVault.outputs.vaultUri
    applicationInsightsConnection: monitoring.outputs.applicationInsightsConnection
    workspaceId: monitoring.outputs.workspaceId
    subnetId: makesNetwork ? network!.outputs.appSubnetId : vnetEnabled ? ownAppSubnetId : ''
    publicAccess: appPublicAccess
    zoneRedundant: zoneRedundant
    instanceMemoryMB: instanceMemoryMB
    maximumInstanceCount: maximumInstanceCount
    alwaysReadyInstances: alwaysReadyInstances
    perInstanceConcurrency: perInstanceConcurrency
    updateStrategy: updateStrategy
    settings: union({ AZURE_CLOUD: environment().name, EXTENSIONS_VAULT: rolesOnVault.outputs.vaultUri }, signIn, bridge, translation, records, given, hosts)
    settingsInVault: settingsInVault
  }
  // Without these the platform can neither read its package nor resolve a secret.
  dependsOn: [rolesOnStorage, rolesOnTelemetry, rolesOnOpenAi, rights]
}

// Deployed when it is off, too: what a deployment does not mention stays switched on. Where AUTH_MODE says that somebody
// set it up by hand, it is theirs.
#disable-next-line stays-on
module authentication 'modules/authentication.bicep' = if (entraAppEnabled || (settings.?AUTH_MODE != 'platform')) {
  name: 'authentication'
  scope: group
  params: {
    functionAppName: functionAppName
    enabled: entraAppEnabled && appServiceAuthEnabled
    issuer: issuer
    clientId: clientId
    identifierUri: identifierUri
    allowedClients: clients
    origins: map(hostNames, host => 'https://${host}')
  }
  dependsOn: [app]
}

module appEndpoint 'modules/private-endpoint.bicep' = if (vnetEnabled && appPrivateEndpoint) {
  name: 'endpoint-sites'
  scope: group
  params: {
    name: '${endpointPrefix}-sites'
    location: location
    tags: tags
    subnetId: endpointSubnetId
    targetId: app.outputs.id
    part: 'sites'
    zoneId: resourceId(zonesAt.subscription, zonesAt.group, 'Microsoft.Network/privateDnsZones', zoneNames.sites)
  }
  dependsOn: [dnsZones]
}

module dashboards 'modules/dashboards.bicep' = {
  name: 'dashboards'
  scope: group
  params: {
    name: named.?dashboard ?? '${abbreviations.dashboard}${token}'
    appName: functionAppName
    environmentName: environmentName
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
  }
}

module alerts 'modules/alerts.bicep' = {
  name: 'alerts'
  scope: group
  params: {
    actionGroupName: named.?actionGroup ?? '${abbreviations.actionGroup}${token}'
    appName: functionAppName
    environmentName: environmentName
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    email: alertEmail
  }
}

// Azure takes no notification without a contact.
module budget 'modules/budget.bicep' = if (budgetAmount > 0 && !empty(budgetFirstDay) && !empty(alertEmail)) {
  name: 'budget'
  scope: group
  params: {
    amount: budgetAmount
    name: 'azure-team-mcp-${environmentName}'
    firstDay: budgetFirstDay
    email: alertEmail
    actionGroupId: alerts.outputs.actionGroupId
  }
}

// Not the region: azd forgets on teardown what is put out here, and would ask for it anew.
output AZURE_TENANT_ID string = tenant().tenantId
output AZURE_RESOURCE_GROUP string = groupName
output AZURE_FUNCTION_NAME string = app.outputs.name
output SERVICE_API_NAME string = app.outputs.name
output SERVICE_API_URI string = 'https://${app.outputs.hostName}'
output MCP_URL string = 'https://${empty(customDomain) ? app.outputs.hostName : customDomain}/mcp'
output AZURE_KEY_VAULT_NAME string = vaultAt.name
output AZURE_KEY_VAULT_ID string = vaultId
output AZURE_FUNCTION_ID string = app.outputs.id
output AZURE_STORAGE_ACCOUNT string = storageAt.name
output AZURE_IDENTITY_PRINCIPAL_ID string = identity.outputs.principalId
output OUTGOING_IP_ADDRESS string = makesNetwork ? network!.outputs.outgoingIpAddress : ''
output ENTRA_CLIENT_ID string = clientId
output SETTINGS_IN_VAULT string = join(settingsInVault, ',')
