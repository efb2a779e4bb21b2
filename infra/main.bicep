targetScope = 'subscription'

@description('Name of the azd environment. It is part of the name of every resource.')
@minLength(1)
@maxLength(64)
@metadata({ variable: 'AZURE_ENV_NAME' })
param environmentName string

@description('Region of all resources. Flex Consumption must be available there.')
@minLength(1)
@metadata({
  azd: {
    type: 'location'
  }
  variable: 'AZURE_LOCATION'
})
param location string

@description('Object id of the deployer. A person gets roles to read and repair the storage and to rotate secrets; a pipeline does not.')
@metadata({ variable: 'AZURE_PRINCIPAL_ID' })
param principalId string = ''

@description('Type of the deployer: a person, or the service principal of a pipeline.')
@allowed(['User', 'ServicePrincipal'])
@metadata({ variable: 'AZURE_PRINCIPAL_TYPE' })
param principalType string = 'User'

@description('Memory of each instance in megabytes: 512, 2048 or 4096.')
@allowed([512, 2048, 4096])
param instanceMemoryMB int = 2048

@description('Maximum number of on-demand instances of each function group, which is a set of functions that scale together. Bursts can exceed this maximum. Most regions accept values from 40 to 1000.')
@minValue(1)
@maxValue(1000)
@metadata({ see: '[costs](#costs)' })
param maximumInstanceCount int = 100

@description('Number of instances that are always ready for requests, to avoid cold starts. 0: the app scales to zero.')
@minValue(0)
@maxValue(100)
@metadata({ see: '[costs](#costs)' })
param alwaysReadyInstances int = 0

@description('Number of requests that one instance handles at the same time before another instance starts.')
@minValue(1)
@maxValue(1000)
@metadata({ see: '[scaling](scaling.md)' })
param perInstanceConcurrency int = 16

@description('Whether the app joins a virtual network. The deployment creates the network unless you bring your own subnets. If true, the storage account and the vault that the deployment creates accept requests only through private endpoints.')
@metadata({ see: '[your own network](#use-your-own-network)' })
param vnetEnabled bool = false

@description('With VNET_ENABLED: address range of the created network, in CIDR notation, with at least 512 addresses (/23). The range must not overlap with networks that you want to peer with the created network.')
param vnetAddressPrefix string = '10.0.0.0/16'

@description('With VNET_ENABLED: addresses of the DNS servers that the created network uses, separated by commas. Set this option if the app must resolve names in your own network, for example the name of an Azure DevOps server. Empty: Azure DNS.')
param vnetDnsServers string = ''

@description('Whether to register the app in Microsoft Entra ID, so that users can sign in. The deploying account needs permission to register applications.')
@metadata({ see: '[sign-in](#sign-in)' })
param entraAppEnabled bool = false

@description('With ENTRA_APP_ENABLED: the services that tools can call on behalf of the signed-in user, separated by commas, such as azure,azure-devops. Empty: all services.')
@metadata({ see: '[consent](#consent)' })
param entraServices string = ''

@description('Id of the permission Data.Read, with which tools read Application Insights. The hook reads this id from your tenant. Set by a hook before each provisioning.')
param applicationInsightsScopeId string = ''

@description('With ENTRA_APP_ENABLED: client ids of applications, separated by commas. These applications can get tokens for the server without asking users for consent. VS Code is always included.')
param preAuthorizedClients string = ''

@description('Whether App Service authentication checks every request before the app does. Requires ENTRA_APP_ENABLED.')
param appServiceAuthEnabled bool = false

@description('Your own host name for the app, such as mcp.example.com.')
@metadata({ see: '[your own domain](#use-your-own-domain)' })
param customDomain string = ''

@description('Names of settings, separated by commas, such as ADO_PAT. The values of these settings are secrets that the deployment stores in the vault.')
@metadata({ variable: 'SECRETS_IN_VAULT', see: '[secrets](#secrets)' })
param ownSettingsInVault string = ''

@description('Whether the vault of an earlier deployment was deleted, but still reserves the name that this environment needs. The deployment then restores this vault with its secrets. Set by a hook before each provisioning.')
param vaultIsDeleted bool = false

@description('With VNET_ENABLED: whether the app already exists, but has not joined the network yet. Set by a hook before each provisioning.')
@metadata({ see: '[your own network](#use-your-own-network)' })
param appIsOutside bool = false

@description('How a deployment replaces running instances: Recreate stops all instances at the same time; RollingUpdate (preview) replaces instances in batches and lets each instance finish its requests.')
@allowed(['RollingUpdate', 'Recreate'])
@metadata({ see: '[upgrading](operating.md#upgrading)' })
param updateStrategy string = 'Recreate'

@description('Number of days for which logs are kept.')
@minValue(30)
@maxValue(730)
param logRetentionDays int = 30

@description('Daily cap for logs, in gigabytes. When the cap is reached, logs are dropped until the next day. -1: no cap.')
param logDailyQuotaGb int = 1

@description('Email address for alerts. Empty: alerts are only shown in the portal.')
param alertEmail string = ''

@description('With VNET_ENABLED: whether the app sends all requests from one fixed IP address. The deployment stores this address in the azd environment as OUTGOING_IP_ADDRESS.')
param fixedOutgoingAddress bool = false

@description('With VNET_ENABLED: whether the app itself gets a private endpoint in the network.')
@metadata({ see: '[private access only](#private-access-only)' })
param appPrivateEndpoint bool = false

@description('Whether the app is reachable from the internet. The value false requires APP_PRIVATE_ENDPOINT, and deployments must then run inside the network.')
@metadata({ see: '[private access only](#private-access-only)' })
param appPublicAccess bool = true

@description('Whether to create an Azure Translator resource, with which tools translate texts. Only the app\'s identity can use this resource. After you run azd down without --purge, the name of the resource stays reserved for two days.')
@metadata({ see: '[translation](translation.md)' })
param translatorEnabled bool = false

@description('Whether app and storage are distributed across the availability zones of the region. Set this before the first deployment.')
@metadata({ see: '[zones](#zones)' })
param zoneRedundant bool = false

@description('Name of your own existing resource group. Empty: one is created.')
param ownResourceGroup string = ''

@description('Resource id of your own Log Analytics workspace. Empty: one is created.')
param ownWorkspaceId string = ''

@description('Resource id of your own storage account. Empty: one is created.')
param ownStorageId string = ''

@description('Resource id of your own Key Vault. Its permission model must be Azure RBAC. Empty: one is created.')
@metadata({ variable: 'OWN_KEY_VAULT_ID' })
param ownVaultId string = ''

@description('Resource id of your own Azure OpenAI account, whose model writes summaries. Empty: no model is used.')
@metadata({ variable: 'OWN_OPENAI_ID' })
param ownOpenAiId string = ''

@description('Resource id of your own Cosmos DB account, whose records tools read and write. Empty: no records.')
param ownCosmosId string = ''

@description('With OWN_COSMOS_ID: whether the app can only read records in the Cosmos DB account. Otherwise, the app can also write records.')
param cosmosReadOnly bool = false

@description('With VNET_ENABLED and OWN_COSMOS_ID: whether the Cosmos DB account gets a private endpoint in the network.')
param cosmosPrivateEndpoint bool = false

@description('Resource id of your own subnet for the app, delegated to Microsoft.App/environments. Empty: a network is created.')
param ownAppSubnetId string = ''

@description('Resource id of your own subnet for private endpoints. Set it together with the subnet for the app.')
param ownEndpointSubnetId string = ''

@description('Resource id of the resource group with your private DNS zones. Empty: zones are created.')
param ownDnsZonesGroupId string = ''

@description('Client id of your own registration in Microsoft Entra ID. Empty: the app is registered.')
param ownEntraClientId string = ''

@description('Your own tags for all created resources, such as owner=team,costCenter=42.')
param ownTags string = ''

@description('Your own names for created resources, by the keys of abbreviations.json. Empty names are generated.')
param ownNames object = {}

@description('Ids of subscriptions and resource groups, separated by commas. On each of them, the app\'s identity gets the role Reader, to read resources.')
@metadata({ see: '[permissions](#permissions-of-the-app)' })
param readerScopes string = ''

@description('Ids of subscriptions and resource groups, separated by commas. On each of them, the app\'s identity gets the role Monitoring Reader, to read metrics and logs.')
@metadata({ see: '[permissions](#permissions-of-the-app)' })
param monitoringReaderScopes string = ''

@description('Ids of subscriptions and resource groups, separated by commas. On each of them, the app\'s identity gets the role Cost Management Reader, to read costs.')
@metadata({ see: '[permissions](#permissions-of-the-app)' })
param costReaderScopes string = ''

@description('With ALERT_EMAIL: the monthly budget for all resources in the resource group, in the currency of your bill. Azure sends an email when the costs reach 50 % and 100 % of the budget, and when the forecast reaches 100 %. A budget does not stop any resource. 0: no budget.')
@minValue(0)
param budgetAmount int = 0

@description('With BUDGET_AMOUNT: the date on which the budget starts, which is the first day of a month. Azure does not allow changing this date, so each deployment must repeat it. Set by a hook before each provisioning.')
param budgetFirstDay string = ''

@description('Settings of the app, by their names in docs/settings.md. Empty settings have their default values.')
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
// Resources in modules use these names instead of the outputs of other modules, because a what-if cannot evaluate names
// that are only known during deployment.
var applicationInsightsName = named.?applicationInsights ?? '${abbreviations.applicationInsights}${token}'
// The parts of an id are /subscriptions/2/resourceGroups/4/providers/6/7/8. Created resources get the same parts as existing
// ones, so that the code below is the same for both. A scope must be known even if nothing is deployed to it.
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
// The template never creates these resources. Without an id, the name is empty and not used.
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
// Storage and vault only close once the app has joined the network, which is with the deployment after that.
var closed = vnetEnabled && !appIsOutside
var issuer = '${environment().authentication.loginEndpoint}${tenant().tenantId}/v2.0'

// As a scope, only the name of the group matters, so an existing group also works.
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

// The identity that uploads the app's package to its container, and downloads it from there.
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
  // A recovered vault has its old settings until this module sets them.
  dependsOn: [recovery]
}

// Contents and roles of your own account are deployed to its resource group. The deployment's name identifies this app.
module storageContents 'modules/storage-contents.bicep' = {
  name: 'storage-contents-${token}'
  scope: resourceGroup(storageAt.subscription, storageAt.group)
  params: {
    storageName: storageAt.name
    packageContainerName: packageContainerName
  }
  // The name is computed, so it does not imply this dependency.
  dependsOn: [storage]
}

module rolesOnStorage 'modules/roles-on-storage.bicep' = {
  name: 'roles-on-storage-${token}'
  scope: resourceGroup(storageAt.subscription, storageAt.group)
  params: {
    storageName: storageAt.name
    packageContainerName: packageContainerName
    // The names of role assignments depend on these ids, although a what-if cannot evaluate them. With other names, Azure
    // would reject the assignments as duplicates.
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

// Your own resources already have private endpoints or need none. Only a Cosmos DB account can get one here.
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
// Computed, so that a what-if can evaluate the names of the links.
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
// App Service authentication does not need the sign-in bridge.
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
    // Remove duplicates, because Azure would reject the second assignment of a role.
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
    // The format of an entry is name, or name:/path/of/the/tenant.
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
  // Without these roles, the platform cannot read the app's package or its secrets.
  dependsOn: [rolesOnStorage, rolesOnTelemetry, rolesOnOpenAi, rights]
}

// Also deployed if authentication is off, because a deployment does not change settings that it leaves out. Skipped if
// AUTH_MODE is platform without a registration: then someone configured authentication manually.
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

// Azure rejects a budget without a recipient.
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

// The region is not an output, because azd forgets outputs on teardown and would ask for the region again.
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
