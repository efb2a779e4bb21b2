param name string
param location string
param tags object
param publicAccess bool

@description('Each byte is kept in several zones of the region.')
param zoneRedundant bool
param workspaceId string

var daysToUndelete = 7

// What the app keeps in it is in a module of its own, which also serves an account that was there before.

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: zoneRedundant ? 'Standard_ZRS' : 'Standard_LRS' }
  properties: {
    accessTier: 'Hot'
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    dnsEndpointType: 'Standard'
    minimumTlsVersion: 'TLS1_2'
    publicNetworkAccess: publicAccess ? 'Enabled' : 'Disabled'
    supportsHttpsTrafficOnly: true
    networkAcls: {
      bypass: 'None'
      defaultAction: publicAccess ? 'Allow' : 'Deny'
    }
  }

  resource blobs 'blobServices' = {
    name: 'default'
    properties: {
      deleteRetentionPolicy: {
        enabled: true
        days: daysToUndelete
      }
      containerDeleteRetentionPolicy: {
        enabled: true
        days: daysToUndelete
      }
    }
  }

  resource tables 'tableServices' = {
    name: 'default'
  }

  resource queues 'queueServices' = {
    name: 'default'
  }
}

// Reads are not logged: every instance looks for a newer index once a minute.
var changes = [
  {
    category: 'StorageWrite'
    enabled: true
  }
  {
    category: 'StorageDelete'
    enabled: true
  }
]

resource blobLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'changes'
  scope: account::blobs
  properties: {
    workspaceId: workspaceId
    logs: changes
  }
}

resource queueLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'changes'
  scope: account::queues
  properties: {
    workspaceId: workspaceId
    logs: changes
  }
}

resource tableLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'changes'
  scope: account::tables
  properties: {
    workspaceId: workspaceId
    logs: changes
  }
}
