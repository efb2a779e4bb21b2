param name string
param planName string
param location string
param tags object
param identityId string
param identityClientId string

@description('Who puts the package of the app into its container and gets it from there, and may nothing else.')
param packageIdentityId string
param storageName string
param packageContainerUrl string
param vaultUri string
param applicationInsightsConnection string
param workspaceId string
param subnetId string

@description('Whether the app is reached from outside of the network, too.')
param publicAccess bool

@description('Instances are spread over the zones of the region.')
param zoneRedundant bool
param instanceMemoryMB int
param maximumInstanceCount int
param alwaysReadyInstances int
param perInstanceConcurrency int
param updateStrategy string

@description('Settings of the app, by name. What the template gives by itself is added.')
param settings object

@description('Names of settings whose values are secrets in the vault.')
param settingsInVault array

// With this identity the app vouches for its registration, and calls services.
var identity = { AZURE_CLIENT_ID: identityClientId }
var storage = {
  AzureWebJobsStorage__accountName: storageName
  AzureWebJobsStorage__clientId: identityClientId
  AzureWebJobsStorage__credential: 'managedidentity'
}
var telemetry = {
  APPLICATIONINSIGHTS_CONNECTION_STRING: applicationInsightsConnection
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identityClientId};Authorization=AAD'
}
// The root is the app's own to answer, and not the host's page.
var host = { AzureWebJobsDisableHomepage: 'true' }
// App Service authentication tells clients where to sign in when it knows the scope.
var discovery = settings.?AUTH_MODE == 'platform'
  ? { WEBSITE_AUTH_PRM_DEFAULT_WITH_SCOPES: settings.?AUTH_SCOPE ?? '' }
  : {}
// MCP_REQUEST_STATE_KEY is kept in the vault as mcp-request-state-key, and so on.
var secrets = toObject(
  settingsInVault,
  name => name,
  name => '@Microsoft.KeyVault(SecretUri=${vaultUri}secrets/${toLower(replace(name, '_', '-'))})'
)

resource plan 'Microsoft.Web/serverfarms@2024-11-01' = {
  name: planName
  location: location
  tags: tags
  kind: 'functionapp'
  sku: {
    name: 'FC1'
    tier: 'FlexConsumption'
  }
  properties: {
    reserved: true
    zoneRedundant: zoneRedundant
  }
}

resource site 'Microsoft.Web/sites@2024-11-01' = {
  name: name
  location: location
  tags: union(tags, { 'azd-service-name': 'api' })
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: {
      '${identityId}': {}
      '${packageIdentityId}': {}
    }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    clientAffinityEnabled: false
    // What a deployment does not mention stays as it was, so both are said.
    publicNetworkAccess: publicAccess ? 'Enabled' : 'Disabled'
    keyVaultReferenceIdentity: identityId
    virtualNetworkSubnetId: empty(subnetId) ? null : subnetId
    siteConfig: {
      minTlsVersion: '1.2'
      scmMinTlsVersion: '1.2'
      ftpsState: 'Disabled'
      http20Enabled: true
    }
    functionAppConfig: {
      deployment: {
        storage: {
          type: 'blobContainer'
          value: packageContainerUrl
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: packageIdentityId
          }
        }
      }
      runtime: {
        name: 'python'
        version: '3.13'
      }
      scaleAndConcurrency: {
        instanceMemoryMB: instanceMemoryMB
        maximumInstanceCount: maximumInstanceCount
        alwaysReady: alwaysReadyInstances == 0
          ? []
          : [
              {
                name: 'http'
                instanceCount: alwaysReadyInstances
              }
            ]
        // Without this, Python is given one request at a time on each instance.
        triggers: { http: { perInstanceConcurrency: perInstanceConcurrency } }
      }
      // The service knows it, and no published type does yet.
      #disable-next-line BCP037
      siteUpdateStrategy: { type: updateStrategy }
    }
  }

  resource appSettings 'config' = {
    name: 'appsettings'
    properties: union(settings, identity, storage, telemetry, host, discovery, secrets)
  }
}

// Whoever deploys signs in to Azure; passwords for publishing stay off.
resource noPasswordForFtp 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-11-01' = {
  parent: site
  name: 'ftp'
  properties: { allow: false }
}

resource noPasswordForDeploying 'Microsoft.Web/sites/basicPublishingCredentialsPolicies@2024-11-01' = {
  parent: site
  name: 'scm'
  properties: { allow: false }
}

// What goes wrong before the app can tell Application Insights is told here only.
resource logs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'host'
  scope: site
  properties: {
    workspaceId: workspaceId
    logs: [
      {
        category: 'FunctionAppLogs'
        enabled: true
      }
    ]
  }
}

output id string = site.id
output name string = site.name
output hostName string = site.properties.defaultHostName
