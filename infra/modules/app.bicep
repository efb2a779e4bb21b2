param name string
param planName string
param location string
param tags object
param identityId string
param identityClientId string

@description('Identity that uploads the app\'s package to its container and downloads it. It has no other permissions.')
param packageIdentityId string
param storageName string
param packageContainerUrl string
param vaultUri string
param applicationInsightsConnection string
param workspaceId string
param subnetId string

@description('Whether the app is also reachable from outside the network.')
param publicAccess bool

@description('Whether instances are spread over the zones of the region.')
param zoneRedundant bool
param instanceMemoryMB int
param maximumInstanceCount int
param alwaysReadyInstances int
param perInstanceConcurrency int
param updateStrategy string

@description('Settings of the app, by name. The template adds its own settings.')
param settings object

@description('Names of settings whose values are secrets in the vault.')
param settingsInVault array

// The app calls services with this identity, and authenticates with it to its registration in Entra ID.
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
// The app itself answers requests for the root, so the host's page is disabled.
var host = { AzureWebJobsDisableHomepage: 'true' }
// With this setting, App Service authentication serves the metadata with which clients sign in.
var discovery = settings.?AUTH_MODE == 'platform'
  ? { WEBSITE_AUTH_PRM_DEFAULT_WITH_SCOPES: settings.?AUTH_SCOPE ?? '' }
  : {}
// The names of secrets are derived from those of settings: MCP_REQUEST_STATE_KEY becomes mcp-request-state-key.
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
    // A deployment does not change properties that it leaves out, so both values are explicit.
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
        // Without this, each instance gets only one request at a time.
        triggers: { http: { perInstanceConcurrency: perInstanceConcurrency } }
      }
      // The service supports this property, but the published types do not contain it yet.
      #disable-next-line BCP037
      siteUpdateStrategy: { type: updateStrategy }
    }
  }

  resource appSettings 'config' = {
    name: 'appsettings'
    properties: union(settings, identity, storage, telemetry, host, discovery, secrets)
  }
}

// Deployments use the deployer's sign-in, so publishing with a password is disabled.
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

// Only these logs contain errors that occur before the app can send telemetry to Application Insights.
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
