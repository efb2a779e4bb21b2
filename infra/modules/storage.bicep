param name string
param location string
param tags object
param publicAccess bool
param workspaceId string

// A table and a container are named by what they are for, as the app names them: the updates, which personal addresses
// are void, and which sign-ins of the bridge have ended.
var dataName = 'updates'
var furtherTables = ['addresses', 'sessions']
var packageContainerName = 'app-package'
var daysToUndelete = 7

resource account 'Microsoft.Storage/storageAccounts@2025-01-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }
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

    resource dataContainer 'containers' = {
      name: dataName
      properties: { publicAccess: 'None' }
    }

    resource packageContainer 'containers' = {
      name: packageContainerName
      properties: { publicAccess: 'None' }
    }
  }

  resource tables 'tableServices' = {
    name: 'default'

    resource dataTable 'tables' = {
      name: dataName
    }

    resource furtherTable 'tables' = [
      for table in furtherTables: {
        name: table
      }
    ]
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

resource tableLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  name: 'changes'
  scope: account::tables
  properties: {
    workspaceId: workspaceId
    logs: changes
  }
}

output id string = account.id
output name string = account.name
output packageContainerUrl string = '${account.properties.primaryEndpoints.blob}${packageContainerName}'
