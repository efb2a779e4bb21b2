@description('Resource id of a workspace that is there already. Empty: one is made.')
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
    // Who writes here signs in as an identity; the key in the connection string opens nothing.
    DisableLocalAuth: true
  }
}

output workspaceId string = workspaceId
output applicationInsightsConnection string = applicationInsights.properties.ConnectionString
