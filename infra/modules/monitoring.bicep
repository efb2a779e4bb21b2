@description('Resource id of an existing workspace. Empty: one is created.')
param ownWorkspaceId string
param workspaceName string
param applicationInsightsName string
param location string
param tags object
param retentionDays int
param dailyQuotaGb int

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-02-01' = if (empty(ownWorkspaceId)) {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: retentionDays
    workspaceCapping: { dailyQuotaGb: dailyQuotaGb }
    features: {
      disableLocalAuth: true
      enableLogAccessUsingOnlyResourcePermissions: true
    }
  }
}

var workspaceId = empty(ownWorkspaceId) ? workspace.id : ownWorkspaceId

resource applicationInsights 'Microsoft.Insights/components@2020-02-02' = {
  name: applicationInsightsName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspaceId
    IngestionMode: 'LogAnalytics'
    // Telemetry requires sign-in with an identity, so the key in the connection string gives no access.
    DisableLocalAuth: true
  }
}

output workspaceId string = workspaceId
output applicationInsightsConnection string = applicationInsights.properties.ConnectionString
