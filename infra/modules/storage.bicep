param name string
param location string
param tags object
param publicAccess bool

@description('Whether data is replicated across the zones of the region.')
param zoneRedundant bool
param workspaceId string

var daysToUndelete = 7

// The containers, tables and queues are in a separate module, which is also used for your own account.

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

// Reads are not logged, because every instance checks for a newer index once a minute.
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
